"""The extension's page in Preferences > Add-ons."""

from __future__ import annotations

import bpy

from ..identifiers import ADDON_ID
from ..user_folder import user_presets_folder


class GPBD_preferences(bpy.types.AddonPreferences):
    bl_idname = ADDON_ID

    def draw(self, context):
        folder = str(user_presets_folder())
        layout = self.layout
        layout.label(text="Your own material presets (one .toml file each):")
        row = layout.row()
        row.label(text=folder)
        row.operator("wm.path_open", text="Open", icon="FILE_FOLDER").filepath = folder
        layout.label(text="Settings of the simulation are in Properties > Physics, and are kept in each .blend file.")
