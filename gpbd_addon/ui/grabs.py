"""Recorded grabs of a body."""

from __future__ import annotations

import bpy

from .gpbd import GpbdSubPanel
from .group_row import draw_group
from .label_width import label_share
from .value_row import draw_check, draw_number, draw_value, labelled


class PHYSICS_PT_gpbd_grabs(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Grabs"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and len(context.object.gpbd.grabs) > 0

    def draw(self, context):
        ob = context.object
        for number, item in enumerate(ob.gpbd.grabs):
            box = self.layout.box().column()
            box.use_property_split = True
            share = label_share(item, "vertex_group", "hand", "stiffness", "is_held", "on", unit="N/m")
            row = box.row()
            draw_group(row.column(), context, item, "vertex_group", share)
            row.operator("gpbd.remove_grab", text="", icon="X").index = number
            draw_check(box, item, "is_held", share)
            if not item.is_held:
                labelled(box, item, "hand", share).prop(item, "hand", text="")
                draw_value(box, item, "stiffness", "N/m", share=share)
            draw_number(box, item, "on", share)
