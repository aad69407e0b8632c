"""Energies of the material, and their numbers: a choice for stretch and bend or for the solid, and additional energies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...solver.scene import catalog
from ...solver.scene.material import KINDS
from ..body_kinds import material_of
from ..properties import energy_choices
from ..read import slot_presets
from ..read.body_material import density_property
from ..translations import tr
from . import fabric_of_yarns, preset
from .gpbd import GpbdSubPanel
from .label_width import LABEL_PADDING, row_width, text_width
from .paragraph import draw_paragraph
from .value_row import draw_choice, draw_value

if TYPE_CHECKING:
    from ..properties.object_properties import GPBD_PG_object

#: Element of the material -> property that chooses its energy.
CHOICES = {energy_choices.STRETCH: "stretch_model", energy_choices.BEND: "bend_model", energy_choices.SOLID: "solid_model"}
CHOICES[energy_choices.SHAPE] = "shape_model"
ROPE_CHOICES = {energy_choices.STRETCH: "rope_stretch_model", energy_choices.BEND: "rope_bend_model"}
#: Share of the width for the label of a choice: names of models are long.
CHOICE_SHARE = 0.29
#: Share of the width for the label of a number: Blender cuts the last digits of a number without room.
NUMBER_SHARE = 0.34


class PHYSICS_PT_gpbd_material(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Material"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and material_of(context.object.gpbd.body_type) is not None

    def draw(self, context):
        layout = self.layout
        settings: Any = context.object.gpbd
        kind = material_of(settings.body_type)
        assert kind is not None  # see `poll`
        preset.draw_source(layout, context, context.object)
        column = layout.column(align=True)
        if kind == "fabric":
            draw_value(column, settings, "density_area", "kg/m^2", share=NUMBER_SHARE)
            draw_value(column, settings, "material_thickness", "m", "Thickness", NUMBER_SHARE)
        else:
            unit = KINDS[kind].density_unit
            draw_value(column, settings, density_property(kind), unit, share=NUMBER_SHARE)
        for place in energy_choices.PLACES[kind]:
            names = energy_choices.offered(kind, place)
            if place == energy_choices.ADDED:
                _draw_added(layout, settings, names)
            else:
                _draw_model(layout, context, settings, (ROPE_CHOICES if kind == "rope" else CHOICES)[place], names)
        if kind == "fabric":
            _draw_slots(layout, context)


def _draw_slots(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    ob: Any = context.object
    header, slots = layout.panel("gpbd_slot_materials", default_closed=not any(slot_presets.names(ob)))
    header.label(text="Slot Materials", icon="MATERIAL")
    if slots is None:
        return
    materials = [slot.material for slot in ob.material_slots if slot.material is not None]
    if not materials:
        draw_paragraph(slots, context, "Faces can be another fabric", "INFO")
    column = slots.column(align=True)
    column.use_property_split, column.use_property_decorate = True, False
    for material in dict.fromkeys(materials):
        column.prop(material, "gpbd_preset", text=material.name)


def _draw_model(
    layout: bpy.types.UILayout, context: bpy.types.Context, settings: GPBD_PG_object, choice: str, names: list[str]
) -> None:
    """Draw the choice, and the numbers of the chosen energy. names: of the energies to choose from."""
    box = layout.box()
    label = tr(settings.bl_rna.properties[choice].name)
    share = max(CHOICE_SHARE, (text_width(label) + LABEL_PADDING) / row_width())
    draw_choice(box, settings, choice, share)
    used = [name for name in names if getattr(settings, name).use]
    for name in used:
        if len(used) > 1:
            box.label(text=catalog.energies()[name].label)
        _draw_numbers(box, name, getattr(settings, name), settings.bl_rna.properties[choice].name)
        if catalog.energies()[name].has_table:
            fabric_of_yarns.draw(box, context, settings)


def _draw_added(layout: bpy.types.UILayout, settings: GPBD_PG_object, names: list[str]) -> None:
    """A check box for each, and below it its numbers where it is set."""
    box = layout.box()
    box.label(text="Limits" if material_of(settings.body_type) == "fabric" else "Added")
    for name in names:
        group = getattr(settings, name)
        box.prop(group, "use", text=catalog.energies()[name].label)
        if group.use:
            _draw_numbers(box, name, group)


def _draw_numbers(layout: bpy.types.UILayout, name: str, group: bpy.types.bpy_struct, known: str = "") -> None:
    """Draw the numbers of an energy. known: description above them, not repeated at each."""
    column = layout.column(align=True)
    for p in catalog.energies()[name].parameters.values():
        draw_value(column, group, p.name, p.unit, p.label.removeprefix(f"{known} "), NUMBER_SHARE)
