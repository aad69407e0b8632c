"""Functions of doubles in single precision, the precision of devices.

Code for doubles has bare literals and calls `float`. A copy of it has numbers of single precision in their place, and so
have its callees and the numbers of its module.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from ..compiled_function import Compiled
from ..uncounted import inline
from .device_functions import global_names

#: A larger literal means infinity.
MOST = float(np.finfo(np.float32).max)


def single(function: Compiled[..., Any]) -> Compiled[..., Any]:
    """An inlined function like this one, which `device.cpu` or `device.uncounted` has compiled."""
    return _single(function.py_func)


@functools.cache
def _single(function: types.FunctionType) -> Compiled[..., Any]:
    code, names = function.__code__, dict(function.__globals__)
    names["float"] = np.float32
    for name in global_names(code):
        if name in names:
            names[name] = _converted(names[name])
    literals = code.replace(co_consts=tuple(_converted(value) for value in code.co_consts))
    copy = types.FunctionType(literals, names, function.__name__)
    copy.__module__, copy.__qualname__, copy.__doc__ = function.__module__, function.__qualname__, function.__doc__
    return inline(copy)


def _converted(value: object) -> object:
    if isinstance(value, float):
        return np.float32(min(max(value, -MOST), MOST))
    if type(value) is tuple:  # a literal one
        return tuple(_converted(part) for part in value)
    return _single(value.py_func) if hasattr(value, "py_func") else value
