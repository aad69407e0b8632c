"""Tearing of a cloth."""

from __future__ import annotations

from typing import Any

import bpy

from .group_row import draw_group
from .shape import GarmentPanel
from .value_row import NESTED_SHARE, draw_note, draw_value


class PHYSICS_PT_gpbd_tearing(GarmentPanel, bpy.types.Panel):
    bl_label = "Tearing"

    def draw_header(self, context):
        self.layout.prop(context.object.gpbd, "use_tearing", text="")

    def draw(self, context):
        settings: Any = context.object.gpbd
        column = self.begin()
        column.active = settings.use_tearing
        draw_value(column, settings, "tear_strength", "N/m", share=NESTED_SHARE)
        draw_value(column, settings, "fracture_energy", "J/m", share=NESTED_SHARE)
        draw_group(column, context, settings, "tear_group", NESTED_SHARE)
        draw_group(column, context, settings.maps, "tear_strength_group", NESTED_SHARE)
        if settings.maps.tear_strength_group:
            draw_value(column, settings.maps, "tear_strength_high", "", share=NESTED_SHARE)
        else:
            draw_note(column, "Paint where it is weaker")
