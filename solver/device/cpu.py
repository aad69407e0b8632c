"""Decorators of CPU code: `element` for the physics of one element, `kernel` and `parallel_kernel` for loops.

The physics is written once, for one element, as straight-line functions of tuples. A loop over 16 gathered elements
(`LANES`) calls it; `forceinline` lets LLVM melt both into vector instructions. The same undecorated functions can be
built for CUDA. A constant must be typed (`HALF = f32(0.5)`): a bare `0.5` turns float32 into float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .jit import load_numba, use_cache_folder

_numba = load_numba()
prange = _numba.prange

#: Elements a pack. Sixteen float32 fill one AVX-512 register, two AVX2 registers; LLVM does not vectorise eight.
LANES = 16

f32 = np.float32

# No "nnan" and "ninf": kernels must be able to see that a simulation has left the finite numbers. No "reassoc": Numba
# optimises a parallel loop once more before it keeps it on disk, and sums in another order then; a bake that had compiled
# its kernels and one that read them from the disk had different bits. It gained no time.
FASTMATH = {"contract", "arcp", "nsz", "afn"}


def element(function: Callable[..., Any]) -> Any:
    """A function of one element: tuples in, tuples out, no branch, no array, no allocation."""
    # Only loops call it, so it needs no wrappers for calls from Python and C; they took a third of the compile time.
    return _numba.njit(
        error_model="numpy",
        fastmath=FASTMATH,
        forceinline=True,
        boundscheck=False,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )(function)


def kernel(function: Callable[..., Any]) -> Any:
    """A loop on one thread, kept in the disk cache; other Python threads run meanwhile."""
    use_cache_folder(_numba, function)
    return _numba.njit(error_model="numpy", fastmath=FASTMATH, boundscheck=False, nogil=True, cache=True)(function)


def summing_kernel(function: Callable[..., Any]) -> Any:
    """A kernel whose sums are taken in the order that vectors like, the same in every run: not for what parallel loops call
    (see `FASTMATH`). A sum of doubles in a loop is three times as fast so."""
    use_cache_folder(_numba, function)
    return _numba.njit(error_model="numpy", fastmath=FASTMATH | {"reassoc"}, boundscheck=False, nogil=True, cache=True)(
        function
    )


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """A loop with `prange`, kept in the disk cache; run it under `jit.lock`."""
    use_cache_folder(_numba, function)
    return _numba.njit(error_model="numpy", fastmath=FASTMATH, boundscheck=False, nogil=True, cache=True, parallel=True)(
        function
    )


def set_threads(threads: int | None) -> int:
    """Use this many threads in parallel kernels (None: all cores); returns the number in use."""
    most = _numba.config.NUMBA_NUM_THREADS
    count = most if threads is None else min(threads, most)
    _numba.set_num_threads(count)
    return count
