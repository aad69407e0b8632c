"""The menu of material cards, by category."""

from __future__ import annotations

from typing import Any

import bpy

from ...solver.scene.presets import Preset, list_presets
from ..identifiers import CARD_MENU, MATERIAL_KINDS
from ..user_folder import user_cards_folder
from .body import GRADES

COLUMN_ROWS = 12


class GPBD_MT_cards(bpy.types.Menu):
    """Materials with numbers of their own kind; type to search"""

    bl_label = "Material Cards"
    bl_idname = CARD_MENU
    bl_options = {"SEARCH_ON_KEY_PRESS"}

    def draw(self, context):
        settings: Any = context.object.gpbd
        cards = list_presets(MATERIAL_KINDS[settings.body_type], user_cards_folder())
        row = self.layout.row()
        for categories in columns(by_category(cards)):
            column = row.column()
            for k, (category, members) in enumerate(categories):
                if k:
                    column.separator()
                column.label(text=category)
                for card in members:
                    icon: Any = "ERROR" if card.error else GRADES[card.grade][0]
                    column.operator("gpbd.apply_preset", text=card.name, icon=icon).path = str(card.path)


def by_category(cards: list[Preset]) -> dict[str, list[Preset]]:
    """Cards under their category, both in the order in which they come."""
    grouped: dict[str, list[Preset]] = {}
    for card in cards:
        grouped.setdefault(card.category, []).append(card)
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
