"""Tearing of a cloth or a rope."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from .gpbd import GpbdSubPanel
from .value_row import draw_note, draw_value


class PHYSICS_PT_gpbd_tearing(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Tearing"

    @classmethod
    def poll(cls, context):
        kind = BODY_KINDS[context.object.gpbd.body_type] if super().poll(context) else None
        return kind is not None and (kind.sheet or kind.line)

    def draw_header(self, context):
        self.layout.prop(context.object.gpbd, "use_tearing", text="")

    def draw(self, context):
        ob: Any = context.object
        settings, column = ob.gpbd, self.layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        column.active = settings.use_tearing
        if BODY_KINDS[settings.body_type].line:
            draw_value(column, settings, "rope_strength", "N")
        else:
            draw_value(column, settings, "tear_strength", "N/m")
            draw_value(column, settings, "fracture_energy", "J/m")
            column.prop_search(settings, "tear_group", ob, "vertex_groups")
        column.prop_search(settings.maps, "tear_strength_group", ob, "vertex_groups")
        if settings.maps.tear_strength_group:
            column.prop(settings.maps, "tear_strength_high")
        else:
            draw_note(column, "Paint where it is weaker")
