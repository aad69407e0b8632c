"""Decorators of functions and kernels whose arrays are not reference-counted: they allocate nothing.

Numba counts the references to each array that a function is given or slices, with an atomic instruction each, in the
innermost loops too; that took a third of the time of measuring a pair. What allocates nothing needs no counts.
"""

from __future__ import annotations

from collections.abc import Callable

from .compiled_function import Compiled, Parameters, Result
from .cpu import FASTMATH
from .jit import compile_cached, load_numba

_numba = load_numba()


def inline(function: Callable[Parameters, Result]) -> Compiled[Parameters, Result]:
    """A function that is melted into the kernels that call it; Python cannot call it.

    As `device.cpu.element`, but without the wrappers through which Python and C could call it: these take a fifth of the
    time that compiling contact takes.
    """
    return _numba.njit(
        error_model="numpy", fastmath=FASTMATH, boundscheck=False, forceinline=True,
        no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False,
    )(function)  # fmt: skip


def summing_inline(function: Callable[Parameters, Result]) -> Compiled[Parameters, Result]:
    """As `inline`, but its sums are taken in the order that vectors like, see `device.cpu.summing_kernel`."""
    return _numba.njit(
        error_model="numpy", fastmath=FASTMATH | {"reassoc"}, boundscheck=False, forceinline=True,
        no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False,
    )(function)  # fmt: skip


def subroutine(function: Callable[Parameters, Result]) -> Compiled[Parameters, Result]:
    """As `inline`, but called where kernels call it: for a long function that is called from several places, of which
    `inline` would make a copy each."""
    return _numba.njit(
        error_model="numpy", fastmath=FASTMATH, boundscheck=False,
        no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False,
    )(function)  # fmt: skip


def uncounted_kernel(function: Callable[Parameters, Result]) -> Compiled[Parameters, Result]:
    """As `device.cpu.kernel`, for one that allocates nothing and returns no array."""
    return compile_cached(function, fastmath=FASTMATH, _nrt=False)
