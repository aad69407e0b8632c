"""What is painted on a body, as the solver's maps."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...solver.scene import Map
from ..body_kinds import BODY_KINDS
from ..properties.map_properties import LABELS
from . import evaluated_mesh


def read(ob: bpy.types.Object, there: bpy.types.Object) -> dict[str, Map]:
    """Maps of the vertices of a body's mesh, by what they scale. there: the body evaluated. Raises: SceneError if a group is
    missing."""
    settings: Any = ob.gpbd
    if BODY_KINDS[settings.body_type].material is None:
        return {}
    found = {}
    for name, label in LABELS.items():
        group = getattr(settings.maps, f"{name}_group")
        if group:
            weights = np.clip(evaluated_mesh.weights(there, group, f"group of {label}"), 0.0, 1.0).astype(np.float64)
            ends = (float(getattr(settings.maps, f"{name}_{end}")) for end in ("low", "high"))
            found[name] = Map(weights, *ends)
    return found
