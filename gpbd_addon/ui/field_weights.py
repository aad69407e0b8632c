"""Weights of force fields, gravity and air on a body: rows as in Blender's own Field Weights."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from ..properties.effector_weights import KINDS
from .gpbd import GpbdSubPanel
from .label_width import label_share
from .value_row import draw_number, draw_value, labelled


class PHYSICS_PT_gpbd_field_weights(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Field Weights"

    def draw(self, context):
        layout, settings = self.layout, context.object.gpbd
        layout.use_property_split = True
        weights = settings.effector_weights
        names, of_body = ("gravity", "all", *KINDS), ("charge", "point_size")
        field = labelled(layout, weights, "collection", label_share(weights, "collection"))
        field.prop(weights, "collection", text="")
        share = max(label_share(weights, *names), label_share(settings, *of_body))
        column = layout.column(align=True)
        for name in names:
            draw_number(column, weights, name, share, slider=True)
        column = layout.column(align=True)
        for name in of_body:
            draw_number(column, settings, name, share)


class PHYSICS_PT_gpbd_air(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Override Air"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and BODY_KINDS[context.object.gpbd.body_type].material is not None

    def draw_header(self, context):
        self.layout.prop(context.object.gpbd, "own_air", text="")

    def draw(self, context):
        layout, settings = self.layout, context.object.gpbd
        layout.use_property_split = True
        layout.active = settings.own_air
        draw_air(layout, settings)


def draw_air(layout: bpy.types.UILayout, settings: bpy.types.bpy_struct) -> None:
    """Density and resistance of the air. settings: of the scene, or of a body."""
    share = label_share(settings, "air_density", "drag", "lift", unit="kg/m³")
    draw_value(layout, settings, "air_density", "kg/m^3", share=share)
    column = layout.column(align=True)
    draw_number(column, settings, "drag", share)
    draw_number(column, settings, "lift", share)


def draw_wind(self: bpy.types.Panel | bpy.types.Menu, context: bpy.types.Context) -> None:
    """Under Blender's own rows of a Wind field."""
    ob = context.object
    if ob is not None and ob.field is not None and ob.field.type == "WIND":
        self.layout.use_property_split = True
        self.layout.prop(ob.gpbd, "wind_as_air")


FIELD_PANEL: Any = bpy.types.PHYSICS_PT_field


def register() -> None:
    FIELD_PANEL.append(draw_wind)


def unregister() -> None:
    FIELD_PANEL.remove(draw_wind)
