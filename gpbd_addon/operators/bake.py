"""Bake all bodies of the scene: modal with a worker thread in a window, synchronous in background and from scripts."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import bpy
from bpy.props import BoolProperty

from ...solver.errors import GpbdError
from .. import messages
from ..bake import overview
from ..bake.job import DONE, FAILED, BakeJob
from . import progress

TIMER_SECONDS = 0.02
LONGEST_POLL = 0.1  # seconds in which the window may stand still
SHOWN_SECONDS = 0.5  # a new frame is shown no sooner than so long after the last one,
DRAWING_SHARE = 4.0  # nor sooner than so many times what drawing that took
KEYS = "Esc: stop and keep the frames"


def poll_bake(cls: Any, context: bpy.types.Context) -> bool:
    """Whether a bake can begin; says why not."""
    if context.mode.startswith("EDIT"):
        cls.poll_message_set("Leave edit mode first")
        return False
    if context.window_manager.gpbd_status:
        cls.poll_message_set("A bake is running; Esc ends it and keeps its frames")
        return False
    return True


class ModalBake:
    """What the operators that bake share; `resume` and `from_here` tell them apart."""

    report: Any  # of bpy.types.Operator
    resume = from_here = False
    _job: BakeJob
    _timer: Any = None
    _due = 0.0  # when the window is to show more, seconds
    _drew = False  # whether Blender has drawn the window since
    _left = 0.0  # when Blender had the time back, seconds

    @classmethod
    def poll(cls, context):
        return poll_bake(cls, context)

    def _new_job(self, context):
        from_frame = context.scene.frame_current if self.from_here else None
        return BakeJob(context.scene, resume=self.resume, from_frame=from_frame)

    def execute(self, context):
        job = self._new_job(context)
        try:
            job.run()
        except GpbdError as error:
            return self._refuse(job, error)
        self._tell(job)
        return {"FINISHED"}

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        self._job = self._new_job(context)
        try:
            self._job.start()
        except GpbdError as error:
            return self._refuse(self._job, error)
        self._timer = context.window_manager.event_timer_add(TIMER_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        progress.show(context, self._job, KEYS)
        self._left = perf_counter()
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self._job.cancel("Esc was pressed")
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        began = perf_counter()
        if self._drew:
            self._due = max(self._due, began + DRAWING_SHARE * (began - self._left))
        finished = self._poll()
        self._drew = not finished and perf_counter() >= self._due
        if self._drew:  # Blender draws the whole window for it, which takes time from the solver
            self._due = perf_counter() + SHOWN_SECONDS
            self._job.show()
            progress.show(context, self._job, KEYS)
        self._left = perf_counter()
        if not finished:
            return {"RUNNING_MODAL"}
        self._leave(context)
        if self._job.state == FAILED:
            return self._refuse(self._job, self._job.error)
        self._tell(self._job)
        return {"FINISHED"}

    def _poll(self):
        """Gives the bake as much time as the window took since: drawing a heavy scene would else hold up each frame."""
        now = perf_counter()
        until = now + min(now - self._left, LONGEST_POLL)
        while not self._job.poll(max(until - perf_counter(), 0.0)):
            if perf_counter() >= until:
                return False
        return True

    def cancel(self, context):
        """Called by Blender when it takes the operator away: quit, or a file was loaded."""
        self._job.stop("Blender ended it")
        self._leave(context)

    def _leave(self, context):
        progress.clear(context, self._timer)

    def _refuse(self, job, error):
        overview.look(bpy.context.scene)
        for warning in job.report.warnings:
            messages.report(self, "WARNING", warning)
        if job.report.frames:
            self.report({"INFO"}, f"Frames up to {job.frame} are kept. {job.resumable}")
        messages.report(self, "ERROR", str(error))
        return {"CANCELLED"}

    def _tell(self, job):
        overview.look(bpy.context.scene)
        for warning in job.report.warnings:
            messages.report(self, "WARNING", warning)
        end = "" if job.state == DONE else f" Stopped: {job.reason}. {job.resumable}"
        self.report({"INFO"}, f"Baked {job.report.sentence()}.{end}")


class GPBD_OT_bake(ModalBake, bpy.types.Operator):
    """Simulate all GPBD bodies of the scene over its frame range and keep the result in caches, beside those of before"""

    bl_idname = "gpbd.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    sure: BoolProperty(name="Sure", description="Do not ask where all frames are baked", options={"HIDDEN", "SKIP_SAVE"})
    _asked = False

    def invoke(self, context, event):
        playing = overview.of(context.scene).playing
        if bpy.app.background or self.sure or playing is None or not playing.complete:
            return super().invoke(context, event)
        self._asked = True
        changed = overview.of(context.scene).changed
        text = f"{playing.label} is complete: {playing.sentence()}. Changed since: {', '.join(changed) or 'nothing'}."
        return context.window_manager.invoke_confirm(
            self, event, title="Bake a new version?", message=text, confirm_text="Bake", icon="QUESTION"
        )

    def execute(self, context):
        if self._asked:  # a dialog cannot become what runs on: that is begun anew
            operators: Any = bpy.ops
            operators.gpbd.bake("INVOKE_DEFAULT", sure=True)
            return {"FINISHED"}
        return super().execute(context)
