"""Recorded grab of a body: an item of `object.gpbd.grabs`.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

import bpy
from bpy.props import BoolProperty, PointerProperty, StringProperty

from .group_names import suggested
from .number import KEYED, OWN, number_property


class _Spring:
    """A mixin, because its annotations are generated."""

    __annotations__ = number_property(
        "stiffness", "Stiffness", "N/m", 50.0, 1e-3, 1e6, "Stiffness of the springs of all vertices together", keyed=False
    )


class GPBD_PG_grab(_Spring, bpy.types.PropertyGroup):
    """Vertices of a body that a hand draws at, or holds"""

    vertex_group: StringProperty(
        name="Vertices", description="Vertex group: each vertex has its share of the stiffness", search=suggested, **OWN
    )
    hand: PointerProperty(
        name="Hand",
        description="Object that moves the ends of the springs; none: they stay where they are",
        type=bpy.types.Object,
        options=set(),
    )
    is_held: BoolProperty(name="Hold", description="Hold the vertices in place, without springs", default=False, **OWN)
    on: BoolProperty(
        name="On", description="The grab acts between the frame before and this one; keyed", default=False, **KEYED
    )
