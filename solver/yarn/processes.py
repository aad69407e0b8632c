"""Samplers in several processes; results come in the order of the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..device.plain import Plain
from ..device.worker import Worker
from .sampler import Sampler

#: Arguments of a method of a `Sampler`.
Task: TypeAlias = tuple[Plain, ...]

#: Time to wait for a result before the next process is checked [s].
LOOK = 0.02
#: Calls queued at a process beside the running one.
AHEAD = 1


class Samplers:
    """count: processes beside this one, which takes no samples itself: so they are rounded the same for any number, whatever
    else this one has run. Use it as a context: they end with it."""

    def __init__(self, patch: Mapping[str, Plain], count: int) -> None:
        self._workers = [Worker(f"yarn.sampler:{Sampler.__name__}") for _ in range(max(1, count))]
        for worker in self._workers:
            worker.submit("take", patch)

    def __enter__(self) -> Samplers:
        for worker in self._workers:
            while not worker.is_ready(LOOK):
                pass
            worker.result()
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.close()

    def results(self, method: str, tasks: Sequence[Task], on_result: Callable[[int, Any], None]) -> list[Any]:
        """Return the results of a method for each argument, in order. on_result: called with a number and its result as
        soon as it is known. Raises: WorkerError if a process has ended."""
        results: list[Any] = [None] * len(tasks)
        for number, result in self._results(method, tasks):
            results[number] = result
            on_result(number, result)
        return results

    def _results(self, method: str, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        queued: list[list[int]] = [[] for _ in self._workers]
        following = 0
        while following < len(tasks) or any(queued):
            for worker, numbers in zip(self._workers, queued, strict=True):
                while following < len(tasks) and len(numbers) <= AHEAD:
                    worker.submit(method, *tasks[following])
                    numbers.append(following)
                    following += 1
                if numbers and worker.is_ready(LOOK / len(self._workers)):
                    yield numbers.pop(0), worker.result()
