"""Intersections left at the end of a bake, and the button that selects them."""

from __future__ import annotations

import bpy

from ...solver.counted import counted
from ..bake import frame_reports
from ..body_kinds import BODY_KINDS
from ..translations import tr


def draw_intersections(layout: bpy.types.UILayout, ob: bpy.types.Object, reports: frame_reports.Reports | None) -> None:
    """ob: a body; reports: of the cache that it plays.

    Draws nothing where nothing passes through anything at its last frame.
    """
    frame, count = reports.intersections_left() if reports is not None else (0, 0)
    if not count:
        return
    column = layout.column(align=True)
    column.alert = True
    column.label(text=tr(counted(count, f"intersection at frame {frame}", f"intersections at frame {frame}")), icon="ERROR")
    column.operator("gpbd.find_intersections", text="Select", icon="RESTRICT_SELECT_OFF").frame = frame
    if not ob.gpbd.self_contact and "self_contact" in BODY_KINDS[ob.gpbd.body_type].collision_rows:
        layout.prop(ob.gpbd, "self_contact")  # that may be why
