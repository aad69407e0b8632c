"""Our buttons among those of Blender's own physics."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from ..convert import reading
from . import simulation_mesh
from .bake_progress import draw_progress
from .compiling import draw_compiling


def draw(self: bpy.types.Panel | bpy.types.Menu, context: bpy.types.Context) -> None:
    """Under the grid of built-in physics: one button a type of body, or the one that removes it."""
    ob = context.object
    if ob is not None and ob.type == "CURVE":
        self.layout.operator("gpbd.rope_from_curve", icon="CURVE_DATA")
    if ob is None or ob.type != "MESH":
        return
    column = self.layout.column(align=True)
    if ob.gpbd.body_type != "NONE":
        column.operator("gpbd.remove_body", text=BODY_KINDS[ob.gpbd.body_type].label, icon="X")
        return
    draw_progress(column, context)  # an object that is no body has no panel for it
    draw_compiling(column, context)
    if reading.modifier_of(ob) is not None:
        column.operator("gpbd.convert_from_blender", icon="FILE_REFRESH")
    for body_type, kind in BODY_KINDS.items():
        column.operator("gpbd.add_body", text=kind.label, icon=kind.icon).body_type = body_type
    simulation_mesh.draw(column, ob)


PANEL: Any = bpy.types.PHYSICS_PT_add


def register() -> None:
    PANEL.append(draw)


def unregister() -> None:
    PANEL.remove(draw)
