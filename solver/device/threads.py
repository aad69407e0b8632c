"""Runs a chunked kernel on several threads.

Contact work is uneven and often tiny, so it does not use Numba's own parallel loops: their threads spin at every barrier,
which costs up to 10 ms a region on a busy machine, and each loop compiles a second time. The kernels release the GIL;
Python threads wait without spinning. Chunks have a fixed size and write to rows of their own, so the result does not
depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from .jit import load_numba

_numba = load_numba()

#: Rows a chunk.
CHUNK = 256
#: Rows from which threads pay.
MANY = 4096


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_numba.config.NUMBA_NUM_THREADS, "contact")


def run(kernel: Any, rows: int, *arguments: Any) -> None:
    """Calls kernel(first row, last row, *arguments) for all rows, on as many threads as Numba is set to.

    The ranges start at multiples of `CHUNK`; a kernel must work chunk by chunk, so that its arithmetic is the same for
    any split.
    """
    threads = min(_numba.get_num_threads(), -(-rows // CHUNK))
    if threads < 2 or rows < MANY:
        kernel(0, rows, *arguments)
        return
    # Several parts a thread, because contacts gather in a few places.
    size = CHUNK * max(1, -(-rows // (CHUNK * 4 * threads)))
    parts = [(first, min(first + size, rows)) for first in range(0, rows, size)]
    # The first call may compile; on its own, so that threads do not queue for the compiler.
    if not kernel.signatures:
        kernel(*parts.pop(0), *arguments)
    left = iter(parts)

    def work() -> None:
        for part in left:
            kernel(*part, *arguments)

    # This thread works too, and waits for none that has not even begun: waking one may take longer than the work.
    helpers = [_pool().submit(work) for _ in range(threads - 1)]
    work()
    for helper in helpers:
        if not helper.cancel():
            helper.result()


def beside(rows: int, task: Callable[[], None]) -> Callable[[], None]:
    """Starts a task of one thread, on so many rows, that others run beside; returns what waits for its end."""
    if _numba.get_num_threads() < 2 or rows < MANY:
        task()
        return lambda: None
    return _pool().submit(task).result
