"""A CUDA device: the launches and arrays of `device.py` on a GPU, by the package numba-cuda-mlir."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .body import Body
from .compiled import BLOCK, kernel_function
from .device import Array, SerialDevice
from .graph import GraphRecorder


class CudaDevice(SerialDevice):
    """The GPU of a number, on a stream of its own. Raises: ImportError without the package."""

    name = "cuda"

    def __init__(self, number: int = 0) -> None:
        from numba_cuda_mlir import cuda

        super().__init__()
        self.cuda = cuda
        cuda.select_device(number)
        self.stream = cuda.stream()
        self._recorder = GraphRecorder(number, self.stream)
        self._graph: Any = None
        self._in_graph = 0

    def _repeat(self, launches: Callable[[], None]) -> None:
        if not self._repeats:  # kernels are compiled and loaded now, which a capture may not do
            self._graph = None
            launches()
            return
        if self._graph is None:
            before = self.counters.launches
            self._graph = self._recorder.record(launches)
            self._in_graph, self.counters.launches = self.counters.launches - before, before
        self._recorder.replay(self._graph)
        self.counters.launches += self._in_graph

    def _launch(self, body: Body, count: int, given: Any) -> None:
        _kernel(body)[-(-count // BLOCK), BLOCK, self.stream](np.int32(count), given)

    def upload(self, host: Any, dtype: Any = None) -> Array:
        """See `SerialDevice`."""
        self._between()
        values = np.ascontiguousarray(host, dtype)
        self.counters.up += values.nbytes
        return self.cuda.to_device(values, stream=self.stream)

    def update(self, array: Array, host: Any) -> None:
        """See `SerialDevice`."""
        self._between()
        values = np.ascontiguousarray(np.broadcast_to(host, array.shape), array.dtype)
        self.counters.up += values.nbytes
        array.copy_to_device(values, stream=self.stream)

    def download(self, array: Array, out: np.ndarray | None = None) -> np.ndarray:
        """See `SerialDevice`."""
        self._between()
        host = array.copy_to_host(stream=self.stream)
        self.stream.synchronize()
        self.counters.down += host.nbytes
        if out is None:
            return host
        out[...] = host
        return out

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """See `SerialDevice`."""
        self._between()
        return self.cuda.device_array(shape, dtype, stream=self.stream)

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """See `SerialDevice`."""
        self._between()
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
