"""Versions of a bake, their folder, and the operations on one."""

from __future__ import annotations

import bpy

from ...solver.counted import counted
from ..bake import cache_path, overview
from ..translations import first_of, tr
from .gpbd import GpbdSubPanel
from .message import draw_message
from .paragraph import draw_paragraph
from .value_row import draw_field

#: Versions that are listed, the newest first.
LISTED = 8
#: Bodies of a version that are named, where versions are of different bodies.
NAMED = 3


class PHYSICS_PT_gpbd_cache(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Cache"

    def draw(self, context):
        layout = self.layout
        settings = context.scene.gpbd
        known = overview.of(context.scene)
        _draw_versions(layout, context, known)
        _draw_locks(layout, context, known)
        column = layout.column()
        column.enabled = not context.window_manager.gpbd_status
        draw_field(column, settings, "cache_folder")
        column.prop(settings, "checkpoint_space", text="Checkpoints [MB]")
        _draw_attributes(layout, context.object)
        path = cache_path.of(context.object)
        if path is not None:
            row = layout.row()
            row.active = False
            row.label(text=path.name, icon="FILE_CACHE")
        row = layout.row(align=True)
        row.operator("gpbd.verify_cache", icon="CHECKMARK")
        row.operator("gpbd.repair_cache", icon="TOOL_SETTINGS")
        layout.operator("gpbd.recover_bake", icon="RECOVER_LAST")
        layout.operator("gpbd.convert_to_shape_keys", text="To Shape Keys", icon="SHAPEKEY_DATA")


def _draw_attributes(layout: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    column = layout.column(align=True)
    column.label(text="Attributes")
    column.prop(ob.gpbd, "use_velocity_attribute")
    column.prop(ob.gpbd, "use_value_attributes")


def _draw_versions(layout: bpy.types.UILayout, context: bpy.types.Context, known: overview.Overview) -> None:
    column = layout.column(align=True)
    selections = len({frozenset(version.paths) for version in known.versions}) > 1
    for version in known.versions[:LISTED]:
        much, like = version.lines()
        row = column.row(align=True)
        icon = "RADIOBUT_ON" if version.plays else "RADIOBUT_OFF"
        row.operator(
            "gpbd.choose_version", text=f"{version.title}: {_each(much)}", icon=icon, depress=version.plays
        ).number = version.number
        row.operator("gpbd.name_version", text="", icon="GREASEPENCIL", emboss=False).number = version.number
        delete = row.operator("gpbd.clear_cache", text="", icon="TRASH", emboss=False)
        delete.what, delete.version = "ONE", version.number
        lines = [version.note] if version.note else []
        lines += [first_of(sorted(version.paths), NAMED)] if selections else []
        lines += [
            _each(like),
            *(f"From frame {frame}: {changed or 'nothing changed'}" for frame, changed in version.changes),
        ]
        for text in lines:
            line = column.column(align=True)
            line.active = False
            draw_paragraph(line, context, text, "BLANK1")
    if len(known.versions) > LISTED:
        column.label(text=tr(counted(len(known.versions) - LISTED, "older one", "older ones")), icon="BLANK1")


def _each(text: str) -> str:
    """Translate each item of a list of words."""
    return ", ".join(map(tr, text.split(", ")))


def _draw_locks(layout: bpy.types.UILayout, context: bpy.types.Context, known: overview.Overview) -> None:
    for held in set(known.of_other_machines.values()):
        text = f"Locked by {held}, last heard of {held.age} ago. Unlock it if that bake is gone."
        draw_message(layout, context, text, "LOCKED")
    if known.of_other_machines:
        layout.operator("gpbd.unlock_cache", icon="UNLOCKED")
