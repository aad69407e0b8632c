"""Bake all bodies of the scene."""

from __future__ import annotations

import bpy

from .. import messages
from ..bake import overview
from ..bake.differences import shown
from ..bake.job import DONE, BakeJob
from ..translations import tr
from .modal_job import ModalJob


class ModalBake(ModalJob):
    """Common base of the bake operators; they differ by `resume` and `from_here`."""

    hint = "Esc: stop and keep the frames, twice: at once"
    resume = from_here = False

    def _make(self, context):
        from_frame = context.scene.frame_current if self.from_here else None
        return BakeJob(context.scene, self._names(context), resume=self.resume, from_frame=from_frame)

    def _names(self, context):
        """Return the names of the bodies to bake, None for all."""
        return None

    def _refuse(self, job, error):
        overview.look(bpy.context.scene)
        for warning in job.report.warnings:
            messages.report(self, "WARNING", warning)
        if job.report.frames:
            self.report({"INFO"}, tr(f"Frames up to {job.frame} are kept. {job.resumable}"))
        return super()._refuse(job, error)

    def _tell(self, context, job):
        overview.look(context.scene)
        for warning in job.report.warnings:
            messages.report(self, "WARNING", warning)
        if job.report.frames:
            context.window_manager.gpbd_baked_to = context.scene.frame_current
        end = "" if job.state == DONE else f" Stopped: {job.reason}. {job.resumable}"
        self.report({"INFO"}, tr(f"Baked {job.report.sentence()}.{job.files.beginning}{end}"))
        return {"FINISHED"}


class GPBD_OT_bake(ModalBake, bpy.types.Operator):
    """Simulate all GPBD bodies of the scene over its frame range, and write a new version of their caches. Earlier versions stay"""  # noqa: E501

    bl_idname = "gpbd.bake"
    bl_label = "Bake"
    bl_options = {"UNDO"}

    _asked = False

    def invoke(self, context, event):
        now = overview.look(context.scene)  # an edit of this moment too
        playing = now.playing
        if bpy.app.background or playing is None or playing.live or not playing.complete:
            return super().invoke(context, event)
        self._asked = True
        text = f"{playing.label} is complete: {playing.sentence()}. Changed since: {shown(now.changed) or tr('nothing')}."
        return context.window_manager.invoke_confirm(
            self, event, title="Bake a new version?", message=tr(text), confirm_text="Bake", icon="QUESTION"
        )

    def execute(self, context):
        return self._begin(context) if self._asked else super().execute(context)
