"""Drape the bodies: modal with a worker thread in a window, synchronous in background and from scripts."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty

from ...solver.errors import GpbdError
from .. import messages
from ..bake.drape_job import CANCELLED, FAILED, SHAPE_KEY, START, DrapeJob
from . import progress
from .bake import poll_bake

TIMER_SECONDS = 0.1
SHOWN_SECONDS = 0.5  # drawing the window takes time from the solver


class GPBD_OT_drape(bpy.types.Operator):
    """Let all GPBD bodies come to rest under gravity, with pins and colliders as they are at this frame"""

    bl_idname = "gpbd.drape"
    bl_label = "Drape"
    bl_options = {"REGISTER", "UNDO"}

    result: EnumProperty(
        name="Result",
        items=[
            (SHAPE_KEY, "Shape Key", "A shape key of each mesh, with value 1"),
            (START, "Start", "Where the simulation begins; each mesh keeps its shape"),
        ],
        default=START,
    )
    threshold: FloatProperty(
        name="Rest Threshold",
        description="At rest when the force that is left is below this share of the weight",
        default=0.05,
        min=1e-4,
        max=1,
    )
    steps: IntProperty(name="Steps", description="After so many it ends with a warning", default=1000, min=60, max=100000)

    _job: DrapeJob
    _timer: Any = None
    _shown = 0.0  # when the window was drawn last, seconds

    @classmethod
    def poll(cls, context):
        return poll_bake(cls, context)

    def execute(self, context):
        job = DrapeJob(context.scene, self.result, self.threshold, self.steps)
        try:
            job.run()
        except GpbdError as error:
            return self._refuse(error)
        return self._tell(job)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        self._job = DrapeJob(context.scene, self.result, self.threshold, self.steps)
        try:
            self._job.start()
        except GpbdError as error:
            return self._refuse(error)
        self._timer = context.window_manager.event_timer_add(TIMER_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        self._show(context)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self._job.cancel()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        finished = self._job.poll()
        if perf_counter() > self._shown + SHOWN_SECONDS:
            self._show(context)
        if not finished:
            return {"RUNNING_MODAL"}
        self._leave(context)
        if self._job.state == FAILED:
            return self._refuse(self._job.error)
        return self._tell(self._job)

    def cancel(self, context):
        """Called by Blender when it takes the operator away: quit, or a file was loaded."""
        self._job.stop()
        self._leave(context)

    def _show(self, context):
        self._shown = perf_counter()
        progress.show(context, self._job, "Esc: stop, change nothing")

    def _leave(self, context):
        progress.clear(context, self._timer)

    def _refuse(self, error):
        messages.report(self, "ERROR", str(error))
        return {"CANCELLED"}

    def _tell(self, job):
        if job.state == CANCELLED:
            self.report({"INFO"}, "Stopped before the bodies were at rest; nothing was changed")
            return {"CANCELLED"}
        for warning in job.warnings:
            messages.report(self, "WARNING", warning)
        self.report({"INFO"}, " ".join(job.told))
        return {"FINISHED"}
