"""Our buttons among those of Blender's own physics."""

from __future__ import annotations

from typing import Any

import bpy

from ..identifiers import BODY_ICONS, BODY_LABELS


def draw(self: Any, context: bpy.types.Context) -> None:
    """Under the grid of built-in physics: one button a type of body, or the one that removes it."""
    ob: Any = context.object
    if ob is None or ob.type != "MESH":
        return
    column = self.layout.column(align=True)
    if ob.gpbd.body_type != "NONE":
        column.operator("gpbd.remove_body", text=BODY_LABELS[ob.gpbd.body_type], icon="X")
        return
    for body_type, label in BODY_LABELS.items():
        column.operator("gpbd.add_body", text=label, icon=BODY_ICONS[body_type]).body_type = body_type


PANEL: Any = bpy.types.PHYSICS_PT_add


def register() -> None:
    PANEL.append(draw)


def unregister() -> None:
    PANEL.remove(draw)
