"""Drape the bodies before the bake, or for a still."""

from __future__ import annotations

import bpy

from ..bake import cache_path, watch
from ..read import start_shape
from .bake_progress import draw_progress
from .gpbd import GpbdSubPanel
from .value_row import draw_field


class PHYSICS_PT_gpbd_drape(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Drape"

    def draw(self, context):
        layout = self.layout
        settings = context.scene.gpbd
        row = layout.row(align=True)
        row.enabled = not context.window_manager.gpbd_status
        row.prop_enum(settings, "drape_result", "START")
        row.prop_enum(settings, "drape_result", "SHAPE_KEY")
        draw_field(layout.column(), settings, "rest_threshold_percent")
        if watch.is_draping():
            layout.label(text="Enter keeps the shape as it is", icon="INFO")
            draw_progress(layout, context)
        if context.window_manager.gpbd_status:
            return
        row = layout.row()
        row.scale_y = 1.3
        button = row.operator("gpbd.drape", text="Drape at Current Frame", icon="CON_FLOOR")
        button.result, button.threshold = settings.drape_result, settings.rest_threshold
        if cache_path.of(context.object) is not None:
            layout.operator("gpbd.apply_shape", text="Apply Shape of This Frame").result = settings.drape_result
        if start_shape.has(context.object):
            row = layout.row(align=True)
            row.label(text="Begins at its own start shape", icon="CHECKMARK")
            row.operator("gpbd.remove_start", text="", icon="X")
        elif settings.drape_result == "SHAPE_KEY":
            layout.label(text="A bake takes the key as unstretched", icon="INFO")
