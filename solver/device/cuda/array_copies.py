"""Copies of arrays of a device, which stay there."""

from __future__ import annotations

from collections.abc import Sequence

from .device import Array, SerialDevice


class ArrayCopies:
    """Copies of arrays on the device. arrays: the last copies, in order; empty before the first."""

    def __init__(self, device: SerialDevice) -> None:
        self._device, self.arrays = device, list[Array]()

    def take(self, arrays: Sequence[Array]) -> None:
        """Copy all arrays, in place if the shapes agree with those before."""
        if [array.shape for array in arrays] != [array.shape for array in self.arrays]:
            self.arrays = [self._device.empty(array.shape, array.dtype) for array in arrays]
        for copy, array in zip(self.arrays, arrays, strict=True):
            self._device.copy(copy, array)
