"""The panel in Properties > Physics that holds the others."""

from __future__ import annotations

from typing import Any

import bpy

from ..identifiers import BODY_ICONS, BODY_LABELS, PANEL


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
        self.layout.label(text="", icon=BODY_ICONS[body_type])

    def draw(self, context):
        body: Any = context.object
        row = self.layout.row(align=True)
        for name, label in BODY_LABELS.items():
            row.operator(
                "gpbd.add_body", text=label.removeprefix("GPBD "), icon=BODY_ICONS[name], depress=body.gpbd.body_type == name
            ).body_type = name
        row.separator()
        row.operator("gpbd.remove_body", text="", icon="X")
        if not body.is_editable:
            self.layout.label(text="Linked: make it local to change it", icon="LINKED")
