"""Makes all selected meshes bodies of the simulation."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ...solver.errors import GpbdError
from .. import messages
from ..body_kinds import BODY_KINDS
from ..translations import tr
from .add_body import add_body
from .selection import chosen


class GPBD_OT_add_to_selected(bpy.types.Operator):
    """Simulate all selected meshes with GPBD"""

    bl_idname = "gpbd.add_to_selected"
    bl_label = "Add to Selected"
    bl_options = {"REGISTER", "UNDO"}

    body_type: EnumProperty(name="Type", items=[(name, kind.label, "") for name, kind in BODY_KINDS.items()])

    @classmethod
    def description(cls, context, properties):
        summary = BODY_KINDS[properties.body_type].summary
        return tr(f"Simulate each selected mesh as {summary}, with the preset of a new one")

    @classmethod
    def poll(cls, context):
        return any(ob.type == "MESH" for ob in chosen(context))

    def execute(self, context):
        meshes = [ob for ob in chosen(context) if ob.type == "MESH"]
        left_out = []
        for ob in meshes:
            try:
                add_body(ob, self.body_type)
            except GpbdError as error:
                left_out.append(str(error))
        for text in left_out:
            messages.report(self, "WARNING", text)
        if len(left_out) == len(meshes):
            return {"CANCELLED"}
        self.report(
            {"INFO"}, tr(f"{len(meshes) - len(left_out)} of {len(meshes)} are {BODY_KINDS[self.body_type].label} now")
        )
        return {"FINISHED"}
