"""The world that all bodies of the scene share: range, accuracy and air."""

from __future__ import annotations

from typing import Any

import bpy

from ..identifiers import PANEL
from ..properties import QUALITIES
from .gpbd import GpbdPanel
from .value_row import draw_value, draw_vector


class PHYSICS_PT_gpbd_world(GpbdPanel, bpy.types.Panel):
    bl_label = "World"
    bl_parent_id = PANEL

    def draw(self, context):
        layout = self.layout
        scene = context.scene
        settings: Any = scene.gpbd
        layout.label(text=f"Shared by all GPBD bodies of '{scene.name}'", icon="SCENE_DATA")
        row = layout.row(align=True)
        row.prop(settings, "frame_start", text="Start")
        row.prop(settings, "frame_end", text="End")
        row = layout.row(align=True)
        for name in QUALITIES:
            row.prop_enum(settings, "quality", name)
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column(align=True)
        column.prop(settings, "substeps")
        column.prop(settings, "iterations")
        column.prop(settings, "global_iterations")
        column = layout.column(align=True)
        column.prop(settings, "device")
        column.prop(settings, "threads", text="Threads" if settings.threads else "Threads (0 is all)")
        _draw_air(layout, settings)
        if not scene.use_gravity:
            layout.label(text="Gravity is off in the Scene tab", icon="INFO")


def _draw_air(layout: Any, settings: Any) -> None:
    header, air = layout.panel("gpbd_air", default_closed=not any(settings.wind))
    header.label(text="Air", icon="FORCE_WIND")
    if air is None:
        return
    draw_vector(air, settings, "wind", "m/s")
    draw_value(air, settings, "air_density", "kg/m^3")
    column = air.column(align=True)
    column.prop(settings, "drag")
    column.prop(settings, "lift")
