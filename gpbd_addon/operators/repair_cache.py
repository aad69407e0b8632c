"""Mend damaged caches, so that Resume goes on from the last good frame."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..bake import overview, repair
from .modal_job import poll_job


class GPBD_OT_repair_cache(bpy.types.Operator):
    """Mend the caches that play: each ends before its first damaged frame, and Resume makes the rest again"""

    bl_idname = "gpbd.repair_cache"
    bl_label = "Repair"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return poll_job(cls, context)

    def execute(self, context):
        try:
            found = repair.repair(context.scene)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        overview.look(context.scene)
        for problem in [problem for one in found for problem in one.problems]:
            messages.report(self, "WARNING", problem)
        done = [sentence for one in found for sentence in one.done]
        self.report({"INFO"}, " ".join(done) if done else "There was nothing to repair.")
        return {"FINISHED"}
