"""Removes a recorded grab of the active body."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from ..live import recording
from ..translations import tr


class GPBD_OT_remove_grab(bpy.types.Operator):
    """Remove this recorded grab of the active body, with its hand and its vertex group"""

    bl_idname = "gpbd.remove_grab"
    bl_label = "Remove Grab"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(name="Number", min=0, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.is_editable and len(ob.gpbd.grabs) > 0

    def execute(self, context):
        ob = context.object
        if self.index >= len(ob.gpbd.grabs):
            self.report({"ERROR"}, tr(f"{ob.name}: has no grab number {self.index}. Choose one of the panel."))
            return {"CANCELLED"}
        recording.remove(ob, self.index)
        return {"FINISHED"}
