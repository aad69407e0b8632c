"""Job that compiles the listed kernels before a scene needs them: a worker does it, with processes of its own."""

from __future__ import annotations

import bpy

from ...solver import session
from .stepped_job import DONE, SteppedJob, Steps


class KernelJob(SteppedJob):
    """problems: what went wrong, as sentences."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        super().__init__(scene)
        self.problems: list[str] = []

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        self.status = "Looking which kernels are missing"
        return self._run()

    def _run(self) -> Steps:
        assert self.worker is not None
        self.worker.submit("compile_kernels")
        while not self.worker.is_ready():
            for kind, value in self.worker.messages:
                if kind == session.COMPILED:
                    done, count = value
                    self.progress = done / count
                    self._say(f"Compiling kernels {done} of {count}")
            self.worker.messages.clear()
            yield False
        self.problems = self.worker.result()
        return DONE
