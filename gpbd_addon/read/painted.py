"""Painted properties of a body, as the solver's maps."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np

from ...solver.scene import Map
from ..body_kinds import BODY_KINDS
from ..properties.map_properties import LABELS
from . import changing_groups, evaluated_mesh

Array = np.ndarray


def read(ob: bpy.types.Object, there: bpy.types.Object) -> dict[str, Map]:
    """Read the maps of a body's mesh, by the property that they scale. there: the evaluated body. Raises: SceneError if a
    group is missing."""
    settings = ob.gpbd
    if BODY_KINDS[settings.body_type].material is None:
        return {}
    maps = {}
    for name in LABELS:
        group = getattr(settings.maps, f"{name}_group")
        if group:
            low, high = (float(getattr(settings.maps, f"{name}_{end}")) for end in ("low", "high"))
            maps[name] = Map(_weights(there, name, group), low, high, group)
    return maps


def at(ob: bpy.types.Object, there: bpy.types.Object, first: Mapping[str, Map]) -> dict[str, Array]:
    """Return weights of maps at the depsgraph's frame, (n,), by the property that they scale.

    there: the evaluated body, our modifier switched off. first: weights of the first frame, returned if nothing can change
    them. Raises: SceneError if a group is missing.
    """
    settings = ob.gpbd
    groups = {name: getattr(settings.maps, f"{name}_group") for name in first}
    read: dict[str, Array] = {}  # each group once
    for name, group in groups.items():
        if group not in read:
            changes = changing_groups.may_change(ob, there, group)
            read[group] = _weights(there, name, group) if changes else first[name].weights
    return {name: read[group] for name, group in groups.items()}


def _weights(there: bpy.types.Object, name: str, group: str) -> Array:
    return np.clip(evaluated_mesh.weights(there, group, f"group of {LABELS[name]}"), 0.0, 1.0).astype(np.float64)
