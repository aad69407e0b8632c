"""Array of a device, the argument type of bodies and kernels."""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np


class Array(Protocol):
    """An array in the memory of a device. Of the CPU and of the serial twin it is NumPy's."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> np.dtype: ...

    @property
    def ndim(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def __len__(self) -> int: ...

    def __getitem__(self, rows: int | slice, /) -> Array: ...

    def reshape(self, size: int, /) -> Array: ...


Number: TypeAlias = np.generic | int | float
#: Arguments of a thread body: a NamedTuple of arrays, of numbers and of such tuples.
Arguments: TypeAlias = "tuple[Array | Number | Arguments, ...]"
