"""Looks for what would stop or spoil a bake: modal in a window, synchronous in background and from scripts."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import bpy

from .. import messages
from ..bake.scene_check import DONE, CheckJob
from ..read import clearance
from . import progress

TIMER_SECONDS, LONGEST_POLL, SHOWN_SECONDS = 0.02, 0.1, 0.5


class GPBD_OT_check_scene(bpy.types.Operator):
    """Look for everything that would stop or spoil a bake. Soft bodies are filled; the bake takes that over"""

    bl_idname = "gpbd.check_scene"
    bl_label = "Check Scene"
    bl_options = {"REGISTER"}

    _job: CheckJob
    _timer: Any = None
    _shown = 0.0  # when the window was drawn last, seconds

    @classmethod
    def poll(cls, context):
        if context.mode.startswith("EDIT"):
            cls.poll_message_set("Leave edit mode first")
            return False
        return not context.window_manager.gpbd_status

    def execute(self, context):
        job = CheckJob(context.scene)
        while not job.poll(0.2):
            pass
        return self._tell(context, job)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        self._job = CheckJob(context.scene)
        self._timer = context.window_manager.event_timer_add(TIMER_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        progress.show(context, self._job, "Esc: stop")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self._job.cancel()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        if not self._job.poll(LONGEST_POLL):
            if perf_counter() > self._shown + SHOWN_SECONDS:
                progress.show(context, self._job, "Esc: stop")
                self._shown = perf_counter()
            return {"RUNNING_MODAL"}
        progress.clear(context, self._timer)
        return self._tell(context, self._job)

    def cancel(self, context):
        """Called by Blender when it takes the operator away: quit, or a file was loaded."""
        self._job.stop()
        progress.clear(context, self._timer)

    def _tell(self, context: bpy.types.Context, job: CheckJob) -> set:
        manager: Any = context.window_manager
        manager.gpbd_findings.clear()
        for found in job.findings:
            row = manager.gpbd_findings.add()
            row.text, row.button, row.operator = found.text, found.button, found.operator
            row.stays, row.values = found.stays, json.dumps(dict(found.values))
            messages.report(self, "WARNING", found.text)
        padded = clearance.too_thick(context.scene)  # which the panel draws with its buttons
        for padding in padded:
            messages.report(self, "WARNING", str(padding))
        if job.state != DONE:
            self.report({"INFO"}, "The check was stopped; what it found is in the panel")
        elif not (job.findings or padded):
            self.report({"INFO"}, "The scene is ready to bake")
        return {"FINISHED"}
