"""Takes a modifier from an object: Blender's own cloth from a body."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from .. import messages
from ..read import modifier


class GPBD_OT_remove_modifier(bpy.types.Operator):
    """Remove this modifier"""

    bl_idname = "gpbd.remove_modifier"
    bl_label = "Remove Modifier"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    object_name: StringProperty(name="Object", options={"SKIP_SAVE"})
    modifier_name: StringProperty(name="Modifier", options={"SKIP_SAVE"})

    def execute(self, context):
        md = modifier.named(context.scene, self.object_name, self.modifier_name)
        if md is None:
            text = (
                f"{self.object_name}: has no modifier '{self.modifier_name}' that can be removed. Press Check Scene again."
            )
            messages.report(self, "ERROR", text)
            return {"CANCELLED"}
        md.id_data.modifiers.remove(md)
        return {"FINISHED"}
