"""What is painted on a body: `object.gpbd.maps`, for each number a vertex group or attribute, and two factors.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

from typing import Any

import bpy
from bpy.props import FloatProperty, StringProperty

from ...solver.scene.maps import PAINTED
from .number import OWN

#: As panels call what can be painted, in their order.
LABELS = {
    "stretch": "Stretch",
    "shear": "Shear",
    "bending": "Bend",
    "damping": "Damping",
    "density": "Weight",
    "friction": "Friction",
    "pin_stiffness": "Pin Stiffness",
}


def _fields() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, label in LABELS.items():
        found[f"{name}_group"] = StringProperty(
            name=label, description=f"Vertex group, or float attribute of the points, that scales {PAINTED[name]}", **OWN
        )
        for end, weight, default in (("low", 0, 0.0), ("high", 1, 1.0)):
            found[f"{name}_{end}"] = FloatProperty(
                name="Minimum" if end == "low" else "Maximum",
                description=f"Factor of {PAINTED[name]} where the weight is {weight}",
                default=default,
                min=0,
                soft_max=10,
                max=1e6,
                step=10,
                precision=3,
                **OWN,
            )
    return found


class _Maps:
    """A mixin, because its annotations are generated."""

    __annotations__ = _fields()


class GPBD_PG_maps(_Maps, bpy.types.PropertyGroup):
    """Numbers of a body that vary over it"""
