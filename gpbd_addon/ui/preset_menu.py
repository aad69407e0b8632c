"""The menus of material presets, by category: for the active body, and for all selected ones."""

from __future__ import annotations

import bpy

from ...solver.scene.presets import Preset, list_presets
from ..body_kinds import material_of
from ..identifiers import PRESET_MENU, SELECTED_PRESET_MENU
from ..user_folder import user_presets_folder
from .preset import GRADES, NO_ICON

COLUMN_ROWS = 12


class GPBD_MT_presets(bpy.types.Menu):
    """Materials with numbers of their own kind; type to search"""

    bl_label = "Material Presets"
    bl_idname = PRESET_MENU
    bl_options = {"SEARCH_ON_KEY_PRESS"}

    def draw(self, context):
        kind = material_of(context.object.gpbd.body_type)
        _draw_presets(self.layout, kind)
        if kind == "fabric":
            self.layout.separator()
            self.layout.operator("gpbd.import_fabric", icon="IMPORT")


class GPBD_MT_presets_selected(bpy.types.Menu):
    """Materials for all selected bodies of this kind; type to search"""

    bl_label = "Preset to Selected"
    bl_idname = SELECTED_PRESET_MENU
    bl_options = {"SEARCH_ON_KEY_PRESS"}

    def draw(self, context):
        _draw_presets(self.layout, material_of(context.object.gpbd.body_type), selected=True)


def _draw_presets(layout: bpy.types.UILayout, kind: str | None, selected: bool = False) -> None:
    row = layout.row()
    for categories in columns(by_category(list_presets(kind, user_presets_folder()))):
        column = row.column()
        for k, (category, members) in enumerate(categories):
            if k:
                column.separator()
            column.label(text=category)
            for preset in members:
                icon = "ERROR" if preset.error else GRADES[preset.grade][0]
                button = column.operator("gpbd.apply_preset", text=preset.name, icon=icon)
                button.path, button.selected = str(preset.path), selected
    layout.separator()
    legend = layout.column()  # under the last column of the menu, which a row would widen
    for icon, meaning in GRADES.values():
        if icon != NO_ICON:
            legend.label(text=meaning, icon=icon)
    legend.label(text="Others are estimated")


def by_category(presets: list[Preset]) -> dict[str, list[Preset]]:
    """Presets under their category, both in the order in which they come."""
    grouped: dict[str, list[Preset]] = {}
    for preset in presets:
        grouped.setdefault(preset.category, []).append(preset)
    return grouped


def columns(grouped: dict[str, list[Preset]]) -> list[list[tuple[str, list[Preset]]]]:
    """Categories in their order, put into columns of up to `COLUMN_ROWS` rows; a category is never broken."""
    menu_columns: list[list[tuple[str, list[Preset]]]] = []
    rows = COLUMN_ROWS
    for category, members in grouped.items():
        needed = len(members) + 2  # its label and the space above it
        if not menu_columns or rows + needed > COLUMN_ROWS:
            menu_columns.append([])
            rows = 0
        menu_columns[-1].append((category, members))
        rows += needed
    return menu_columns
