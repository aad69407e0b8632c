"""A CUDA device: the launches and arrays of `device.py` on a GPU, by the package cuda-core."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import compile_ahead, kernels, turns
from .array import Arguments, Array
from .body import Body
from .compiled import BLOCK, ENTRY
from .device import SerialDevice, types_of
from .device_array import DeviceArray, arguments
from .graph import Graph, GraphRecorder

#: Bytes of the host that a GPU writes to, at least.
LEAST_PINNED = 1 << 20


class CudaError(Exception):
    """An error of the driver, by its name."""


class CudaDevice(SerialDevice):
    """The GPU of a number, on a stream of its own. Raises: ImportError without the package."""

    name = "cuda"

    def __init__(self, number: int = 0) -> None:
        from cuda import core
        from cuda.bindings import driver

        super().__init__()
        self._core, self._driver = core, driver
        self._device = core.Device(number)
        self._device.set_current()
        self.stream = self._device.create_stream()
        capability = self._device.compute_capability
        self._capability = int(capability[0]), int(capability[1])
        self._kernels: dict[tuple, Any] = {}
        self._recorder = GraphRecorder(self.stream)
        self._pinned: Any = None
        self._needed: dict[tuple, tuple[Body | turns.Turns, Arguments]] | None = None
        self._graph: Graph | None = None
        self._in_graph = 0

    def _repeat(self, launches: Callable[[], None]) -> None:
        if not self._repeats:  # kernels are compiled and loaded now, which a capture may not do
            self._graph = None
            self._compile(launches)
            launches()
            return
        if self._graph is None:
            before = self.counters.launches
            self._graph = self._recorder.record(launches)
            self._in_graph, self.counters.launches = self.counters.launches - before, before
        self._recorder.replay(self._graph)
        self.counters.launches += self._in_graph

    def _compile(self, launches: Callable[[], None]) -> None:
        """Compile kernels of launches that are missing; nothing is launched."""
        before, self._needed = self.counters.launches, {}
        try:
            launches()
        finally:
            needed, self._needed, self.counters.launches = self._needed, None, before
        compile_ahead.compile_missing(needed.values(), self._capability)

    def _launch(self, body: Body | turns.Turns, count: int, args: Arguments) -> None:
        key = body, types_of(args)
        kernel = self._kernels.get(key)
        if self._needed is not None:
            if kernel is None:
                self._needed[key] = body, args
            return
        if kernel is None:
            code = kernels.cubin(body, args, self._capability)
            kernel = self._kernels[key] = self._core.ObjectCode.from_cubin(code, name=body.name).get_kernel(ENTRY)
        block = turns.BLOCK if isinstance(body, turns.Turns) else BLOCK
        config = self._core.LaunchConfig(grid=-(-int(count) // block), block=block)
        self._core.launch(self.stream, config, kernel, *arguments(count, args))

    def upload(self, host: ArrayLike, dtype: DTypeLike | None = None) -> DeviceArray:
        """See `SerialDevice`."""
        values = np.ascontiguousarray(host, dtype).reshape(np.shape(host))  # keeps scalars without axes
        array = self.empty(values.shape, values.dtype)
        self._write(array, values)
        return array

    def update(self, array: Array, host: ArrayLike) -> None:
        """See `SerialDevice`."""
        self._between()
        self._write(_on_gpu(array), np.ascontiguousarray(np.broadcast_to(host, array.shape), array.dtype))

    def _write(self, array: DeviceArray, values: np.ndarray) -> None:
        self.counters.up += values.nbytes
        self._copy(array.place, values.ctypes.data, values.nbytes)

    def download(self, array: Array, out: np.ndarray | None = None) -> np.ndarray:
        """See `SerialDevice`."""
        self._between()
        host = self._landing(_on_gpu(array))
        self._copy(host.ctypes.data, _on_gpu(array).place, array.nbytes)
        self.stream.sync()
        self.counters.down += array.nbytes
        if out is None:
            return host.copy()
        out[...] = host
        return out

    def _landing(self, array: DeviceArray) -> np.ndarray:
        """Memory of the host that the GPU writes to by itself, for an array; of the last one too."""
        if self._pinned is None or self._pinned.size < array.nbytes:
            self._pinned = self._core.LegacyPinnedMemoryResource().allocate(max(array.nbytes, LEAST_PINNED))
        memory = (ctypes.c_byte * array.nbytes).from_address(int(self._pinned.handle))
        return np.ndarray(array.shape, array.dtype, memoryview(memory))

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        """See `SerialDevice`."""
        self._between()
        shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        memory = self._device.allocate(max(size, 1), stream=self.stream)
        return DeviceArray(memory, int(memory.handle), tuple(int(n) for n in shape), dtype)

    def zeros(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        """See `SerialDevice`."""
        array = self.empty(shape, dtype)
        assert array.memory is not None
        array.memory.fill(0, stream=self.stream)
        return array

    def copy(self, target: Array, source: Array) -> None:
        """See `SerialDevice`."""
        if self._needed is None:
            self._copy(_on_gpu(target).place, _on_gpu(source).place, source.nbytes)

    def _copy(self, target: int, source: int, size: int) -> None:
        """Copy on the stream. The driver reads pageable host memory completely before it returns."""
        if size:
            (code,) = self._driver.cuMemcpyAsync(target, source, size, self.stream.handle)
            if code != self._driver.CUresult.CUDA_SUCCESS:
                raise CudaError(f"cuMemcpyAsync: {code.name}")

    def wait(self) -> None:
        """See `SerialDevice`."""
        self.stream.sync()


def _on_gpu(array: Array) -> DeviceArray:
    """Return an array, which must be this device's."""
    assert isinstance(array, DeviceArray)
    return array
