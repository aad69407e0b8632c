"""What an object, body or collider, collides with, and how: the rows that their panels share."""

from __future__ import annotations

from typing import Any

from ..body_kinds import BODY_KINDS
from .value_row import draw_note, draw_value, labelled

#: Of the width: the names here are longer than what Blender gives to labels.
LABEL_SHARE = 0.54


def draw_body_collisions(layout: Any, ob: Any) -> None:
    """All of a body's."""
    settings = ob.gpbd
    kind = BODY_KINDS[settings.body_type]
    header, rows = layout.panel("gpbd_collisions", default_closed=False)
    header.label(text="Collisions", icon="MOD_PHYSICS")
    if rows is None:
        return
    column = rows.column()
    column.use_property_split = False
    if "self_contact" in kind.collision_rows:
        column.prop(settings, "self_contact")
    draw_value(column, settings, "thickness", "m", share=LABEL_SHARE)
    if settings.thickness == 0:
        draw_note(column, f"0 is {kind.automatic_thickness}")
    if "contact_surface" in kind.collision_rows:
        labelled(column, settings, "contact_surface", LABEL_SHARE).prop(settings, "contact_surface", text="")
    labelled(column, settings, "friction", LABEL_SHARE).prop(settings, "friction", text="")
    draw_choice(column, ob)
    if "layer" in kind.collision_rows:
        labelled(column, settings, "layer", LABEL_SHARE).prop(settings, "layer", text="")


def draw_choice(layout: Any, ob: Any) -> None:
    """What it collides with, and with which vertices."""
    settings = ob.gpbd
    labelled(layout, settings, "contact_collection", LABEL_SHARE).prop(settings, "contact_collection", text="")
    field = labelled(layout, settings, "no_contact_group", LABEL_SHARE)
    field.prop_search(settings, "no_contact_group", ob, "vertex_groups", text="")
