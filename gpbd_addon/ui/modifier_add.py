"""Our entries in Add Modifier > Physics."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS


def draw(self: bpy.types.Panel | bpy.types.Menu, context: bpy.types.Context) -> None:
    """An entry a type of body, under Blender's own."""
    if context.object is None or context.object.type != "MESH":
        return
    self.layout.separator()
    for body_type, kind in BODY_KINDS.items():
        self.layout.operator("gpbd.add_body", text=kind.label, icon=kind.icon).body_type = body_type


MENU: Any = bpy.types.OBJECT_MT_modifier_add_physics


def register() -> None:
    MENU.append(draw)


def unregister() -> None:
    MENU.remove(draw)
