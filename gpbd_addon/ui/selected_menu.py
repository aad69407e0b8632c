"""Menu of operators on all selected objects."""

from __future__ import annotations

import bpy

from ..body_kinds import BODY_KINDS, material_of
from ..identifiers import SELECTED_MENU, SELECTED_PRESET_MENU
from ..translations import tr


class GPBD_MT_selected(bpy.types.Menu):
    """For all selected objects: settings of this body, kinds, mute, conversion"""

    bl_label = "Selected"
    bl_idname = SELECTED_MENU

    def draw(self, context):
        layout = self.layout
        layout.operator("gpbd.copy_to_selected", text="Copy Settings to Selected", icon="COPYDOWN").what = "SETTINGS"
        if material_of(context.object.gpbd.body_type) is not None:
            layout.operator("gpbd.copy_to_selected", text="Copy Material to Selected", icon="PRESET").what = "MATERIAL"
            layout.menu(SELECTED_PRESET_MENU, icon="PRESET")
        layout.separator()
        for body_type, kind in BODY_KINDS.items():
            add = layout.operator("gpbd.add_to_selected", text=tr(f"Make Selected {kind.label}"), icon=kind.icon)
            add.body_type = body_type
        layout.separator()
        layout.operator("gpbd.mute_selected", text="Mute Selected", icon="MUTE_IPO_ON").muted = True
        layout.operator("gpbd.mute_selected", text="Unmute Selected", icon="MUTE_IPO_OFF").muted = False
        layout.separator()
        layout.operator("gpbd.convert_from_blender", icon="FILE_REFRESH")
