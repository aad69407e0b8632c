"""Job: common base of a bake, a drape and a check. It runs in steps, while Blender continues, and calls a worker.

A plain object, because operators disappear while a job runs. It keeps no references to Blender's data between steps, only
names and identities, and ends when undo, a file load or the end of the extension takes its scene away.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from time import monotonic
from typing import Any

import bpy

from ...solver.device.worker import Worker
from ...solver.errors import GpbdError, StoppedError
from . import compile_ahead, idle_solver, kernel_cache, watch
from .scene_handle import SceneHandle

READY, RUNNING, DONE, CANCELLED, FAILED = "ready", "running", "done", "cancelled", "failed"
#: So long it is waited for a stopped job to end well [s].
STOP_SECONDS = 5.0

#: Steps of a job. They yield True after a piece of work for the main thread, False where there is none before the worker's
#: result; they return the state of the job at its end.
Steps = Generator[bool, None, str]


class SteppedJob:
    """Job in steps: `start`, then `poll` until it is True; or `run`. Call all of it from the main thread.

    A kind of job has `_begin`, which reads the scene and returns the steps, and `_leave`, called once at the end.
    state: of those above; error: why it failed, reason: why it was cancelled. status: current work; progress: 0 to 1.
    waits: whether there was nothing to do for the main thread. `gives_way`: whether it ends where another job begins.
    `asks`: whether it has a worker; without one all its work is for the main thread. takes_hands: whether bodies can be
    grabbed meanwhile.
    """

    gives_way = takes_hands = False
    asks = True
    patience = STOP_SECONDS

    def __init__(self, scene: bpy.types.Scene) -> None:
        self.scene = SceneHandle(scene)
        self.state, self.status, self.reason = READY, "", ""
        self.progress = 0.0
        self.error: GpbdError | None = None
        self.worker: Worker | None = None  # while it runs
        self._steps: Steps
        self._abandoned = self.waits = False

    def start(self) -> None:
        """Read the scene and start the worker. Raises: GpbdError; the scene is then as it was."""
        watch.make_room()
        if self.asks:
            compile_ahead.end()
            idle_solver.set_folders()
            self.status = kernel_cache.BUILDING
            self.worker = Worker(idle_solver.SESSION)
        try:
            self._steps = self._begin(self.scene.now())
        except BaseException:
            self._let_go()
            raise
        self.state = RUNNING
        watch.attach(self)

    def run(self) -> None:
        """Run the whole job without returning between steps. Raises: GpbdError."""
        self.start()
        while not self.poll(0.2):
            pass
        if self.error is not None:
            raise self.error

    def cancel(self, reason: str = "cancelled") -> None:
        """End the job; continue polling."""
        self.reason = self.reason or reason
        self.status = "Stopping"
        self._abandoned = True

    def stop(self, reason: str = "cancelled") -> None:
        """Like `cancel`, and waits for the end; not long: then what the worker is doing is lost."""
        if not self.reason:
            self.cancel(reason)
        until = monotonic() + self.patience
        while not self.poll(0.1):
            self._abandoned |= monotonic() > until

    def play(self) -> None:
        """Make modifiers play the written frames, of a kind that writes caches."""

    @property
    def news(self) -> bool:
        """Return whether `show` has something new for the window."""
        return False

    def show(self) -> None:
        """Show frames written since in the window, of such a kind; Blender evaluates the scene for it."""

    def poll(self, seconds: float = 0.0) -> bool:
        """Do a piece of work, waiting at most this long for the worker [s]; True when the job has ended."""
        if self.state == RUNNING:
            try:
                self._go_on(seconds)
            except StoppedError:
                self._finish(CANCELLED)
            except GpbdError as error:
                self.error = error
                self._finish(FAILED)
            except BaseException:
                self._finish(FAILED)  # a fault of ours: the scene is put back, then the fault is seen
                raise
        if self.state == RUNNING:
            return False
        watch.release()
        return True

    def _say(self, status: str) -> None:
        if not self.reason:
            self.status = status

    def _call(self, method: str, *arguments: Any) -> Generator[bool, None, Any]:
        """Wait in steps for the worker's result of a call, and return it. Raises: the errors of the worker."""
        assert self.worker is not None
        self.worker.submit(method, *arguments)
        while not self.worker.is_ready():
            yield False
        return self.worker.result()

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        raise NotImplementedError

    def _leave(self, state: str) -> str:
        """Restore the scene; return the state at the end, which may be worse than this one."""
        return state

    def _go_on(self, seconds: float) -> None:
        until, self.waits = monotonic() + seconds, False
        while not self._abandoned:
            try:
                if next(self._steps):
                    return
            except StopIteration as end:
                self._finish(end.value)
                return
            self.waits = not self._is_ready(max(until - monotonic(), 0.0))
            if self.waits:
                return
        self._finish(CANCELLED)

    def _is_ready(self, seconds: float) -> bool:
        if self.worker is not None and self.worker.pending:
            return self.worker.is_ready(seconds)
        time.sleep(seconds)
        return False

    def _finish(self, state: str) -> None:
        watch.detach(self)
        try:
            self._steps.close()
            state = self._leave(state)
        finally:
            self._let_go()
            self.state = state
        watch.go_on()

    def _let_go(self) -> None:
        """Release the worker."""
        if self.worker is not None:
            self.worker.release()
            compile_ahead.begin()
