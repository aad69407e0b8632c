"""Collision partners, side and least thickness of a collider: the rest is in Blender's own Collision panel."""

from __future__ import annotations

import bpy

from . import value_row
from .collisions import ROWS, draw_partners
from .gpbd import GpbdPanel
from .label_width import label_share


class PHYSICS_PT_gpbd_collider(GpbdPanel, bpy.types.Panel):
    bl_label = "GPBD Collider"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        if ob is None or ob.type != "MESH" or ob.gpbd.body_type != "NONE":
            return False
        return ob.collision is not None and ob.collision.use

    def draw(self, context):
        column, settings = self.layout.column(), context.object.gpbd
        share = label_share(settings, *ROWS)
        draw_partners(column, context, context.object)
        value_row.draw_choice(column, settings, "collider_side", share)
        column.prop(settings, "own_thickness")
        row = column.column()
        row.active = settings.own_thickness
        value_row.draw_value(row, settings, "outer_thickness", "m", share=share)
