"""Maps painted on a body: `object.gpbd.maps`, for each number a vertex group or attribute, and its factor at weight 1.

A map goes from the number itself, where the weight is 0, to so many times the number where it is 1, as Blender's own Cloth
goes from a stiffness to its maximum.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty, StringProperty

from ...solver.scene.maps import PAINTED
from .group_names import suggested
from .number import OWN

#: As panels call what can be painted, in their order.
LABELS = {
    "stretch": "Stretch",
    "shear": "Shear",
    "bending": "Bend",
    "damping": "Damping",
    "yield": "Yield",
    "density": "Weight",
    "friction": "Friction",
    "pin_stiffness": "Pin Stiffness",
    "pin_strength": "Pin Strength",
    "tear_strength": "Tear Strength",
}


#: Factors at weight 0 and 1 of a new map, and what those that a file of before `ends_known` leaves out meant.
LOW, HIGH = 1.0, 10.0
OLD_LOW, OLD_HIGH = 0.0, 1.0


def _keep_ends(maps: Any, context: bpy.types.Context) -> None:
    """A group that is named now has the ends of now."""
    maps.ends_known = True


def _fields() -> dict[str, Any]:
    fields: dict[str, Any] = {"ends_known": BoolProperty(name="Ends Known", options={"HIDDEN"}, override=OWN["override"])}
    for name, label in LABELS.items():
        fields[f"{name}_group"] = StringProperty(
            name=label,
            description=f"Vertex group, or float attribute of the points, that scales {PAINTED[name]}",
            search=suggested,
            update=_keep_ends,
            **OWN,
        )
        for end, weight, default in (("low", 0, LOW), ("high", 1, HIGH)):
            fields[f"{name}_{end}"] = FloatProperty(
                name="Factor Elsewhere" if end == "low" else "Maximum Factor",
                description=f"Factor of {PAINTED[name]} where the weight is {weight}",
                default=default,
                min=0,
                soft_max=10,
                max=1e6,
                step=10,
                precision=2,
                **OWN,
            )
    return fields


class _Maps:
    """A mixin, because its annotations are generated."""

    __annotations__ = _fields()


class GPBD_PG_maps(_Maps, bpy.types.PropertyGroup):
    """Numbers of a body that vary over it"""
