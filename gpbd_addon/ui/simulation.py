"""The simulation that all bodies of the scene share: accuracy, method and air."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ..properties import method_settings
from . import device, quality
from .field_weights import draw_air
from .gpbd import GpbdSubPanel
from .label_width import label_share
from .value_row import draw_field, draw_vector, labelled

if TYPE_CHECKING:
    from ..properties.scene_properties import GPBD_PG_scene

#: Stands among the numbers of the quality, where the method uses it.
KEEP_LENGTH = "global_iterations"
ROWS = ("substeps", "iterations", "error_tolerance", KEEP_LENGTH, "samples", "speed")


class PHYSICS_PT_gpbd_simulation(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Simulation"

    def draw(self, context):
        layout = self.layout
        scene = context.scene
        settings = scene.gpbd
        share = label_share(settings, *ROWS)
        _draw_accuracy(layout, settings, share)
        quality.draw_cost(layout, context)
        labelled(layout, settings, "samples", share).prop(settings, "samples", text="")
        speed = labelled(layout, settings, "speed", share)
        speed.prop(settings, "speed", text="")
        speed.prop_decorator(settings, "speed")
        _draw_advanced(layout, context, settings)
        _draw_air(layout, settings)
        if not scene.use_gravity:
            layout.label(text="Gravity is off in the Scene tab", icon="INFO")


def _draw_accuracy(layout: bpy.types.UILayout, settings: GPBD_PG_scene, share: float) -> None:
    column = layout.column(align=True)
    used = [name for name in method_settings.used_settings(settings) if name == KEEP_LENGTH]
    for name in ("substeps", "iterations", "error_tolerance", *used):
        labelled(column, settings, name, share).prop(settings, name, text="")


def _draw_advanced(layout: bpy.types.UILayout, context: bpy.types.Context, settings: GPBD_PG_scene) -> None:
    header, advanced = layout.panel("gpbd_advanced", default_closed=True)
    header.label(text="Advanced", icon="PREFERENCES")
    if advanced is None:
        return
    column = advanced.column(align=True)
    used = [name for name in method_settings.used_settings(settings) if name != KEEP_LENGTH]
    draw_field(column, settings, "method", "integrator", *used, "threads")
    device.draw_device(advanced, context, settings)


def _draw_air(layout: bpy.types.UILayout, settings: Any) -> None:
    header, air = layout.panel("gpbd_air", default_closed=not any(settings.wind))
    header.label(text="Air", icon="FORCE_WIND")
    if air is None:
        return
    air.use_property_split, air.use_property_decorate = True, False
    draw_vector(air, settings, "wind")
    draw_air(air, settings)
