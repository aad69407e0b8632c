"""Verifying caches, which may be many gigabytes: a worker reads them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy

from ...solver.errors import CacheError
from . import repair
from .stepped_job import CANCELLED, DONE, SteppedJob, Steps

__all__ = ["CANCELLED", "DONE", "VerifyJob"]


class VerifyJob(SteppedJob):
    """found: as `repair.verify` returns it, so far."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        super().__init__(scene)
        self.found: list[repair.Checked] = []

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        self.status = "Verifying"
        self.found = repair.chosen(scene)
        return self._run()

    def _run(self) -> Steps:
        for one in self.found:
            if one.cache is None:
                one.problems.append(repair.missing(one))
                continue
            self._say(f"Verifying {one.object}")
            read = yield from self._asked(one, "verify", str(one.cache))
            if read is not None:
                repair.tell(one, read)
            self.progress += 0.5 / len(self.found)
        states = repair.checkpoints_of(self.found)
        for path, one in states:
            self._say(f"Verifying {path.name}")
            yield from self._asked(one, "verify_checkpoint", str(path))
            self.progress += 0.5 / len(states)
        return DONE

    def _asked(self, one: repair.Checked, *question: str) -> Generator[bool, None, Any]:
        """The worker's answer; where it raises a CacheError, None, and a problem."""
        assert self.worker is not None
        self.worker.ask(*question)
        while not self.worker.answered():
            yield False
        try:
            return self.worker.answer()
        except CacheError as error:
            one.problems.append(str(error))
            return None
