"""Threads of the CPU: execution of kernels and tasks on several of them.

One pool of Python threads serves all work. Kernels release the GIL, so that these threads run beside one another:

    share(kernel, ...)        a kernel whose threads claim pieces of its work, and meet several times (`loops_cpu.py`)
    run(kernel, rows)         a kernel over ranges of rows (`row_kernels.py`)
    run_ranges(kernel, ...)   the same with given ranges, in stages
    each(count, rows, task)   a task of Python with each number from 0 to count

All use the same helpers, which stay awake for a while after each piece of work and begin the next one within microseconds.
Results do not depend on the number of threads: concurrent pieces write to separate places, and ranges begin at multiples of
`CHUNK`. No thread waits for one that has not begun: a thread that shares work can complete it alone.
Numba's own parallel loops are not used: each compiles a second time, and their threads spin at every barrier
(docs/notes/tried.md).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

import numpy as np

from .atomics import DONE, add_atomically, wait_for_change, wait_for_count
from .compiled_function import Others, RowKernel
from .counters import counters
from .jit import load_numba
from .uncounted import uncounted_kernel

_numba = load_numba()

#: Rows a chunk.
CHUNK = 256
#: Rows from which threads pay.
FEW = 2048
#: A helper that has done its part offers its processor to others so many times, about 400 us, before it goes to sleep:
#: Python takes as long between most kernels, and waking a thread takes as long as a sweep of a small sheet.
PATIENCE = 1000

#: Argument of one thread.
Each = TypeVar("Each")

_own = threading.local()
#: How many jobs have been begun; helpers listen to it.
_begun = np.zeros(1, np.int64)
#: Kernel, what each thread has for itself, and arguments of the job that is being done.
_job: tuple[Callable[..., int], Sequence[object], tuple[object, ...]] | None = None
_awake: set[int] = set()


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_numba.config.NUMBA_NUM_THREADS, "gpbd")


def set_threads(threads: int | None) -> int:
    """Kernels that the calling thread starts use this many threads (None: one a core); returns the number in use."""
    most = _numba.config.NUMBA_NUM_THREADS
    _own.count = most if threads is None else min(threads, most)
    return _own.count


def thread_count() -> int:
    """Threads that kernels of the calling thread use, itself among them."""
    return getattr(_own, "count", _numba.config.NUMBA_NUM_THREADS)


def share(
    kernel: Callable[[int, int, int, np.ndarray, Each, *Others], int], per_thread: Sequence[Each], *arguments: *Others
) -> None:
    """Call kernel(0, threads, -1, begun, per_thread[0], *arguments), and on other threads with 1, 2, ... in place of 0.

    per_thread: an argument for each thread; there are as many threads. The kernel of thread 0 returns when all work is
    done, by whichever threads have come. It adds one to `begun` as it begins: a helper that hears it takes the GIL,
    which is free by then. The others are given the number of jobs that they know of in place of -1; they return it when
    they have heard of no other for a while, else the new one.
    """
    counters.kernel_calls += 1
    _offer(kernel, per_thread, arguments)


def _offer(
    kernel: Callable[[int, int, int, np.ndarray, Each, *Others], int], per_thread: Sequence[Each], arguments: tuple[*Others]
) -> None:
    """As `share`, not counted."""
    global _job
    if len(per_thread) > 1:
        _job = kernel, per_thread, arguments
        for number in range(1, len(per_thread)):
            if number not in _awake:
                _awake.add(number)
                _pool().submit(_help, number)
    try:
        kernel(0, len(per_thread), -1, _begun, per_thread[0], *arguments)
    finally:
        _job = None


def threads_for(rows: int, pieces: int) -> int:
    """Return how many threads share work on so many rows in so many pieces."""
    return min(thread_count(), pieces) if rows >= FEW else 1


def stages(count: int) -> np.ndarray:
    """Return counters by which threads count the pieces of stages of their work, each stage on a cache line of its own,
    (count, 8): see `atomics.claim`."""
    return np.zeros((count, 8), np.int64)


def _help(number: int) -> None:
    """Take part in the current jobs, as thread `number`, until nothing new is begun for a while.

    A kernel that has heard of nothing returns when the GIL is free: often in the next job, which it does not know of."""
    known, heard = -1, int(_begun[0])
    try:
        while heard != known or _job is not None:
            known, job = heard, _job
            if job is None or number >= len(job[1]):
                heard = _listen(_begun, known)
            else:
                kernel, per_thread, arguments = job
                heard = kernel(number, len(per_thread), known, _begun, per_thread[number], *arguments)
    finally:
        _awake.discard(number)


@uncounted_kernel
def _listen(begun, known):
    """The number of jobs begun, as soon as it is not the known one, or after a while."""
    return wait_for_change(begun, 0, known, PATIENCE)


def run(kernel: RowKernel[*Others], rows: int, *arguments: *Others) -> None:
    """kernel(first row, last row, *arguments) for all rows, on several threads where there are many. kernel: of
    `row_kernels.py`.

    The ranges start at multiples of `CHUNK`; a kernel must work chunk by chunk, so that its arithmetic is the same for
    any split.
    """
    threads = min(thread_count(), -(-rows // CHUNK)) if rows >= FEW else 1
    progress = stages(1)
    share(kernel, [progress] * threads, *_ranges(rows, threads), arguments)


def run_ranges(kernel: RowKernel[*Others], rows: int, begins: np.ndarray, ranges: np.ndarray, *arguments: *Others) -> None:
    """As `run`, with the ranges, first row and the one after the last, (k, 2). Those from begins[0] to begins[1], the first
    stage, are done before those from begins[1] to begins[2], and so on. rows: as many as make the same work."""
    progress = stages(len(begins) - 1)
    share(kernel, [progress] * threads_for(rows, len(ranges)), begins, ranges, arguments)


@lru_cache(maxsize=256)
def _ranges(rows: int, threads: int) -> tuple[np.ndarray, np.ndarray]:
    """Ranges of rows for so many threads, several for each, because contacts gather in a few places: begins and ranges as
    `run_ranges` takes them."""
    size = max(rows, 1) if threads < 2 else CHUNK * max(1, -(-rows // (CHUNK * 4 * threads)))
    first = np.arange(0, max(rows, 1), size, dtype=np.int64)
    return np.array([0, len(first)], np.int64), np.stack([first, np.minimum(first + size, rows)], 1)


def each(count: int, rows: int, task: Callable[[int], None]) -> None:
    """Call task(0), task(1), ... task(count - 1), on several threads where there are many rows in all. Each must write
    arrays of its own."""
    counters.kernel_calls += count
    _do_all(count, rows, task)


def _do_all(count: int, rows: int, task: Callable[[int], None]) -> None:
    """As `each`, not counted."""
    threads = min(thread_count(), count) if rows >= FEW else 1
    if threads < 2:
        for k in range(count):
            task(k)
        return
    tasks = _Tasks(count, task)
    _offer(tasks.take_part, [None] * threads, ())
    if tasks.failed is not None:
        raise tasks.failed


class _Tasks:
    """Tasks with the numbers from 0 to count, which threads claim one by one under the GIL. failed: what one has raised."""

    def __init__(self, count: int, task: Callable[[int], None]):
        self._left, self._count, self._task = iter(range(count)), count, task
        self._progress = stages(1)[0]
        self.failed: BaseException | None = None

    def take_part(self, thread: int, threads: int, known: int, begun: np.ndarray, _: None) -> int:
        """See `share`."""
        if thread == 0:
            _count_up(begun, 0)
        for k in self._left:
            try:
                self._task(k)
            finally:
                self.failed = self.failed or sys.exception()
                _count_up(self._progress, DONE)
        if thread == 0:
            _wait(self._progress, DONE, self._count)
            return known
        return _listen(begun, known)


@uncounted_kernel
def _count_up(counts, index):
    add_atomically(counts, index, 1)


@uncounted_kernel
def _wait(counts, index, wanted):
    wait_for_count(counts, index, wanted)
