"""Bake all bodies of the scene."""

from __future__ import annotations

import bpy

from .. import messages
from ..bake.job import DONE, BakeJob
from .modal_job import ModalJob


class ModalBake(ModalJob):
    """What the operators that bake share; `resume` tells them apart."""

    hint = "Esc: stop and keep the frames, twice: at once"
    resume = False

    def _make(self, context):
        return BakeJob(context.scene, resume=self.resume)

    def _refuse(self, job, error):
        for warning in job.report.warnings:
            messages.report(self, "WARNING", warning)
        if job.report.frames:
            self.report({"INFO"}, f"Frames up to {job.frame} are kept. {job.resumable}")
        return super()._refuse(job, error)

    def _tell(self, context, job):
        for warning in job.report.warnings:
            messages.report(self, "WARNING", warning)
        end = "" if job.state == DONE else f" Stopped: {job.reason}. {job.resumable}"
        self.report({"INFO"}, f"Baked {job.report.sentence()}.{end}")
        return {"FINISHED"}


class GPBD_OT_bake(ModalBake, bpy.types.Operator):
    """Simulate all GPBD bodies of the scene over its frame range and keep the result in caches"""

    bl_idname = "gpbd.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}
