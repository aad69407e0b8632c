"""Makes an object a body of the simulation, or changes its type."""

from __future__ import annotations

import uuid

import bpy
from bpy.props import EnumProperty

from ...solver.errors import GpbdError, SceneError
from ...solver.scene.presets import load_material
from .. import messages
from ..bake import idle_solver, playback
from ..body_kinds import BODY_KINDS
from ..read import body_material, modifier
from ..translations import tr


def add_body(ob: bpy.types.Object, body_type: str) -> None:
    """Make `ob` a body with the default preset of its type and our modifier; a body of another type changes over.

    A body of this type already stays as it is, but for the modifier, which is put back if it is missing.
    Raises: SceneError if it is no mesh, in edit mode or not editable.
    """
    check(ob)
    settings = ob.gpbd
    kind = BODY_KINDS[body_type]
    if settings.body_type != body_type:
        cache_modifier = modifier.find(ob)
        settings.body_type = body_type
        if cache_modifier is not None:
            cache_modifier.name = kind.label
        settings.self_contact = kind.self_contact
        settings.uuid = settings.uuid or uuid.uuid4().hex
        if kind.preset is not None:
            body_material.write_material(ob, load_material(kind.preset))
    playback.ensure(ob)
    idle_solver.prepare()


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

    body_type: EnumProperty(name="Type", items=[(name, kind.label, "") for name, kind in BODY_KINDS.items()])

    @classmethod
    def description(cls, context, properties):
        summary = BODY_KINDS[properties.body_type].summary
        return tr(f"Simulate the active object as {summary}, together with all other GPBD bodies")

    def execute(self, context):
        try:
            add_body(context.object, self.body_type)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
