"""Uploads to a device once a frame, by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from .device import Array, SerialDevice


class Uploads:
    """Values of a frame on a device, at constant addresses, as a captured graph requires. made: number of allocated arrays;
    addresses are constant while it is."""

    def __init__(self, device: SerialDevice) -> None:
        self.device, self.made = device, 0
        self._kept: dict[str, Array] = {}

    def take(self, name: str, values: np.ndarray, dtype: DTypeLike = np.float32) -> Array:
        """Return the values on the device; a changed shape gets a new address."""
        array, values = self._kept.get(name), np.asarray(values, dtype)
        if array is None or array.shape != values.shape:
            self._kept[name] = array = self.device.upload(values)
            self.made += 1
        else:
            self.device.update(array, values)
        return array
