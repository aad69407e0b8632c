"""Recorded grabs of a body."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties.number import field_of
from .gpbd import GpbdSubPanel
from .group_row import draw_group


class PHYSICS_PT_gpbd_grabs(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Grabs"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and len(context.object.gpbd.grabs) > 0

    def draw(self, context):
        ob: Any = context.object
        for number, item in enumerate(ob.gpbd.grabs):
            box = self.layout.box().column()
            box.use_property_split = True
            row = box.row()
            draw_group(row, context, item, "vertex_group")
            row.operator("gpbd.remove_grab", text="", icon="X").index = number
            box.prop(item, "is_held")
            if not item.is_held:
                box.prop(item, "hand")
                box.prop(item, field_of(item, "stiffness"), text="Stiffness [N/m]")
            box.prop(item, "on")
