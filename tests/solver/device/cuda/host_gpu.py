"""A GPU whose memory is the host's and whose kernels are the serial twin's, by stand-ins for the packages that reach a
GPU.

Calls of the packages, and arguments of kernels, are as on a GPU; new memory holds rubbish.
"""

from __future__ import annotations

import ctypes
import gc
import math
import sys
import types
from typing import Any

import numpy as np

from solver.device.cuda import kernels, nvidia
from solver.device.cuda.device_array import DeviceArray

#: What a byte of new memory is.
RUBBISH = 0xA5


class Stream:
    """A stream of the package cuda-core. done: notes of its launches, one after the other; of a graph all at once.
    compiled: kernels that frames compiled ahead."""

    handle = 0

    def __init__(self):
        self.done, self.recorded, self.compiled = [], None, []

    def do(self, what, note=None):
        if self.recorded is not None:
            self.recorded.append((what, note))
            return
        what()
        if note is not None:
            self.done.append(note)

    def sync(self):
        assert self.recorded is None

    def create_graph_builder(self):
        return self

    def begin_building(self):
        assert not gc.isenabled(), "what is let go of would be freed by the graph"
        self.recorded = []

    def end_building(self):
        self._graph, self.recorded = self.recorded, None

    def complete(self):
        whole = self._graph

        def launch(stream):
            for what, _ in whole:
                what()
            self.done.append(tuple(note for _, note in whole if note is not None))

        return types.SimpleNamespace(launch=launch)


class Memory:
    """Memory of the host. handle: its address."""

    def __init__(self, size, stream):
        assert stream.recorded is None, "nothing is made while launches are recorded"
        self.bytes, self.size = np.full(size, RUBBISH, np.uint8), size
        self.handle = self.bytes.ctypes.data

    def fill(self, value, stream):
        stream.do(lambda: self.bytes.fill(value))


class Kernel:
    """A kernel of a body. args: an example of its arguments' types."""

    def __init__(self, body, args):
        self.body, self.args = body, args

    def launch(self, config, count, *numbers):
        """The serial twin's, by the numbers that a GPU is handed."""
        assert all(type(n) is int for n in config) and config[0] * config[1] >= count
        left = iter(numbers)
        args = given_by(left, self.args)
        assert next(left, None) is None
        self.body.serial(count, args)


def given_by(numbers: Any, like: Any) -> Any:
    """Arrays and numbers, of the types of others, of what a kernel is handed for them."""
    if isinstance(like, tuple):
        parts = [given_by(numbers, value) for value in like]
        return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)
    if not isinstance(like, DeviceArray):
        value = next(numbers)
        assert value.dtype == np.asarray(like).dtype
        return value
    place, aligned, offset, *sizes = [next(numbers) for _ in range(3 + 2 * like.ndim)]
    shape, steps = sizes[: like.ndim], sizes[like.ndim :]
    memory = (ctypes.c_byte * (math.prod(shape) * like.dtype.itemsize)).from_address(place)
    array = np.ndarray(shape, like.dtype, memory)
    assert place == aligned and offset == 0 and like.ndim > 0
    assert not array.size or [step * like.dtype.itemsize for step in steps] == list(array.strides)
    return array


def host_gpu(monkeypatch) -> nvidia.CudaDevice:
    """A device of the host; its `stream` is the one above."""
    stream = Stream()

    def memcpy(target, source, size, handle):
        stream.do(lambda: ctypes.memmove(target, source, size))
        return (0,)

    def launch(stream, config, kernel, *args):
        stream.do(lambda: kernel.launch(config, *args), (kernel.body.name, config, *args))

    gpu = types.SimpleNamespace(
        set_current=lambda: None, create_stream=lambda: stream, compute_capability=(9, 0),
        allocate=lambda size, stream: Memory(size, stream),
    )  # fmt: skip
    core = types.SimpleNamespace(
        Device=lambda number: gpu, LaunchConfig=lambda grid, block: (grid, block), launch=launch,
        LegacyPinnedMemoryResource=lambda: types.SimpleNamespace(allocate=lambda size: Memory(size, stream)),
        ObjectCode=types.SimpleNamespace(
            from_cubin=lambda code, name: types.SimpleNamespace(get_kernel=lambda entry: Kernel(*code))
        ),
    )  # fmt: skip
    driver = types.SimpleNamespace(cuMemcpyAsync=memcpy, CUresult=types.SimpleNamespace(CUDA_SUCCESS=0))
    bindings = types.SimpleNamespace(driver=driver)
    for name, made in {"cuda": types.SimpleNamespace(core=core, bindings=bindings), "cuda.bindings": bindings}.items():
        monkeypatch.setitem(sys.modules, name, made)
    monkeypatch.setattr(kernels, "cubin", lambda body, args, capability: (body, args))
    monkeypatch.setattr(nvidia.compile_ahead, "compile_missing", lambda needed, capability: stream.compiled.extend(needed))
    return nvidia.CudaDevice()
