"""Moves a modifier that stands after ours and deforms the simulated mesh again to before it."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from .. import messages
from ..read import modifier


class GPBD_OT_move_modifier(bpy.types.Operator):
    """Move this modifier above the GPBD modifier, so that it moves the input of the simulation"""

    bl_idname = "gpbd.move_modifier"
    bl_label = "Move Modifier"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    object_name: StringProperty(name="Object", options={"SKIP_SAVE"})
    modifier_name: StringProperty(name="Modifier", options={"SKIP_SAVE"})

    def execute(self, context):
        md = modifier.named(context.scene, self.object_name, self.modifier_name)
        ours = modifier.find(md.id_data) if md is not None else None
        if md is None or ours is None:
            text = f"{self.object_name}: has no modifier '{self.modifier_name}' that can be moved. Press Check Scene again."
            messages.report(self, "ERROR", text)
            return {"CANCELLED"}
        stack = md.id_data.modifiers
        stack.move(stack.find(md.name), stack.find(ours.name))
        return {"FINISHED"}
