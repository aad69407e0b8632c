"""Collision rows that the panels of bodies and colliders share."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from .gpbd import GpbdSubPanel
from .group_row import draw_group
from .value_row import draw_note, draw_value, labelled

#: Of the width: the names here are longer than what Blender gives to labels.
LABEL_SHARE = 0.54


class PHYSICS_PT_gpbd_collisions(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Collisions"

    def draw(self, context):
        _draw_body_collisions(self.layout.column(), context)


def _draw_body_collisions(column: Any, context: bpy.types.Context) -> None:
    ob: Any = context.object
    settings = ob.gpbd
    kind = BODY_KINDS[settings.body_type]
    column.prop(settings, "object_contact")
    if "self_contact" in kind.collision_rows:
        column.prop(settings, "self_contact")
    draw_value(column, settings, "thickness", "m", share=LABEL_SHARE)
    if settings.thickness == 0:
        draw_note(column, kind.automatic_thickness)
    if "contact_surface" in kind.collision_rows:
        labelled(column, settings, "contact_surface", LABEL_SHARE).prop(settings, "contact_surface", text="")
    row = labelled(column, settings, "friction", LABEL_SHARE)
    row.prop(settings, "friction", text="")
    row.prop_decorator(settings, "friction")
    draw_choice(column, context, ob)
    if "layer" in kind.collision_rows:
        labelled(column, settings, "layer", LABEL_SHARE).prop(settings, "layer", text="")


def draw_choice(layout: Any, context: bpy.types.Context, ob: Any) -> None:
    """Draw the collision partners of an object, and the vertices that collide."""
    settings = ob.gpbd
    labelled(layout, settings, "contact_collection", LABEL_SHARE).prop(settings, "contact_collection", text="")
    field = labelled(layout, settings, "no_contact_group", LABEL_SHARE)
    draw_group(field, context, settings, "no_contact_group", text="")
