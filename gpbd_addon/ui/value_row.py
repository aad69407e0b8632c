"""Numbers of a panel, with their units beside them."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties.display_units import display_unit
from ..properties.number import field_of, is_shown_scaled, unit_scale
from ..translations import tr
from .label_width import BOX, CHECK_BOX, DOT, LABEL_SHARE, MENU, has_room, row_width, share_of, unit_width


def draw_value(
    layout: bpy.types.UILayout,
    group: bpy.types.bpy_struct,
    name: str,
    unit: str,
    text: str | None = None,
    share: float = LABEL_SHARE,
) -> None:
    """Label, field and unit in a row. unit: the SI unit of the value; it is shown in that of `display_units`.

    text: instead of the name of the value. share: of the width, for the label.
    """
    shown = f"{name}_shown" if is_shown_scaled(group, name) else name
    prop, shown_unit = group.bl_rna.properties[name], display_unit(unit)
    written = "" if shown_unit.blender != "NONE" else unit if shown == name and shown_unit.scale != 1 else shown_unit.label
    pixels = unit_width(written) + DOT * prop.is_animatable  # or Blender writes it into the field
    room = pixels / row_width()
    name_shown = _above(layout, tr(prop.name if text is None else text), share)
    label, field, right = _columns(layout, share, room)
    label.label(text=name_shown)
    field.prop(group, field_of(group, name), text="")
    row = right.row()
    if written:
        row.label(text=written)
    if prop.is_animatable:
        row.prop_decorator(group, field_of(group, name))  # of the field: Blender looks for the button that it keys


def draw_vector(layout: bpy.types.UILayout, group: bpy.types.bpy_struct, name: str) -> None:
    """X, Y and Z under one another, with the dots that key what can be animated."""
    prop = group.bl_rna.properties[name]
    shown = f"{name}_shown" if is_shown_scaled(group, name) and unit_scale() != 1 else name
    room = DOT / row_width() * prop.is_animatable
    first = f"{tr(prop.name)} X"
    share = share_of(first)
    if not has_room(first, share):
        layout.label(text=tr(prop.name))
        first, share = "X", LABEL_SHARE
    label, field, right = _columns(layout, share, room)
    for k, axis in enumerate("XYZ"):
        label.label(text=axis if k else first)
        field.prop(group, shown, index=k, text="")
        if prop.is_animatable:
            right.row().prop_decorator(group, shown, index=k)


def draw_note(layout: bpy.types.UILayout, text: str) -> None:
    """A remark under the field of the row above."""
    row = layout.row()
    row.alignment, row.active = "RIGHT", False
    row.label(text=text)


def labelled(
    layout: bpy.types.UILayout, group: bpy.types.bpy_struct, name: str, share: float, text: str | None = None
) -> Any:
    """Draw the name of a value; give the layout for its field. share: of the width, for the name. text:
    instead of it, translated."""
    shown = _above(layout, tr(group.bl_rna.properties[name].name) if text is None else text, share)
    halves = layout.split(factor=share)
    halves.use_property_split = halves.use_property_decorate = False
    label = halves.row()
    label.alignment = "RIGHT"
    label.label(text=shown)
    return halves.row()


def draw_number(
    layout: bpy.types.UILayout, group: bpy.types.bpy_struct, name: str, share: float, slider: bool = False
) -> None:
    """A number without a unit of ours, with the dot that keys it. share: of the width, for the label."""
    row = labelled(layout, group, name, share)
    row.prop(group, name, text="", slider=slider)
    row.prop_decorator(group, name)


def draw_field(layout: bpy.types.UILayout, group: bpy.types.bpy_struct, *names: str) -> None:
    """Draw values of any kind without units of ours or dots, in a row each, with the share of the longest name."""
    share = share_of(*(tr(group.bl_rna.properties[name].name) for name in names))
    for name in names:
        if group.bl_rna.properties[name].type == "BOOLEAN":
            draw_check(layout, group, name, share)
        elif group.bl_rna.properties[name].type == "ENUM":
            draw_choice(layout, group, name, share)
        else:
            labelled(layout, group, name, share).prop(group, name, text="")


def draw_choice(layout: bpy.types.UILayout, group: bpy.types.bpy_struct, name: str, share: float) -> None:
    """A menu; under its label where the chosen item has no room beside it. share: of the width, for the label."""
    chosen = tr(bpy.types.UILayout.enum_item_name(group, name, getattr(group, name)))
    if has_room(chosen, 1 - share - (MENU + BOX) / row_width()):
        labelled(layout, group, name, share).prop(group, name, text="")
    else:
        layout.label(text=tr(group.bl_rna.properties[name].name))
        layout.row().prop(group, name, text="")


def draw_check(layout: bpy.types.UILayout, group: bpy.types.bpy_struct, name: str, share: float) -> None:
    """A check box in the column of the fields, or of a row where its name has no room. share: of the width, for the names
    beside it."""
    name_width = CHECK_BOX / row_width()
    fits = has_room(tr(group.bl_rna.properties[name].name), 1 - share - name_width)
    halves = layout.split(factor=share if fits else name_width)
    halves.use_property_split = halves.use_property_decorate = False
    halves.row()
    halves.row().prop(group, name)


def _above(layout: bpy.types.UILayout, text: str, share: float) -> str:
    """Draw a label without room in a row of its own. layout: a column. Returns the text for the row of the field."""
    if has_room(text, share):
        return text
    layout.label(text=text)
    return ""


def _columns(layout: bpy.types.UILayout, share: float, unit_share: float) -> tuple[Any, Any, Any]:
    """For labels, fields and units. Shares: of the width."""
    halves = layout.split(factor=share)
    halves.use_property_split = halves.use_property_decorate = False  # the label is ours, and the dot too
    label = halves.column(align=True)
    label.alignment = "RIGHT"
    rest = halves.split(factor=1 - unit_share / (1 - share))
    return label, rest.column(align=True), rest.column(align=True)
