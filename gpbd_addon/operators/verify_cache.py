"""Compare each cached frame with how it was written."""

from __future__ import annotations

import bpy

from ...solver.counted import counted
from .. import messages
from ..bake.repair import CANCELLED, VerifyJob
from ..translations import tr
from .modal_job import ModalJob


class GPBD_OT_verify_cache(ModalJob, bpy.types.Operator):
    """Compare each frame of the playing caches with its stored hash"""

    bl_idname = "gpbd.verify_cache"
    bl_label = "Verify"

    def _make(self, context):
        return VerifyJob(context.scene)

    def _tell(self, context, job):
        problems = [problem for one in job.checked for problem in one.problems]
        for problem in problems:
            messages.report(self, "WARNING", problem)
        if job.state == CANCELLED:
            self.report({"INFO"}, "Stopped before all frames were looked at")
        elif not problems:
            frames = sum(one.frames for one in job.checked)
            self.report({"INFO"}, tr(counted(frames, "frame is as it was written.", "frames are as they were written.")))
        return {"FINISHED"}
