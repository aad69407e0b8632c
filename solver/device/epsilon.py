"""The rounding of the type that a kernel computes in, for constants that are to be large against it and small else."""

from __future__ import annotations

import numpy as np

from .jit import load_numba

load_numba()
from numba import extending, types  # noqa: E402

_SINGLE, _DOUBLE = np.float32(2.0**-23), np.float64(2.0**-52)


def epsilon(value: np.floating | np.ndarray) -> np.floating:
    """Distance from 1 to the next number of the type of `value`, in that type."""
    return np.finfo(np.asarray(value).dtype).eps


@extending.overload(epsilon, inline="always")
def _epsilon(value):
    if value == types.float32:
        return lambda value: _SINGLE
    return lambda value: _DOUBLE
