"""What the body is: its preset, pins, collisions; of a soft body its filling, of a rigid one its mass."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from ..identifiers import PANEL, PRESET_MENU
from ..read import body_material
from .collisions import draw_body_collisions
from .gpbd import GpbdPanel
from .paragraph import draw_paragraph
from .value_row import draw_value, draw_vector

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
        kind = BODY_KINDS[settings.body_type]
        if kind.material is not None:
            _draw_preset(layout, context, ob)
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        for row in kind.rows:
            if row in VECTORS:
                draw_vector(layout.column(), settings, row, VECTORS[row])
            elif row in DRAWN:
                DRAWN[row](column, ob)
            else:
                column.prop(settings, row)
        draw_body_collisions(layout, ob)


def _draw_mass(column: Any, ob: Any) -> None:
    column.row().prop(ob.gpbd, "mass_by", expand=True)
    by_density = ob.gpbd.mass_by == "DENSITY"
    draw_value(column, ob.gpbd, *(("density_volume", "kg/m^3") if by_density else ("mass", "kg")))


def _draw_pin_group(column: Any, ob: Any) -> None:
    column.prop_search(ob.gpbd, "pin_group", ob, "vertex_groups")


def _draw_uv_map(column: Any, ob: Any) -> None:
    column.prop_search(ob.gpbd, "uv_map", ob.data, "uv_layers", icon="GROUP_UVS")


#: Row of `BodyKind.rows` -> what draws it, where Blender's own row is not enough; and the unit of vectors.
DRAWN = {"mass_by": _draw_mass, "pin_group": _draw_pin_group, "uv_map": _draw_uv_map}
VECTORS = {"initial_velocity": "m/s", "initial_spin": "rad/s"}


def _draw_preset(layout: Any, context: bpy.types.Context, ob: Any) -> None:
    settings = ob.gpbd
    changed = body_material.is_changed(ob)
    box = layout.box()
    fabric = BODY_KINDS[settings.body_type].material == "fabric"
    box.label(text="Fabric Preset" if fabric else "Material Preset", icon="PRESET")
    name = settings.preset or ("Choose a Fabric" if fabric else "Choose a Solid")
    row = box.row(align=True)
    row.scale_y = 1.3
    row.menu(PRESET_MENU, text=f"{name} (changed)" if changed else name)
    row.operator("gpbd.save_preset", text="", icon="FILE_TICK")
    if settings.preset:
        icon, meaning = GRADES["estimated" if changed or settings.preset_grade not in GRADES else settings.preset_grade]
        header, details = box.panel("gpbd_preset_source", default_closed=True)
        header.label(text=meaning if not changed else "Numbers changed by hand", icon=icon)
        if details is not None:
            text = settings.preset_source or "The preset names no source."
            draw_paragraph(details, context, f"Before the change: {text}" if changed else text)
