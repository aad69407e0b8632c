"""Shows a rope with its radius."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..bake import rope_surface
from ..body_kinds import BODY_KINDS


class GPBD_OT_show_rope(bpy.types.Operator):
    """Add a modifier that shows the edges with their radius, also in renders"""

    bl_idname = "gpbd.show_rope"
    bl_label = "Show Surface"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.gpbd.body_type != "NONE" and BODY_KINDS[ob.gpbd.body_type].line

    def execute(self, context):
        try:
            rope_surface.show(context.object)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
