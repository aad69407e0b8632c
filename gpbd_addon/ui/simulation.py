"""The simulation that all bodies of the scene share: range, accuracy, method and air."""

from __future__ import annotations

from typing import Any

import bpy

from ...solver.scene.qualities import QUALITIES
from ..bake import cache_path, frame_reports
from ..identifiers import PANEL
from ..properties import method_settings
from .gpbd import GpbdPanel
from .paragraph import draw_paragraph
from .value_row import draw_value, draw_vector, labelled

#: Stands among the numbers of the quality, where the method uses it.
KEEP_LENGTH = "global_iterations"
LABEL_SHARE = 0.5  # of the width, in which the names of these numbers have room


class PHYSICS_PT_gpbd_simulation(GpbdPanel, bpy.types.Panel):
    bl_label = "Simulation"
    bl_parent_id = PANEL

    def draw(self, context):
        layout = self.layout
        scene = context.scene
        settings: Any = scene.gpbd
        layout.label(text=f"For all bodies of '{scene.name}'", icon="SCENE_DATA")
        row = layout.row(align=True)
        row.prop(settings, "frame_start", text="Start")
        row.prop(settings, "frame_end", text="End")
        _draw_quality(layout, context, settings)
        _draw_advanced(layout, context, settings)
        _draw_air(layout, settings)
        if not scene.use_gravity:
            layout.label(text="Gravity is off in the Scene tab", icon="INFO")


def _draw_method(layout: Any, context: bpy.types.Context, settings: Any) -> None:
    column = layout.column()
    column.use_property_split, column.use_property_decorate = True, False
    for name in ("method", "integrator"):
        column.prop(settings, name)
        told = column.column()
        told.active = False
        draw_paragraph(told, context, _help(settings, name), "INFO")


def _help(settings: Any, name: str) -> str:
    """What the chosen item of an enum says of itself."""
    return settings.bl_rna.properties[name].enum_items[getattr(settings, name)].description


def _draw_quality(layout: Any, context: bpy.types.Context, settings: Any) -> None:
    dial = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    for name in QUALITIES:
        dial.prop_enum(settings, "quality", name)
    column = layout.column(align=True)
    used = [name for name in method_settings.used_settings(settings) if name == KEEP_LENGTH]
    for name in ("substeps", "iterations", "error_tolerance", *used):
        labelled(column, settings, name, LABEL_SHARE).prop(settings, name, text="")
    body: Any = context.object
    reports = frame_reports.read(cache_path.of(body))
    draw_paragraph(layout, context, cost(settings, reports.seconds_a_frame if reports else 0.0), "TIME")


def _draw_advanced(layout: Any, context: bpy.types.Context, settings: Any) -> None:
    header, advanced = layout.panel("gpbd_advanced", default_closed=True)
    header.label(text="Advanced", icon="PREFERENCES")
    if advanced is None:
        return
    _draw_method(advanced, context, settings)
    column = advanced.column(align=True)
    column.use_property_split, column.use_property_decorate = True, False
    for name in method_settings.used_settings(settings):
        if name != KEEP_LENGTH:
            column.prop(settings, name)
    column.prop(settings, "device")
    column.prop(settings, "threads")


def cost(settings: Any, seconds: float) -> str:
    """What a frame costs, as a sentence. seconds: measured by the last bake, 0 where there is none."""
    iterations = settings.substeps * settings.iterations
    draft = QUALITIES["DRAFT"]
    share = iterations / (draft[0] * draft[1])
    least = "At least " if settings.error_tolerance else ""
    text = f"{least}{iterations} iterations a frame, {share:.3g} times Draft."
    return f"{text} Last bake: {seconds:.2g} s a frame." if seconds else text


def _draw_air(layout: Any, settings: Any) -> None:
    header, air = layout.panel("gpbd_air", default_closed=not any(settings.wind))
    header.label(text="Air", icon="FORCE_WIND")
    if air is None:
        return
    air.use_property_split, air.use_property_decorate = True, False
    draw_vector(air, settings, "wind", "m/s")
    draw_value(air, settings, "air_density", "kg/m^3")
    column = air.column(align=True)
    column.prop(settings, "drag")
    column.prop(settings, "lift")
