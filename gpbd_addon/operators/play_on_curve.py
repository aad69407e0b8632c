"""Lets a curve play a rope."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..bake import curve_playback
from ..identifiers import ROPE_CURVE


class GPBD_OT_play_on_curve(bpy.types.Operator):
    """Show the rope as a curve again: its control points and handles follow the bake, with bevel, materials and modifiers"""

    bl_idname = "gpbd.play_on_curve"
    bl_label = "Show as Curve"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and curve_playback.is_rope(ob) and ob.modifiers.get(ROPE_CURVE) is not None

    def execute(self, context):
        try:
            curve_playback.make(context.object)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
