"""Element functions as functions of the GPU: the same Python source, compiled again by `numba-cuda-mlir`.

A function compiled by Numba for the CPU keeps its Python function. A copy of that gets, in place of every compiled function
that it calls, the same made for the GPU, recursively; numbers stay as they are.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Callable

import numpy as np

from ..epsilon import epsilon
from ..simd import table

_EPSILON = np.float32(2.0**-23)


def _look_up(row, place, offset):
    return row[int(place) + offset]


def _whole_part(x):
    return np.float32(int(x))


def _epsilon(value):
    return _EPSILON


#: Functions for the CPU's compiler, and their replacements on a GPU, in single precision.
TWINS = {id(table.look_up): _look_up, id(table.whole_part): _whole_part, id(epsilon): _epsilon}


#: Python builtins that are refused, and their replacements: numba-cuda-mlir 0.6.0 takes the length of an array for the
#: number of all its numbers, whatever axes it has.
REFUSED = {"len": "array.shape[0]"}


@functools.cache
def device_function(function: types.FunctionType) -> Callable:
    """A Python function, with all that it calls, as a function that kernels of the GPU can call."""
    from numba_cuda_mlir import cuda

    return cuda.jit(device=True, fastmath=True)(for_gpu(function))


def for_gpu(function: types.FunctionType) -> types.FunctionType:
    """Return the Python function with its callees made for the GPU. Raises: TypeError for a callee without a twin there."""
    names, code = dict(function.__globals__), function.__code__
    for name in global_names(code):
        if name in REFUSED:
            where = f"{function.__module__}.{function.__qualname__}"
            raise TypeError(f"{where}: {name} is another number on a GPU; wanted {REFUSED[name]}. Write that in its place.")
        if name in names:
            names[name] = _converted(names[name], code, f"{function.__qualname__}: {name}")
    closure = function.__closure__ and tuple(
        types.CellType(_converted(cell.cell_contents, code, function.__qualname__)) for cell in function.__closure__
    )
    copy = types.FunctionType(code, names, function.__name__, function.__defaults__, closure)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def global_names(code: types.CodeType) -> set[str]:
    """Return the names that the code reads from its module; `co_names` has those of attributes too."""
    return {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}


def _converted(value: object, code: types.CodeType, where: str) -> object:
    if id(value) in TWINS:
        return device_function(TWINS[id(value)])
    if hasattr(value, "py_func"):
        return device_function(value.py_func)
    if isinstance(value, types.ModuleType) and value.__name__.startswith(_OWN):
        space = types.ModuleType(value.__name__)
        for name in code.co_names:
            if name in vars(value):
                setattr(space, name, _converted(vars(value)[name], code, where))
        return space
    if type(value).__name__ == "_Intrinsic":
        raise TypeError(f"{where} is an instruction of the CPU; wanted one with a twin for the GPU. Add it to TWINS.")
    return value


_OWN = __name__.removesuffix("device.cuda.device_functions")
