"""The numbers of the material, one box an energy, as the catalogue of energies describes them."""

from __future__ import annotations

from typing import Any

import bpy

from ...solver import catalog
from .. import properties
from ..identifiers import PANEL
from .gpbd import GpbdPanel
from .value_row import draw_value


class PHYSICS_PT_gpbd_material(GpbdPanel, bpy.types.Panel):
    bl_label = "Material"
    bl_parent_id = PANEL
    bl_options = {"DEFAULT_CLOSED"}  # a card sets it all

    def draw(self, context):
        layout = self.layout
        settings: Any = context.object.gpbd
        column = layout.column(align=True)
        if settings.body_type == "CLOTH":
            draw_value(column, settings, "density_area", "kg/m^2")
            draw_value(column, settings, "material_thickness", "m")
        else:
            draw_value(column, settings, "density_volume", "kg/m^3")
            if len(settings.bl_rna.properties["solid_energy"].enum_items) > 1:
                layout.prop(settings, "solid_energy")
        for name in properties.energies_of(settings):
            _draw_energy(layout, catalog.energies()[name], getattr(settings, name))


def _draw_energy(layout: Any, energy: catalog.Energy, group: Any) -> None:
    box = layout.box()
    box.label(text=energy.label)
    column = box.column(align=True)
    for p in energy.parameters.values():
        draw_value(column, group, p.name, p.unit, p.label.removeprefix(f"{energy.label} "))
