"""A CUDA device: the launches and arrays of `device.py` on a GPU, by the package numba-cuda-mlir."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .body import Body
from .compiled import BLOCK, kernel_function
from .device import Array, SerialDevice


class CudaDevice(SerialDevice):
    """The GPU of a number, on a stream of its own. Raises: ImportError without the package."""

    name = "cuda"

    def __init__(self, number: int = 0) -> None:
        from numba_cuda_mlir import cuda

        super().__init__()
        self.cuda = cuda
        cuda.select_device(number)
        self.stream = cuda.stream()

    def _launch(self, body: Body, count: int, given: Any) -> None:
        _kernel(body)[-(-count // BLOCK), BLOCK, self.stream](np.int32(count), given)

    def upload(self, host: Any, dtype: Any = None) -> Array:
        """See `SerialDevice`."""
        values = np.ascontiguousarray(host, dtype)
        self.counters.up += values.nbytes
        return self.cuda.to_device(values, stream=self.stream)

    def update(self, array: Array, host: Any) -> None:
        """See `SerialDevice`."""
        values = np.ascontiguousarray(np.broadcast_to(host, array.shape), array.dtype)
        self.counters.up += values.nbytes
        array.copy_to_device(values, stream=self.stream)

    def download(self, array: Array, out: np.ndarray | None = None) -> np.ndarray:
        """See `SerialDevice`."""
        host = array.copy_to_host(stream=self.stream)
        self.stream.synchronize()
        self.counters.down += host.nbytes
        if out is None:
            return host
        out[...] = host
        return out

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """See `SerialDevice`."""
        return self.cuda.device_array(shape, dtype, stream=self.stream)

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """See `SerialDevice`."""
        return self.cuda.to_device(np.zeros(shape, dtype), stream=self.stream)

    def copy(self, target: Array, source: Array) -> None:
        """See `SerialDevice`."""
        target.copy_to_device(source, stream=self.stream)

    def wait(self) -> None:
        """See `SerialDevice`."""
        self.stream.synchronize()


@functools.cache
def _kernel(body: Body) -> Any:
    from numba_cuda_mlir import cuda

    return cuda.jit(fastmath=True)(kernel_function(body))
