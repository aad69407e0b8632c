"""Pinned vertices of a body, which follow the animation, and their stiffness."""

from __future__ import annotations

import bpy

from ..body_kinds import BODY_KINDS
from ..translations import tr
from .gpbd import GpbdSubPanel
from .group_row import draw_group
from .label_width import share_of
from .value_row import draw_number, draw_value


class PHYSICS_PT_gpbd_pins(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Pins"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and BODY_KINDS[context.object.gpbd.body_type].pins

    def draw(self, context):
        ob = context.object
        column = self.layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        settings = ob.gpbd
        names = ("pin_group", "pin_frequency", "pin_damping", "pin_strength")
        strength_group = tr("Strength Group")
        share = share_of(*(tr(settings.bl_rna.properties[name].name) for name in names), strength_group, unit="Hz")
        draw_group(column, context, settings, "pin_group", share)
        if settings.pin_group:
            draw_number(column, settings, "pin_hold", share, slider=True)
            draw_value(column, settings, "pin_frequency", "Hz", share=share)
            draw_value(column, settings, "pin_damping", "s", share=share)
            draw_value(column, settings, "pin_strength", "N", share=share)
            draw_group(column, context, settings.maps, "pin_strength_group", share, text=strength_group)
            if settings.maps.pin_strength_group:
                draw_value(column, settings.maps, "pin_strength_high", "", share=share)
