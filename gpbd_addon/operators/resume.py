"""Continue a bake that was stopped, bit for bit as if it had not been."""

from __future__ import annotations

import bpy

from ..bake import overview
from ..read import scene_input
from ..translations import tr
from .bake import ModalBake


class GPBD_OT_resume(ModalBake, bpy.types.Operator):
    """Continue a stopped bake, or extend a bake to a later end frame"""

    bl_idname = "gpbd.resume"
    bl_label = "Resume"
    bl_options = {"UNDO"}

    resume = True

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        version = overview.of(context.scene).resumable
        if version is None:
            cls.poll_message_set("There is nothing to resume. Bake first.")
            return False
        last, end = version.start + version.frames - 1, scene_input.range_of(context.scene)[1]
        if last >= end:
            cls.poll_message_set(tr(f"{version.label} has all frames to {last}; a later End bakes further"))
        return last < end
