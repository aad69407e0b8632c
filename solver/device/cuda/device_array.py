"""Arrays in a GPU's memory, and how a kernel is given them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class DeviceArray:
    """Numbers of a GPU, contiguous in C's order. memory: what owns them; place: the address of the first.

    described: as a kernel is given the array, what MLIR calls a memref: two addresses, an offset, the lengths, and by how
    many numbers each index steps.
    """

    def __init__(self, memory: Any, place: int, shape: tuple[int, ...], dtype: Any):
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
            row = self[rows : rows + 1]
            return DeviceArray(self.memory, row.place, self.shape[1:], self.dtype)
        first, last, step = rows.indices(len(self))
        assert step == 1, "others are not contiguous"
        row = self.nbytes // max(len(self), 1)
        return DeviceArray(self.memory, self.place + first * row, (max(last - first, 0), *self.shape[1:]), self.dtype)

    def reshape(self, size: int) -> DeviceArray:
        """All numbers in one row: size is -1."""
        assert size == -1
        return DeviceArray(self.memory, self.place, (self.size,), self.dtype)


def arguments(count: int, given: Any) -> list[Any]:
    """What a kernel of a body is launched with, see `compiled.kernel_function`: addresses and lengths, and numbers."""
    found: list[Any] = [np.int32(count)]
    _add(given, found)
    return found


def _add(given: Any, found: list[Any]) -> None:
    for value in given:
        if isinstance(value, DeviceArray):
            found.extend(value.described)
        elif isinstance(value, tuple):
            _add(value, found)
        else:
            found.append(np.asarray(value)[()])  # Python's numbers have no width
