"""Gap between a body and all that it may touch, as colours on its mesh."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..maps import colour_display, contact_map
from ..read import modifier


class GPBD_OT_contact_map(bpy.types.Operator):
    """Color the active object by its gap to other surfaces, at every frame. Red passes through. Press again to remove the colors"""  # noqa: E501

    bl_idname = "gpbd.contact_map"
    bl_label = "Contact Map"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        busy = context.window_manager.gpbd_status
        return ob is not None and ob.gpbd.body_type != "NONE" and not busy and ob.mode == "OBJECT"

    def execute(self, context):
        ob = context.object
        try:
            modifier.check_editable(ob)
            if ob.gpbd.contact_map:
                contact_map.switch_off(ob)
            else:
                contact_map.switch_on(ob, context.scene)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        colour_display.show_in_views(context)
        return {"FINISHED"}
