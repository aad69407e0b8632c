"""*Bake* and its range; the progress while a job runs."""

from __future__ import annotations

import bpy

from .bake_progress import draw_progress
from .compiling import draw_compiling


def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the buttons, or the progress of the job that they started."""
    manager = context.window_manager
    if manager.gpbd_status:
        draw_progress(layout, context)
        return
    _draw_range(layout, context.scene)
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator("gpbd.bake", text="Bake", icon="REC")
    row.operator("gpbd.resume", text="Resume", icon="PLAY")
    row.operator("gpbd.clear_cache", text="", icon="TRASH")
    column = layout.column(align=True)
    row = column.row(align=True)
    row.operator("gpbd.bake_selected")
    row.operator("gpbd.bake_from_here")
    column.operator("gpbd.check_scene", icon="VIEWZOOM")
    draw_compiling(layout, context)


def _draw_range(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Draw the frame range: the timeline's, or the bake's own; typing into the offered range makes it the bake's own."""
    settings = scene.gpbd
    owner = settings.range_owner
    row = layout.row(align=True)
    row.prop(owner, "frame_start", text="Start")
    row.prop(owner, "frame_end", text="End")
    row.prop(settings, "own_range", text="", icon="PREVIEW_RANGE")
