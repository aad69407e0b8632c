"""Compare each cached frame with how it was written."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..bake import repair
from .modal_job import poll_job


class GPBD_OT_verify_cache(bpy.types.Operator):
    """Compare each frame of the caches that play with how it was written"""

    bl_idname = "gpbd.verify_cache"
    bl_label = "Verify"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return poll_job(cls, context)

    def execute(self, context):
        try:
            found = repair.verify(context.scene)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        problems = [problem for one in found for problem in one.problems]
        for problem in problems:
            messages.report(self, "WARNING", problem)
        if not problems:
            self.report({"INFO"}, f"{sum(one.frames for one in found)} frames are as they were written.")
        return {"FINISHED"}
