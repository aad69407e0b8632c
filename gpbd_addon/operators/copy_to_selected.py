"""Gives the selected objects the settings of the active body, or its material alone."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ...solver.counted import counted
from ...solver.errors import GpbdError
from .. import messages
from ..properties import copied
from ..read import body_material
from ..translations import tr
from .add_body import add_body, check
from .selection import others

SETTINGS, MATERIAL = "SETTINGS", "MATERIAL"


def copy(source: bpy.types.Object, target: bpy.types.Object, what: str) -> list[str]:
    """Names that the target's mesh does not have. Raises: GpbdError if it cannot be changed, or has no such material."""
    check(target)
    if what == MATERIAL:
        body_material.write_material(target, body_material.material_of(source))
        return []
    add_body(target, source.gpbd.body_type)
    return copied.copy(source, target)


class GPBD_OT_copy_to_selected(bpy.types.Operator):
    """Give the other selected objects the settings of the active body"""

    bl_idname = "gpbd.copy_to_selected"
    bl_label = "Copy Settings to Selected"
    bl_options = {"REGISTER", "UNDO"}

    what: EnumProperty(
        name="What",
        items=[
            (SETTINGS, "Settings", "All settings. Objects that are not of this kind become bodies of it"),
            (MATERIAL, "Material", "Only the material, with its preset"),
        ],
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, context, properties):
        if properties.what == MATERIAL:
            return tr("Copy the material of the active body, with its preset, to the other selected bodies")
        return tr(
            "Copy all settings of the active body to the other selected objects. Objects that"
            " are not of its kind become bodies of it"
        )

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.gpbd.body_type != "NONE" and bool(others(context))

    def execute(self, context):
        problems, done = [], 0
        for target in others(context):
            try:
                missing = copy(context.object, target, self.what)
            except GpbdError as error:
                problems.append(str(error))
                continue
            done += 1
            if missing:
                problems.append(f"{target.name}: has no {', '.join(sorted(set(missing)))}; left empty. Choose what it has.")
        for text in problems:
            messages.report(self, "WARNING", text)
        if not done:
            return {"CANCELLED"}
        self.report({"INFO"}, tr(f"Copied to {done} of {counted(len(others(context)), 'object', 'objects')}"))
        return {"FINISHED"}
