"""Removes an attachment of the active cloth."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from ..translations import tr


class GPBD_OT_remove_attachment(bpy.types.Operator):
    """Remove this attachment of the active cloth"""

    bl_idname = "gpbd.remove_attachment"
    bl_label = "Remove Attachment"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(name="Number", min=0, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.is_editable and len(ob.gpbd.attachments) > 0

    def execute(self, context):
        attachments = context.object.gpbd.attachments
        if self.index >= len(attachments):
            self.report(
                {"ERROR"}, tr(f"{context.object.name}: has no attachment number {self.index}. Choose one of the panel.")
            )
            return {"CANCELLED"}
        attachments.remove(self.index)
        return {"FINISHED"}
