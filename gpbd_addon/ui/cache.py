"""Bake, and what has been baked."""

from __future__ import annotations

from typing import Any

import bpy

from ..bake import cache_path, frame_reports
from ..identifiers import PANEL
from .bake_progress import draw_progress
from .cache_state import notes, problems
from .findings import draw_findings
from .gpbd import GpbdPanel
from .intersections_left import draw_intersections
from .paragraph import draw_paragraph


class PHYSICS_PT_gpbd_cache(GpbdPanel, bpy.types.Panel):
    bl_label = "Cache"
    bl_parent_id = PANEL

    def draw(self, context):
        layout, ob = self.layout, context.object
        manager: Any = context.window_manager
        if manager.gpbd_status:
            draw_progress(layout, context)
        else:
            _draw_buttons(layout)
        settings: Any = context.scene.gpbd
        column = layout.column()
        column.enabled = not manager.gpbd_status
        column.prop(settings, "cache_folder", text="")
        _draw_state(layout, context, ob)


def _draw_buttons(layout: Any) -> None:
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator("gpbd.bake", text="Bake", icon="REC")
    row.operator("gpbd.resume", text="Resume", icon="PLAY")
    row.operator("gpbd.clear_cache", text="", icon="TRASH")
    row = layout.row(align=True)
    row.operator("gpbd.check_scene", icon="VIEWZOOM")
    row.operator("gpbd.convert_to_shape_keys", text="To Shape Keys", icon="SHAPEKEY_DATA")


def _draw_state(layout: Any, context: bpy.types.Context, ob: Any) -> None:
    path = cache_path.of(ob)
    box = layout.box()
    draw_paragraph(box, context, ob.gpbd.cache_info or "Not baked yet", "FILE_CACHE")
    if path is not None:
        row = box.row()
        row.active = False
        row.label(text=path.name, icon="BLANK1")
    for problem in problems(ob, path):
        draw_paragraph(box, context, problem, "ERROR")
    draw_intersections(box, frame_reports.read(path))
    for note in notes(ob):
        draw_paragraph(box, context, note, "INFO")
    draw_findings(layout, context)
