"""Bringing caches into the file's cache folder, which may be on another disk: a worker copies."""

from __future__ import annotations

import bpy

from ...solver import session
from ...solver.cache import lock, relocation
from ...solver.errors import CacheError
from . import collecting
from .stepped_job import DONE, SteppedJob, Steps


class CollectJob(SteppedJob):
    """Job that collects caches. brought: completed plans. After a stop or failure all others are unchanged."""

    def __init__(
        self,
        scene: bpy.types.Scene,
        file: str | None = None,
        before: str = "",
        is_copy: bool = False,
        everything: bool = False,
    ) -> None:
        """See `collecting.plans`."""
        super().__init__(scene)
        self.brought: list[collecting.Plan] = []
        self._wanted = file, before, is_copy, everything
        self._now: collecting.Plan | None = None

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        self.status = "Collecting caches"
        return self._run(collecting.plans(*self._wanted))

    def _run(self, plans: list[collecting.Plan]) -> Steps:
        for plan in plans:
            self._now = plan
            locks = [str(path) for path in plan.locks]
            yield from self._call("lock_to_bring", str(plan.into), locks, _pieces(plan))
            yield from self._bringing(plan, len(plans))
            yield from self._call("close_caches")
            self._now = None
            self.brought.append(plan)
            collecting.finish(plan)
        return DONE

    def _bringing(self, plan: collecting.Plan, count: int) -> Steps:
        assert self.worker is not None
        self.worker.submit("bring", _pieces(plan), plan.shift)
        while not self.worker.is_ready():
            for kind, share in self.worker.messages:
                if kind == session.BRINGING:
                    self.progress = (len(self.brought) + share) / count
                    self._say(f"Collecting caches: {self.progress:.0%}")
            self.worker.messages.clear()
            yield False
        self.worker.result()
        return DONE

    def _leave(self, state: str) -> str:
        """Remove partial results of a stopped job."""
        if self._now is not None:
            assert self.worker is not None
            self.worker.close()
            relocation.drop_parts(self._now.pieces)
            for path in self._now.locks:
                try:
                    lock.clear(path)
                except CacheError as error:
                    self.error = self.error or error
        return state


def _pieces(plan: collecting.Plan) -> list[tuple[str, str]]:
    return [(str(source), str(target)) for source, target in plan.pieces]
