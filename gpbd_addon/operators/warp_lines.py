"""The way the yarns of a cloth run, as lines over its mesh."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..body_kinds import BODY_KINDS
from ..maps import warp_lines


class GPBD_OT_warp_lines(bpy.types.Operator):
    """Draw the warp direction over the active cloth in all 3D views. Press again to hide it"""

    bl_idname = "gpbd.warp_lines"
    bl_label = "Warp Direction"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        if ob is None or ob.gpbd.body_type == "NONE" or context.window_manager.gpbd_status:
            return False
        return ob.mode == "OBJECT" and "uv_map" in BODY_KINDS[ob.gpbd.body_type].rows

    def execute(self, context):
        ob = context.object
        if ob.gpbd.warp_lines:
            warp_lines.switch_off(ob)
            return {"FINISHED"}
        try:
            warp_lines.switch_on(ob, context.scene)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
