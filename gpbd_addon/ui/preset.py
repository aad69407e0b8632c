"""The material preset of a body: the menu, and how far its numbers can be trusted."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import material_of
from ..identifiers import GALLERY, PRESET_MENU
from ..read import body_material, slot_presets
from ..translations import tr
from .paragraph import draw_paragraph

NO_ICON = "BLANK1"
#: Display of a grade: icon and its statement on the numbers.
GRADES: dict[str, tuple[Any, str]] = {
    "measured": ("CHECKMARK", "Measured"),
    "fitted": ("FCURVE", "Fitted to measurements"),
    "estimated": (NO_ICON, "Estimated"),
}
#: Statement -> its short form for a header.
SHORT = {"Fitted to measurements": "Fitted"}


def draw_menu(layout: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    """Its name on the menu; beside it what saves the numbers under a new one."""
    fabric = material_of(ob.gpbd.body_type) == "fabric"
    name = ob.gpbd.preset or ("Choose a Fabric" if fabric else "Choose a Solid")
    row = layout.row(align=True)
    row.scale_y = 1.2
    row.menu(PRESET_MENU, text=tr(f"{name} (changed)") if body_material.is_changed(ob) else name, icon="PRESET")
    row.popover(GALLERY, text="", icon="IMAGE_DATA")
    row.operator("gpbd.save_preset", text="", icon="FILE_TICK")


def draw_slots(layout: bpy.types.UILayout, context: bpy.types.Context, ob: bpy.types.Object) -> None:
    """Name the presets of the material slots of a cloth: their faces ignore the preset of the menu."""
    names = dict.fromkeys(filter(None, slot_presets.names(ob)))
    if names and material_of(ob.gpbd.body_type) == "fabric":
        draw_paragraph(layout, context, f"Slot Materials: {'; '.join(names)}", "MATERIAL")


def draw_source(layout: bpy.types.UILayout, context: bpy.types.Context, ob: bpy.types.Object) -> None:
    """Draw the source of the numbers, under a header with their grade."""
    settings = ob.gpbd
    if not settings.preset:
        return
    changed = body_material.is_changed(ob)
    icon, meaning = GRADES["estimated" if changed or settings.preset_grade not in GRADES else settings.preset_grade]
    header, details = layout.panel("gpbd_preset_source", default_closed=True)
    row = header.row()
    row.alignment = "LEFT"  # as wide as their texts: a header halves its width
    row.label(text="Source")
    row.label(text="Changed by hand" if changed else SHORT.get(meaning, meaning), icon=icon)
    if details is not None:
        text = settings.preset_source or "The preset names no source."
        draw_paragraph(details, context, f"Before the change: {text}" if changed else text)
