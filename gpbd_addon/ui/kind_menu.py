"""Menu of the kinds of bodies."""

from __future__ import annotations

import bpy

from ..body_kinds import BODY_KINDS
from ..identifiers import KIND_MENU


class GPBD_MT_kind(bpy.types.Menu):
    """Kinds that the active object can change to"""

    bl_label = "Kind of Body"
    bl_idname = KIND_MENU

    def draw(self, context):
        for name, kind in BODY_KINDS.items():
            self.layout.operator("gpbd.add_body", text=kind.name, icon=kind.icon).body_type = name
