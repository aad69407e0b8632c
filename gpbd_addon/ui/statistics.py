"""Statistics on the accuracy of the bake at the current frame."""

from __future__ import annotations

import bpy

from ...solver.counted import counted
from ..bake import cache_path, frame_reports, overview
from ..bake.statistics import shown
from ..maps import heat_map, statistics_curves
from .gpbd import GpbdSubPanel
from .paragraph import draw_paragraph


class PHYSICS_PT_gpbd_statistics(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Statistics"

    def draw(self, context):
        layout, ob = self.layout, context.object
        reports = overview.of(context.scene).reports.get(cache_path.of(ob))
        if reports is None:
            draw_paragraph(layout, context, "Bake to see the numbers", "INFO")
            return
        _draw_numbers(layout, context, ob.name, reports)
        row = layout.row(align=True)
        row.operator("gpbd.show_statistics", text="Show in Graph Editor", icon="FCURVE")
        if statistics_curves.has(ob):
            row.operator("gpbd.show_statistics", text="", icon="X").remove = True
        row.operator("gpbd.export_statistics", text="", icon="EXPORT")
        _draw_heat_map(layout, context, ob)
        column = layout.column(align=True)
        column.operator("gpbd.contact_map", icon="MOD_PHYSICS", depress=ob.gpbd.contact_map)
        column.operator("gpbd.find_intersections", icon="SELECT_INTERSECT")


def _draw_numbers(layout: bpy.types.UILayout, context: bpy.types.Context, body: str, reports: frame_reports.Reports) -> None:
    frame = context.scene.frame_current
    numbers = reports.at(frame)
    box = layout.box()
    if not numbers:
        last = reports.start + len(reports.frames) - 1
        text = f"Frame {frame} was not solved; the first solved one is {reports.start + 1}, the last {last}."
        draw_paragraph(box, context, text, "INFO")
    else:
        box.label(text="This frame, all bodies", icon="INFO")
        columns = box.split(factor=0.64)
        left, right = columns.column(align=True), columns.column(align=True)
        for _, label, text in shown(numbers, body):
            left.label(text=label)
            right.label(text=text)
    above = reports.above_error()
    if above:
        tolerance = 1e3 * (reports.error_tolerance or 0.0)
        text = f"{counted(len(above), 'frame', 'frames')} kept a solver error above {tolerance:g} mm (first: {above[0][0]})."
        draw_paragraph(layout, context, text, "ERROR")


def _draw_heat_map(layout: bpy.types.UILayout, context: bpy.types.Context, ob: bpy.types.Object) -> None:
    settings = context.scene.gpbd
    column = layout.column(align=True)
    column.operator("gpbd.stretch_heat_map", text="Heat Map", icon="COLOR", depress=ob.gpbd.heat_map)
    column.prop(settings, "heat_map_range_percent")
    header = overview.of(context.scene).headers.get(cache_path.of(ob))
    problem = heat_map.problem(ob, header) if ob.gpbd.heat_map else ""
    if problem:
        draw_paragraph(layout, context, problem, "ERROR")
