"""Copies of arrays of a device, which stay there."""

from __future__ import annotations

from collections.abc import Sequence

from ..device.cuda.device import Array, SerialDevice


class Kept:
    """arrays: copies of those that were taken last, in their order; none before."""

    def __init__(self, device: SerialDevice) -> None:
        self._device, self.arrays = device, list[Array]()

    def take(self, arrays: Sequence[Array]) -> None:
        """Copies all, in place where they have the shapes of those before."""
        if [array.shape for array in arrays] != [array.shape for array in self.arrays]:
            self.arrays = [self._device.empty(array.shape, array.dtype) for array in arrays]
        for kept, array in zip(self.arrays, arrays, strict=True):
            self._device.copy(kept, array)
