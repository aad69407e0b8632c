"""Base of operators that run a job: modal in a window, with progress and Esc; synchronous in background and scripts."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..bake.stepped_job import FAILED, SteppedJob
from . import progress

TIMER_SECONDS, LONGEST = 0.02, 0.04
SHOWN_SECONDS = 0.08  # longest delay of a change on the screen,
DRAWING_SHARE = 4.0  # and shortest interval between redraws, in times of one redraw


def poll_job(cls: Any, context: bpy.types.Context) -> bool:
    """Return whether a job can begin; sets the poll message where not."""
    if context.mode.startswith("EDIT"):
        cls.poll_message_set("Leave edit mode first")
        return False
    if context.window_manager.gpbd_status:
        cls.poll_message_set("GPBD is at work; Esc ends that, and a bake keeps its frames")
        return False
    return True


class ModalJob:
    """A subclass has `_make`, which returns the job or raises GpbdError, `_tell`, which reports its result, and optionally
    `_refuse`.

    Long jobs are not registered for Repeat Last and Adjust Last Operation: Blender would repeat them by `execute`, which
    blocks the window. takes_events: whether the job blocks other input.
    """

    bl_options: Any = set()
    report: Any  # of bpy.types.Operator
    hint = "Esc: stop"
    takes_events = False
    _job: Any = None  # once it has begun
    _timer: Any = None
    _due = 0.0  # when the window may show more, seconds
    _shown = 0.0  # when it did, seconds
    _drew = False  # whether Blender has drawn the window since
    _left = 0.0  # when Blender had the time back, seconds

    @classmethod
    def poll(cls, context):
        return poll_job(cls, context)

    def execute(self, context):
        try:
            self._job = self._make(context)
            self._job.run()
        except GpbdError as error:
            return self._refuse(self._job, error)
        return self._tell(context, self._job)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        return self._begin(context)

    def _begin(self, context):
        """Begin the modal part."""
        try:
            self._job = self._make(context)
            self._job.start()
        except GpbdError as error:
            return self._refuse(self._job, error)
        self._timer = progress.begin(context, TIMER_SECONDS)
        context.window_manager.modal_handler_add(self)
        progress.show(context, self._job, self.hint)
        self._left = perf_counter()
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self._job.cancel("Esc was pressed")
        elif event.type != "TIMER":
            return {"RUNNING_MODAL" if self.takes_events else "PASS_THROUGH"}
        began = perf_counter()
        if self._drew and began - self._left > 1.25 * TIMER_SECONDS:  # drawing took so long that the timer was late
            self._due = began + min(DRAWING_SHARE * (began - self._left), SHOWN_SECONDS)
        finished = self._work()
        now = perf_counter()
        self._drew = not finished and now >= self._due and (self._job.news or now >= self._shown + SHOWN_SECONDS)
        if self._drew:  # Blender draws the whole window for it, which takes time from the solver
            self._shown = now
            self._job.show()
            progress.show(context, self._job, self.hint)
        self._left = perf_counter()
        if not finished:
            return {"RUNNING_MODAL"}
        progress.end(context, self._timer)
        if self._job.state == FAILED:
            return self._refuse(self._job, self._job.error)
        return self._tell(context, self._job)

    def _work(self):
        """Do work of the main thread, in pieces short enough that the window does not freeze."""
        until = perf_counter() + LONGEST
        while not self._job.poll():
            if self._job.waits or perf_counter() > until:
                return False
        return True

    def cancel(self, context):
        """Called by Blender as it removes the operator: on quit, on loading a file, or after Esc in a dialog before the
        start."""
        if self._job is None:
            return
        self._job.stop("Blender ended it")
        progress.end(context, self._timer)

    def _make(self, context: bpy.types.Context) -> SteppedJob:
        raise NotImplementedError

    def _tell(self, context: bpy.types.Context, job: Any) -> set[str]:
        raise NotImplementedError

    def _refuse(self, job: Any, error: GpbdError) -> set[str]:
        messages.report(self, "ERROR", str(error))
        return {"CANCELLED"}
