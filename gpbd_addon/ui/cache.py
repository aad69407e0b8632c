"""Where the caches are, and what can be made of one."""

from __future__ import annotations

from typing import Any

import bpy

from ..bake import cache_path
from .gpbd import GpbdSubPanel


class PHYSICS_PT_gpbd_cache(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Cache"

    def draw(self, context):
        layout = self.layout
        settings: Any = context.scene.gpbd
        column = layout.column()
        column.enabled = not context.window_manager.gpbd_status
        column.prop(settings, "cache_folder", text="")
        path = cache_path.of(context.object)
        if path is not None:
            row = layout.row()
            row.active = False
            row.label(text=path.name, icon="FILE_CACHE")
        layout.operator("gpbd.convert_to_shape_keys", text="To Shape Keys", icon="SHAPEKEY_DATA")
