"""The decorator of functions that only kernels call.

As `device.cpu.element`, but without the wrappers through which Python and C could call it: these take a fifth of the
time that compiling contact takes.
"""

from __future__ import annotations

from ..device.cpu import FASTMATH
from ..device.jit import load_numba

_numba = load_numba()


def inner(function):
    """A function that is melted into the kernels that call it; Python cannot call it."""
    return _numba.njit(
        error_model="numpy", fastmath=FASTMATH, boundscheck=False, forceinline=True,
        no_cpython_wrapper=True, no_cfunc_wrapper=True,
    )(function)  # fmt: skip
