"""*Bake* and its range; while something runs, how far it is."""

from __future__ import annotations

from typing import Any

import bpy

from .bake_progress import draw_progress
from .compiling import draw_compiling


def draw(layout: Any, context: bpy.types.Context) -> None:
    """The buttons, or the progress of what they started."""
    manager: Any = context.window_manager
    if manager.gpbd_status:
        draw_progress(layout, context)
        return
    _draw_range(layout, context.scene)
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator("gpbd.bake", text="Bake", icon="REC")
    row.operator("gpbd.resume", text="Resume", icon="PLAY")
    row.operator("gpbd.clear_cache", text="", icon="TRASH")
    row = layout.row(align=True)
    row.operator("gpbd.bake_selected", icon="RESTRICT_SELECT_OFF")
    row.operator("gpbd.bake_from_here", icon="FRAME_NEXT")
    row.operator("gpbd.check_scene", icon="VIEWZOOM")
    draw_compiling(layout)


def _draw_range(layout: Any, scene: Any) -> None:
    """The timeline's, or its own."""
    settings = scene.gpbd
    owner = settings if settings.own_range else scene
    row = layout.row(align=True)
    row.prop(owner, "frame_start", text="Start")
    row.prop(owner, "frame_end", text="End")
    row.prop(settings, "own_range", text="", icon="PREVIEW_RANGE")
