"""Makes an object a body of the simulation, or changes its type."""

from __future__ import annotations

import uuid
from typing import Any

import bpy
from bpy.props import EnumProperty

from ...solver.errors import GpbdError, SceneError
from ...solver.scene.presets import load_material
from ..bake import playback
from ..identifiers import BODY_LABELS, DEFAULT_PRESETS, MODIFIER_NAMES
from ..read import body_material, modifier

#: What a body of each type is.
KINDS = {
    "CLOTH": "a sheet of fabric, leather or paper",
    "SOFT_BODY": "an elastic solid",
    "RIGID": "a body that keeps its shape and has mass",
}


def add_body(ob: bpy.types.Object, body_type: str) -> None:
    """Makes `ob` a body with the default preset of its type and our modifier; a body of another type changes over.

    A body of this type already stays as it is, but for the modifier, which is put back if it is missing.
    Raises: SceneError if it is no mesh, in edit mode or not editable.
    """
    check(ob)
    settings: Any = ob.gpbd
    if settings.body_type != body_type:
        found = modifier.find(ob)
        settings.body_type = body_type
        if found is not None:
            found.name = MODIFIER_NAMES[body_type]
        settings.uuid = settings.uuid or uuid.uuid4().hex
        if body_type in DEFAULT_PRESETS:
            body_material.write_material(ob, load_material(DEFAULT_PRESETS[body_type]))
    playback.ensure(ob)


def check(ob: bpy.types.Object | None) -> None:
    """Raises: SceneError if the object cannot be, or stop being, a body right now."""
    if ob is None:
        raise SceneError("No object is active; wanted a mesh. Click one, then try again.")
    modifier.check_editable(ob)
    if ob.mode == "EDIT":
        raise SceneError(f"{ob.name}: is in edit mode; wanted object mode. Leave it with Tab, then try again.")


class GPBD_OT_add_body(bpy.types.Operator):
    """Simulate the active object with GPBD"""

    bl_idname = "gpbd.add_body"
    bl_label = "Add GPBD Body"
    bl_options = {"REGISTER", "UNDO"}

    body_type: EnumProperty(name="Type", items=[(name, label, "") for name, label in BODY_LABELS.items()])

    @classmethod
    def description(cls, context, properties):
        return f"Simulate the active object as {KINDS[properties.body_type]}, together with all other GPBD bodies"

    def execute(self, context):
        try:
            add_body(context.object, self.body_type)
        except GpbdError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
