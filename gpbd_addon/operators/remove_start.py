"""Removes the start shape: the simulation begins at the mesh again."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..read import modifier, start_shape
from ..translations import tr


class GPBD_OT_remove_start(bpy.types.Operator):
    """Remove the start shape of the active object: its simulation begins at the mesh again"""

    bl_idname = "gpbd.remove_start"
    bl_label = "Remove Start Shape"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        if ob is None or ob.gpbd.body_type == "NONE" or context.window_manager.gpbd_status:
            return False
        return ob.mode == "OBJECT" and start_shape.has(ob)

    def execute(self, context):
        try:
            modifier.check_editable(context.object)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        start_shape.remove(context.object)
        self.report({"INFO"}, tr(f"{context.object.name}: the simulation begins at the mesh again. Bake to see it."))
        return {"FINISHED"}
