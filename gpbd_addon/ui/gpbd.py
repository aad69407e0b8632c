"""The panel in Properties > Physics that holds the others."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from ..identifiers import PANEL


class GpbdPanel:
    """What all our panels share: a mixin."""

    bl_space_type: Any = "PROPERTIES"
    bl_region_type: Any = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.gpbd.body_type != "NONE"


class PHYSICS_PT_gpbd(GpbdPanel, bpy.types.Panel):
    bl_label = "GPBD"
    bl_idname = PANEL

    def draw_header(self, context):
        body_type = context.object.gpbd.body_type
        self.layout.label(text="", icon=BODY_KINDS[body_type].icon)

    def draw(self, context):
        body: Any = context.object
        row = self.layout.row(align=True)
        for name, kind in BODY_KINDS.items():
            row.operator(
                "gpbd.add_body", text=kind.name, icon=kind.icon, depress=body.gpbd.body_type == name
            ).body_type = name
        row.separator()
        row.operator("gpbd.remove_body", text="", icon="X")
        if not body.is_editable:
            self.layout.label(text="Linked: make it local to change it", icon="LINKED")
