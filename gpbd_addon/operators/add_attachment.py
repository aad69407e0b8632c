"""Add an attachment to the active cloth; a second selected mesh is its target."""

from __future__ import annotations

import bpy

from ..body_kinds import BODY_KINDS


class GPBD_OT_add_attachment(bpy.types.Operator):
    """Attach the active cloth to another object, the other selected mesh if there is one"""

    bl_idname = "gpbd.add_attachment"
    bl_label = "Add Attachment"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        if ob is None or ob.gpbd.body_type == "NONE" or not ob.is_editable:
            return False
        return BODY_KINDS[ob.gpbd.body_type].attached

    def execute(self, context):
        item = context.object.gpbd.attachments.add()
        others = [ob for ob in context.selected_objects if ob.type == "MESH" and ob != context.object]
        if others:
            item.target = others[0]
        return {"FINISHED"}
