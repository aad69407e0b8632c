"""Freeze a body while it plays live, or let it continue."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..bake import hands, watch
from ..bake.redraw import redraw_views
from ..live import player, shown
from ..translations import tr
from .grab import is_live, may_grab


class GPBD_OT_freeze(bpy.types.Operator):
    """Hold all of the active body in place while the others move. Press again to release it"""

    bl_idname = "gpbd.freeze"
    bl_label = "Freeze"

    @classmethod
    def poll(cls, context):
        ob = context.object
        if ob is None or ob.gpbd.body_type == "NONE" or not may_grab(context.scene):
            cls.poll_message_set("Select a body that plays live")
            return False
        return True

    def execute(self, context):
        body = context.object
        if not is_live(context.scene):
            self.report({"WARNING"}, tr("Switch Live on, and let bodies play no bake"))
            return {"CANCELLED"}
        try:
            count = len(shown.positions(context.scene, body))
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        frozen = hands.is_frozen(body.gpbd.uuid)
        hands.let_go(body.gpbd.uuid, None)
        if not frozen:
            if not watch.is_draping():
                player.make_ready(context.scene)
            hands.hold_all(body.gpbd.uuid, count)
        redraw_views()
        return {"FINISHED"}
