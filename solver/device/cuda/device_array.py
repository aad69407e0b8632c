"""Arrays in a GPU's memory, and how a kernel is given them."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike

from .array import Arguments
from .graph import Stream


class Memory(Protocol):
    """Memory of a GPU, by cuda-core."""

    def fill(self, value: int, *, stream: Stream) -> None: ...


class DeviceArray:
    """Numbers on a GPU, contiguous in C's order. memory: its owner; place: the address of the first.

    described: the array as an argument of a kernel, a memref of MLIR: two addresses, an offset, the lengths, and the stride
    of each index in numbers.
    """

    def __init__(self, memory: Memory | None, place: int, shape: tuple[int, ...], dtype: DTypeLike):
        self.memory, self.place, self.shape, self.dtype = memory, place, shape, np.dtype(dtype)
        self.ndim, self.size = len(shape), math.prod(shape)
        self.nbytes = self.size * self.dtype.itemsize
        steps = tuple(math.prod(shape[k + 1 :]) for k in range(self.ndim))
        self.described = place, place, 0, *shape, *steps

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: int | slice) -> DeviceArray:
        """Rows that follow one another, or one without its axis; of the same memory."""
        if not isinstance(rows, slice):
            one = self[rows : rows + 1]
            return DeviceArray(self.memory, one.place, self.shape[1:], self.dtype)
        first, last, step = rows.indices(len(self))
        assert step == 1, "others are not contiguous"
        row = self.nbytes // max(len(self), 1)
        return DeviceArray(self.memory, self.place + first * row, (max(last - first, 0), *self.shape[1:]), self.dtype)

    def reshape(self, size: int) -> DeviceArray:
        """Return all numbers in one row: size is -1."""
        assert size == -1
        return DeviceArray(self.memory, self.place, (self.size,), self.dtype)


def arguments(count: int, args: Arguments) -> list[object]:
    """Return the launch arguments of a body's kernel, see `compiled.kernel_function`: addresses and lengths, and numbers."""
    flat: list[object] = [np.int32(count)]
    _add(args, flat)
    return flat


def _add(args: Arguments, numbers: list[object]) -> None:
    for value in args:
        if isinstance(value, DeviceArray):
            numbers.extend(value.described)
        elif isinstance(value, tuple):
            _add(value, numbers)
        else:
            numbers.append(np.asarray(value)[()])  # Python's numbers have no width
