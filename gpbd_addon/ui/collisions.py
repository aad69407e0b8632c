"""Collision rows that the panels of bodies and colliders share."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from . import value_row
from .gpbd import GpbdSubPanel
from .group_row import draw_group
from .label_width import label_share

#: Rows of bodies, and rows of bodies and colliders: all have one share of labels.
ROWS = ("thickness", "self_thickness", "friction", "contact_collection", "no_contact_group", "contact_surface", "layer")


class PHYSICS_PT_gpbd_collisions(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Collisions"

    def draw(self, context):
        _draw_body_collisions(self.layout.column(), context)


def _draw_body_collisions(column: bpy.types.UILayout, context: bpy.types.Context) -> None:
    ob: Any = context.object
    settings = ob.gpbd
    kind, share = BODY_KINDS[settings.body_type], label_share(settings, *ROWS)
    column.prop(settings, "object_contact")
    if "self_contact" in kind.collision_rows:
        column.prop(settings, "self_contact")
    value_row.draw_value(column, settings, "thickness", "m", share=share)
    if settings.thickness == 0:
        value_row.draw_note(column, kind.automatic_thickness)
    if "self_contact" in kind.collision_rows:
        value_row.draw_value(column, settings, "self_thickness", "m", share=share)
        if settings.self_thickness == 0:
            value_row.draw_note(column, "0 is as above")
    if "contact_surface" in kind.collision_rows:
        value_row.draw_choice(column, settings, "contact_surface", share)
    row = value_row.labelled(column, settings, "friction", share)
    row.prop(settings, "friction", text="")
    row.prop_decorator(settings, "friction")
    draw_partners(column, context, ob)
    if "layer" in kind.collision_rows:
        value_row.labelled(column, settings, "layer", share).prop(settings, "layer", text="")


def draw_partners(layout: bpy.types.UILayout, context: bpy.types.Context, ob: bpy.types.Object) -> None:
    """Draw the collision partners of an object, and the vertices that collide."""
    settings, share = ob.gpbd, label_share(ob.gpbd, *ROWS)
    value_row.labelled(layout, settings, "contact_collection", share).prop(settings, "contact_collection", text="")
    field = value_row.labelled(layout, settings, "no_contact_group", share)
    draw_group(field, context, settings, "no_contact_group", text="")
