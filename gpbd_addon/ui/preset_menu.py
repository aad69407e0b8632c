"""The menu of material presets, by category."""

from __future__ import annotations

from typing import Any

import bpy

from ...solver.scene.presets import Preset, list_presets
from ..body_kinds import material_of
from ..identifiers import PRESET_MENU
from ..user_folder import user_presets_folder
from .preset import GRADES

COLUMN_ROWS = 12


class GPBD_MT_presets(bpy.types.Menu):
    """Materials with numbers of their own kind; type to search"""

    bl_label = "Material Presets"
    bl_idname = PRESET_MENU
    bl_options = {"SEARCH_ON_KEY_PRESS"}

    def draw(self, context):
        settings: Any = context.object.gpbd
        presets = list_presets(material_of(settings.body_type), user_presets_folder())
        row = self.layout.row()
        for categories in columns(by_category(presets)):
            column = row.column()
            for k, (category, members) in enumerate(categories):
                if k:
                    column.separator()
                column.label(text=category)
                for preset in members:
                    icon: Any = "ERROR" if preset.error else GRADES[preset.grade][0]
                    column.operator("gpbd.apply_preset", text=preset.name, icon=icon).path = str(preset.path)
        if material_of(settings.body_type) == "fabric":
            self.layout.separator()
            self.layout.operator("gpbd.import_fabric", icon="IMPORT")


def by_category(presets: list[Preset]) -> dict[str, list[Preset]]:
    """Presets under their category, both in the order in which they come."""
    grouped: dict[str, list[Preset]] = {}
    for preset in presets:
        grouped.setdefault(preset.category, []).append(preset)
    return grouped


def columns(grouped: dict[str, list[Preset]]) -> list[list[tuple[str, list[Preset]]]]:
    """Categories in their order, put into columns of up to `COLUMN_ROWS` rows; a category is never broken."""
    found: list[list[tuple[str, list[Preset]]]] = []
    rows = COLUMN_ROWS
    for category, members in grouped.items():
        needed = len(members) + 2  # its label and the space above it
        if not found or rows + needed > COLUMN_ROWS:
            found.append([])
            rows = 0
        found[-1].append((category, members))
        rows += needed
    return found
