"""Types of compiled functions, as Python sees them."""

from __future__ import annotations

from types import FunctionType
from typing import ParamSpec, Protocol, TypeVar, TypeVarTuple

import numpy as np

Parameters = ParamSpec("Parameters")
Others = TypeVarTuple("Others")
Result = TypeVar("Result", covariant=True)


class Compiled(Protocol[Parameters, Result]):
    """A function that Numba has compiled. py_func: its Python function."""

    @property
    def py_func(self) -> FunctionType: ...

    def __call__(self, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result: ...


class RowKernel(Protocol[*Others]):
    """A kernel over ranges of rows, as a job of `threads.share`. Others: its arguments beside the first and last row."""

    def __call__(
        self, thread: int, threads: int, known: int, begun: np.ndarray, progress: np.ndarray, begins: np.ndarray,
        ranges: np.ndarray, arguments: tuple[*Others], /,
    ) -> int: ...  # fmt: skip
