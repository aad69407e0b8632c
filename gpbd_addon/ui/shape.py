"""Shape of a cloth: rest shape, shrink, pressure, sewing; and attachments, also of ropes."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from .gpbd import GpbdSubPanel
from .group_row import draw_group
from .label_width import label_share
from .value_row import draw_check, draw_note, draw_value, labelled


class SheetPanel(GpbdSubPanel):
    """Base of panels of cloth alone: a mixin."""

    @classmethod
    def poll(cls, context):
        return super().poll(context) and BODY_KINDS[context.object.gpbd.body_type].sheet


class PHYSICS_PT_gpbd_garment(SheetPanel, bpy.types.Panel):
    bl_label = "Garment"

    def draw(self, context):
        """Draw nothing: the rows are in the nested panels."""


class GarmentPanel(SheetPanel):
    """Base of the nested panels: a mixin."""

    layout: Any
    bl_parent_id = "PHYSICS_PT_gpbd_garment"

    def begin(self) -> Any:
        """The column of its rows."""
        self.layout.use_property_split = True
        return self.layout.column()


class PHYSICS_PT_gpbd_shape(GarmentPanel, bpy.types.Panel):
    bl_label = "Shape"

    def draw(self, context):
        column, ob = self.begin(), context.object
        settings = ob.gpbd
        share = label_share(settings, "rest_shape_key", "vertex_group_shrink", "shrink_min", "shrink_max")
        keys = ob.data.shape_keys
        rest = column.column()
        rest.active = not settings.use_dynamic_mesh
        field = labelled(rest, settings, "rest_shape_key", share)
        if keys is not None:
            field.prop_search(settings, "rest_shape_key", keys, "key_blocks", text="")
        else:
            field.prop(settings, "rest_shape_key", text="")
        draw_check(column, settings, "use_dynamic_mesh", share)
        draw_shrink(column, context, settings, share)


def draw_shrink(column: Any, context: bpy.types.Context, settings: Any, share: float) -> None:
    """Group, and shares at its weights 0 and 1. share: of the width, for the labels."""
    draw_group(column, context, settings, "vertex_group_shrink", share)
    draw_value(column, settings, "shrink_min", "", share=share)
    most = column.column()
    most.active = bool(settings.vertex_group_shrink)
    draw_value(most, settings, "shrink_max", "", share=share)


class PHYSICS_PT_gpbd_pressure(GarmentPanel, bpy.types.Panel):
    bl_label = "Pressure"

    def draw_header(self, context):
        self.layout.prop(context.object.gpbd, "use_pressure", text="")

    def draw(self, context):
        column, ob = self.begin(), context.object
        settings = ob.gpbd
        share = label_share(
            settings, "uniform_pressure_force", "pressure_factor", "target_volume", "fluid_density", "vertex_group_pressure",
            unit="kg/m³",
        )  # fmt: skip
        column.active = settings.use_pressure
        draw_value(column, settings, "uniform_pressure_force", "Pa", share=share)
        draw_value(column, settings, "pressure_factor", "Pa", share=share)
        draw_check(column, settings, "use_pressure_volume", share)
        volume_column = column.column()
        volume_column.active = settings.use_pressure_volume
        draw_value(volume_column, settings, "target_volume", "m³", share=share)
        draw_value(column, settings, "fluid_density", "kg/m^3", share=share)
        draw_group(column, context, settings, "vertex_group_pressure", share)


class PHYSICS_PT_gpbd_sewing(GarmentPanel, bpy.types.Panel):
    bl_label = "Sewing"

    def draw_header(self, context):
        self.layout.prop(context.object.gpbd, "use_sewing_springs", text="")

    def draw(self, context):
        column, ob = self.begin(), context.object
        settings = ob.gpbd
        share = label_share(
            settings, "sewing_force_max", "seam_strength", "sewing_strength", "vertex_group_sewing", unit="N/m"
        )
        column.active = settings.use_sewing_springs
        draw_value(column, settings, "sewing_force_max", "N/m", share=share)
        if settings.sewing_force_max == 0:
            draw_note(column, "0 is any force")
        draw_value(column, settings, "seam_strength", "N/m", share=share)
        draw_value(column, settings, "sewing_strength", "", share=share)
        draw_group(column, context, settings, "vertex_group_sewing", share)


class PHYSICS_PT_gpbd_attachments(GarmentPanel, bpy.types.Panel):
    bl_label = "Attachments"

    def draw(self, context):
        _draw_attachments(self.begin(), context)


class PHYSICS_PT_gpbd_rope_attachments(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Attachments"

    @classmethod
    def poll(cls, context):
        kind = BODY_KINDS[context.object.gpbd.body_type] if super().poll(context) else None
        return kind is not None and kind.attached and not kind.sheet

    def draw(self, context):
        self.layout.use_property_split = True
        _draw_attachments(self.layout.column(), context)


def _draw_attachments(column: bpy.types.UILayout, context: bpy.types.Context) -> None:
    ob = context.object
    for number, item in enumerate(ob.gpbd.attachments):
        share = label_share(item, "target", "vertex_group", "distance")
        box = column.box()
        row = box.row(align=True)
        labelled(row.column(), item, "target", share).prop(item, "target", text="")
        row.operator("gpbd.remove_attachment", text="", icon="X").index = number
        draw_group(box, context, item, "vertex_group", share)
        labelled(box, item, "distance", share).prop(item, "distance", text="")
    column.operator("gpbd.add_attachment", icon="ADD")
