"""Tearing of a cloth."""

from __future__ import annotations

from typing import Any

import bpy

from .shape import SheetPanel
from .value_row import draw_note, draw_value


class PHYSICS_PT_gpbd_tearing(SheetPanel, bpy.types.Panel):
    bl_label = "Tearing"

    def draw_header(self, context):
        self.layout.prop(context.object.gpbd, "use_tearing", text="")

    def draw(self, context):
        ob: Any = context.object
        settings, column = ob.gpbd, self.layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        column.active = settings.use_tearing
        draw_value(column, settings, "tear_strength", "N/m")
        draw_value(column, settings, "fracture_energy", "J/m")
        column.prop_search(settings, "tear_group", ob, "vertex_groups")
        column.prop_search(settings.maps, "tear_strength_group", ob, "vertex_groups")
        if settings.maps.tear_strength_group:
            column.prop(settings.maps, "tear_strength_high")
        else:
            draw_note(column, "Paint where it is weaker")
