"""Our entries in Add Modifier > Physics."""

from __future__ import annotations

from typing import Any

import bpy

from ..identifiers import BODY_ICONS, BODY_LABELS


def draw(self: Any, context: bpy.types.Context) -> None:
    """An entry a type of body, under Blender's own."""
    if context.object is None or context.object.type != "MESH":
        return
    self.layout.separator()
    for body_type, label in BODY_LABELS.items():
        self.layout.operator("gpbd.add_body", text=label, icon=BODY_ICONS[body_type]).body_type = body_type


MENU: Any = bpy.types.OBJECT_MT_modifier_add_physics


def register() -> None:
    MENU.append(draw)


def unregister() -> None:
    MENU.remove(draw)
