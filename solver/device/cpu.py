"""Decorators of CPU code: `element` for the physics of one element, `kernel` for loops.

The physics is written once, for one element, as straight-line functions of tuples. A loop over 16 gathered elements
(`LANES`) calls it; `forceinline` lets LLVM melt both into vector instructions. The same undecorated functions can be
built for CUDA. A constant must be typed (`HALF = f32(0.5)`): a bare `0.5` turns float32 into float64.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .compiled_function import Compiled, Parameters, Result
from .jit import compile_cached, load_numba

_numba = load_numba()

#: Elements a pack. Sixteen float32 fill one AVX-512 register, two AVX2 registers; LLVM does not vectorise eight.
LANES = 16

f32 = np.float32

# No "nnan" and "ninf": kernels must be able to see that a simulation has left the finite numbers. No "reassoc": the order of
# sums would follow from how LLVM happens to optimise a loop; it gains no time but in `summing_kernel`.
FASTMATH = {"contract", "arcp", "nsz", "afn"}


def element(function: Callable[Parameters, Result]) -> Compiled[Parameters, Result]:
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


def kernel(function: Callable[Parameters, Result]) -> Compiled[Parameters, Result]:
    """A loop on one thread, kept in the disk cache; other Python threads run meanwhile."""
    return compile_cached(function, fastmath=FASTMATH)


def summing_kernel(function: Callable[Parameters, Result]) -> Compiled[Parameters, Result]:
    """A kernel whose sums are taken in the order that vectors like: one of doubles in a loop is three times as fast so."""
    return compile_cached(function, fastmath=FASTMATH | {"reassoc"})
