"""The extension's page in Preferences > Add-ons."""

from __future__ import annotations

import bpy

from ..identifiers import ADDON_ID
from ..user_folder import user_presets_folder
from . import device
from .bake_progress import draw_progress


class GPBD_preferences(bpy.types.AddonPreferences):
    bl_idname = ADDON_ID

    def draw(self, context):
        folder = str(user_presets_folder())
        layout = self.layout
        layout.label(text="Your own material presets (one .toml file each):")
        row = layout.row()
        row.label(text=folder)
        row.operator("wm.path_open", text="Open", icon="FILE_FOLDER").filepath = folder
        layout.label(text="The solver is compiled for this computer as scenes ask for it, or all of it now:")
        row = layout.row()
        row.enabled = not context.window_manager.gpbd_status
        row.operator("gpbd.compile_kernels", icon="FILE_REFRESH")
        layout.label(text="Bakes on a GPU of NVIDIA's need packages of their own:")
        device.draw_found(layout, context)
        row = layout.row()
        row.enabled = not context.window_manager.gpbd_status
        row.operator("gpbd.install_cuda", icon="IMPORT")
        row.operator("gpbd.remove_cuda", icon="TRASH")
        draw_progress(layout, context)
        layout.label(text="Settings of the simulation are in Properties > Physics, and are kept in each .blend file.")
