"""Kernels over ranges of rows, whose threads claim ranges without the GIL: one call of a kernel on each thread does all.

    @row_kernel
    def double(first, last, x):               # the rows first to last
        ...

    threads.run(double, len(x), x)

A decorated function is called by a loop that goes through stages: in each it claims ranges, and waits until all are done.
The loop is written once; each kernel has a copy of it with other globals and the kernel's name (as in `per_energy.py`).
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .atomics import add_atomically, claim, finish, wait_for_change
from .compiled_function import Others, RowKernel
from .cpu import FASTMATH
from .jit import compile_cached, load_numba
from .threads import PATIENCE
from .uncounted import subroutine

_numba = load_numba()

#: Of a type that is not these values' alone.
FIRST, NONE = np.int64(0), np.int64(-1)
#: Stands for the kernel that a loop is compiled for.
rows: Any = object()


def row_kernel(function: Callable[[int, int, *Others], None]) -> RowKernel[*Others]:
    """A kernel of (first, last, *arguments), for `threads.run` and `threads.run_ranges`."""
    return _compiled(function, {})


def uncounted_row_kernel(function: Callable[[int, int, *Others], None]) -> RowKernel[*Others]:
    """As `row_kernel`, for one that allocates nothing (`uncounted.py`)."""
    return _compiled(function, {"_nrt": False})


def _compiled(function: Callable[[int, int, *Others], None], options: dict[str, bool]) -> RowKernel[*Others]:
    rows_kernel = _numba.njit(
        error_model="numpy", fastmath=FASTMATH, boundscheck=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options
    )(function)  # fmt: skip
    loop = types.FunctionType(claim_ranges.__code__, {**globals(), "rows": rows_kernel}, function.__name__)
    loop.__module__, loop.__doc__ = function.__module__, function.__doc__
    # Numba names the files of its disk cache after this name, and `jit.py` their folder after the modules.
    module = function.__module__.rsplit(".", 1)[-1]
    loop.__qualname__ = ".".join([module, *function.__qualname__.split(".")])
    loop.__dict__["modules"] = getattr(function, "modules", frozenset({function.__module__}))
    return compile_cached(loop, fastmath=FASTMATH, **options)


def claim_ranges(thread, threads, known, begun, progress, begins, ranges, arguments):
    """Claim ranges as a job of `threads.share`: rows(first, last, *arguments) of each range; ranges of one stage at once.

    begins: first range of each stage and the end. ranges: first row of each and the one after the last, (k, 2).
    """
    stage, piece, done = _begin(thread, threads, begun, progress, begins)
    while piece >= 0:
        rows(ranges[piece, 0], ranges[piece, 1], *arguments)
        stage, piece, done = _claim(stage, done + 1, thread, progress, begins)
    return _end(thread, known, begun)


# What follows is compiled once for all kernels.


@subroutine
def _begin(thread, threads, begun, progress, begins):
    """The first stage, the first range that this thread has, and that it has done none."""
    if threads > 1 and thread == 0:
        add_atomically(begun, 0, 1)
    return _claim(FIRST, FIRST, thread, progress, begins)


@subroutine
def _claim(stage, done, thread, progress, begins):
    """The stage of the next range that this thread has, the range, NONE at the end, and how many it has done of that stage.
    done: the same of the last stage."""
    while stage < len(begins) - 1:
        pieces = begins[stage + 1] - begins[stage]
        piece = claim(progress[stage], thread, pieces)
        if piece >= 0:
            return stage, begins[stage] + piece, done
        finish(progress[stage], done, pieces)
        stage += 1
        done = FIRST
    return stage, NONE, done


@subroutine
def _end(thread, known, begun):
    """Return the result of a job's kernel, see `threads.share`."""
    return wait_for_change(begun, 0, known, PATIENCE) if thread > 0 else known
