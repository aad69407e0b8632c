"""Pinned vertices of a body, which follow the animation, and their stiffness."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from .gpbd import GpbdSubPanel
from .group_row import draw_group
from .value_row import draw_value


class PHYSICS_PT_gpbd_pins(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Pins"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and BODY_KINDS[context.object.gpbd.body_type].pins

    def draw(self, context):
        ob: Any = context.object
        column = self.layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        draw_group(column, context, ob.gpbd, "pin_group")
        if ob.gpbd.pin_group:
            hold = column.row()
            hold.use_property_decorate = True
            hold.prop(ob.gpbd, "pin_hold")
            draw_value(column, ob.gpbd, "pin_frequency", "Hz")
            draw_value(column, ob.gpbd, "pin_damping", "s")
            draw_value(column, ob.gpbd, "pin_strength", "N")
            draw_group(column, context, ob.gpbd.maps, "pin_strength_group", text="Strength Group")
            if ob.gpbd.maps.pin_strength_group:
                draw_value(column, ob.gpbd.maps, "pin_strength_high", "")
