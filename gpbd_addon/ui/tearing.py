"""Tearing of a cloth, in *Garment*, and of a rope, in a panel of its own."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from .gpbd import GpbdSubPanel
from .group_row import draw_group
from .label_width import label_share
from .shape import GarmentPanel
from .value_row import draw_choice, draw_note, draw_value


class _Tearing:
    """Rows of both panels: a mixin."""

    layout: Any
    bl_label = "Tearing"

    def draw_header(self, context):
        self.layout.prop(context.object.gpbd, "use_tearing", text="")

    def draw(self, context):
        settings = context.object.gpbd
        self.layout.use_property_split = True
        column = self.layout.column()
        column.active = settings.use_tearing
        names = "rope_strength", "tear_strength", "fracture_energy", "tear_group", "precut_edges", "precut_share"
        share = label_share(settings, *names, unit="N/m")
        if BODY_KINDS[settings.body_type].line:
            draw_value(column, settings, "rope_strength", "N", share=share)
        else:
            draw_value(column, settings, "tear_strength", "N/m", share=share)
            draw_value(column, settings, "fracture_energy", "J/m", share=share)
            draw_group(column, context, settings, "tear_group", share)
            draw_choice(column, settings, "precut_edges", share)
            if settings.precut_edges != "NONE":
                draw_value(column, settings, "precut_share", "", share=share)
        draw_group(column, context, settings.maps, "tear_strength_group", share)
        if settings.maps.tear_strength_group:
            draw_value(column, settings.maps, "tear_strength_high", "", share=share)
        else:
            draw_note(column, "Paint where it is weaker")


class PHYSICS_PT_gpbd_tearing(_Tearing, GarmentPanel, bpy.types.Panel):
    pass


class PHYSICS_PT_gpbd_rope_tearing(_Tearing, GpbdSubPanel, bpy.types.Panel):
    @classmethod
    def poll(cls, context):
        return super().poll(context) and BODY_KINDS[context.object.gpbd.body_type].line
