"""Mend damaged caches, so that Resume goes on from the last good frame."""

from __future__ import annotations

import bpy

from .. import messages
from ..bake import overview
from ..bake.repair import CANCELLED, RepairJob
from .modal_job import ModalJob


class GPBD_OT_repair_cache(ModalJob, bpy.types.Operator):
    """Mend the caches that play: each ends before its first damaged frame, and Resume makes the rest again"""

    bl_idname = "gpbd.repair_cache"
    bl_label = "Repair"
    bl_options = {"REGISTER"}

    def _make(self, context):
        return RepairJob(context.scene)

    def _tell(self, context, job):
        overview.look(context.scene)
        for problem in [problem for one in job.found for problem in one.problems]:
            messages.report(self, "WARNING", problem)
        done = [sentence for one in job.found for sentence in one.done]
        if job.state == CANCELLED:
            done.append("Stopped; press Repair again to mend the rest.")
        self.report({"INFO"}, " ".join(done) if done else "There was nothing to repair.")
        return {"FINISHED"}
