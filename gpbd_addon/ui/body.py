"""What the body is: its card, pins, contact; of a soft body its filling, of a rigid one its mass."""

from __future__ import annotations

from typing import Any

import bpy

from ..identifiers import CARD_MENU, PANEL
from ..read import body_material
from .gpbd import GpbdPanel
from .paragraph import draw_paragraph
from .value_row import draw_note, draw_value, draw_vector

#: How a grade is shown: icon and what it says of the numbers.
GRADES: dict[str, tuple[Any, str]] = {
    "measured": ("CHECKMARK", "Measured"),
    "fitted": ("FCURVE", "Fitted to measurements"),
    "estimated": ("QUESTION", "Estimated"),
}


class PHYSICS_PT_gpbd_body(GpbdPanel, bpy.types.Panel):
    bl_label = "Body"
    bl_parent_id = PANEL

    def draw(self, context):
        layout, ob = self.layout, context.object
        settings: Any = ob.gpbd
        rigid = settings.body_type == "RIGID"
        if not rigid:
            _draw_card(layout, context, ob)
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        if rigid:
            column.row().prop(settings, "mass_by", expand=True)
            by_density = settings.mass_by == "DENSITY"
            draw_value(column, settings, *(("density_volume", "kg/m^3") if by_density else ("mass", "kg")))
        else:
            column.prop_search(settings, "pin_group", ob, "vertex_groups", text="Pin Group")
        if settings.body_type == "CLOTH":
            column.prop_search(settings, "uv_map", ob.data, "uv_layers", text="Warp along U", icon="GROUP_UVS")
        elif not rigid:
            column.prop(settings, "tet_method")
            column.prop(settings, "tet_resolution")
            column.prop(settings, "contact_surface")
        _draw_contact(layout, ob)
        draw_vector(layout.column(), settings, "initial_velocity", "m/s")
        if rigid:
            draw_vector(layout.column(), settings, "initial_spin", "rad/s")


def _draw_contact(layout: Any, ob: Any) -> None:
    settings = ob.gpbd
    rigid = settings.body_type == "RIGID"
    column = layout.column()
    if not rigid:
        column.prop(settings, "self_contact")
    column.prop(settings, "friction")
    draw_value(column, settings, "thickness", "m")
    if settings.thickness == 0:
        draw_note(column, "0 is 1 mm" if rigid else "0 is automatic")
    draw_contact_choice(column, ob)
    if not rigid:
        column.prop(settings, "layer", text="Layer" if settings.layer else "Layer (0 is none)")


def draw_contact_choice(layout: Any, ob: Any) -> None:
    """What an object, body or collider, touches and with which vertices."""
    layout.prop(ob.gpbd, "contact_collection")
    layout.prop_search(ob.gpbd, "no_contact_group", ob, "vertex_groups")


def _draw_card(layout: Any, context: bpy.types.Context, ob: Any) -> None:
    settings = ob.gpbd
    changed = body_material.is_changed(ob)
    box = layout.box()
    row = box.row(align=True)
    row.scale_y = 1.3
    name = settings.preset or ("Choose a Fabric" if settings.body_type == "CLOTH" else "Choose a Solid")
    row.menu(CARD_MENU, text=f"{name} (changed)" if changed else name, icon="PRESET")
    row.operator("gpbd.save_preset", text="", icon="FILE_TICK")
    if settings.preset:
        icon, meaning = GRADES["estimated" if changed or settings.preset_grade not in GRADES else settings.preset_grade]
        header, details = box.panel("gpbd_card_source", default_closed=True)
        header.label(text=meaning if not changed else "Numbers changed by hand", icon=icon)
        if details is not None:
            text = settings.preset_source or "The card names no source."
            draw_paragraph(details, context, f"Before the change: {text}" if changed else text)
