"""Array of a device, the argument type of bodies and kernels."""

from __future__ import annotations

from typing import Any, Protocol


class Array(Protocol):
    """An array in the memory of a device. Of the CPU and of the serial twin it is NumPy's."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> Any: ...

    @property
    def ndim(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any, /) -> Any: ...

    def reshape(self, size: int, /) -> Any: ...
