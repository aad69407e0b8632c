"""Tearing of a cloth or a rope: a mixin.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

from collections.abc import Callable

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from .group_names import suggested
from .number import OWN, number_property

#: Called with an object whose tearing was switched on or off, or is of another group.
tearing_watchers: list[Callable[[bpy.types.Object], None]] = []


def _changed(settings: bpy.types.bpy_struct, context: bpy.types.Context) -> None:
    for watcher in tearing_watchers:
        watcher(settings.id_data)


class _Numbers:
    """Numbers with units; a mixin, because its annotations are generated."""

    __annotations__ = {
        **number_property(
            "tear_strength",
            "Strength",
            "N/m",
            3000.0,
            1e-3,
            1e9,
            ("Pull on a meter of edge at which the cloth tears. Tissue paper 100, paper 3000, cotton 10000"),
        ),
        **number_property(
            "rope_strength",
            "Strength",
            "N",
            500.0,
            1e-3,
            1e9,
            "Tension at which the rope parts. Sewing thread 10, shoe lace 500, climbing rope 20000",
        ),
        **number_property(
            "fracture_energy",
            "Fracture Energy",
            "J/m",
            1.0,
            0.0,
            1e6,
            (
                "Work to tear one meter, twice the force that tears it by hand. It decides how "
                "easily a cut grows, at any resolution of the mesh. 0 is none"
            ),
            keyed=False,
        ),
        **number_property(
            "precut_share",
            "Pre-Cut Strength",
            "",
            0.1,
            0.0,
            1.0,
            "Share of Strength and Fracture Energy that is left on pre-cut edges. 0 opens at the first pull",
            keyed=False,
        ),
    }


class TearingProperties(_Numbers):
    """Tearing of `object.gpbd`."""

    use_tearing: BoolProperty(
        name="Tearing",
        description="The cloth tears along the edges of its faces, the rope between two edges, where it is pulled too hard. "
        "Two modifiers are added: one splits the mesh, the other joins it where it is whole",
        default=False,
        update=_changed,
        **OWN,
    )
    tear_group: StringProperty(
        name="Tear Group",
        description=(
            "Vertex group or float attribute of the part that can tear; empty: all of the "
            "cloth. A smaller part takes less memory"
        ),
        search=suggested,
        update=_changed,
        **OWN,
    )
    precut_edges: EnumProperty(
        name="Pre-Cut Edges",
        description="Marked edges of the mesh that tear first: a perforation, a tear line",
        items=[
            ("NONE", "None", "No edges are weaker"),
            ("SEAM", "Seams", "Edges with the mark of Edge > Mark Seam"),
            ("SHARP", "Sharp Edges", "Edges with the mark of Edge > Mark Sharp"),
        ],
        **OWN,
    )
