"""A frame's launches as one graph: by stand-ins for the packages that reach a GPU, which note what they are asked."""

import sys
import types
from typing import Any, NamedTuple

import numpy as np
import pytest

from solver.device.cuda.body import body
from solver.device.cuda.device import SerialDevice


class Given(NamedTuple):
    x: Any


@body
def add_one(i, given):
    given.x[i] += 1


class Stream:
    """Of both packages. done: what it was asked to do, one after the other."""

    def __init__(self):
        self.done, self.recorded = [], None

    def launch(self, what):
        (self.done if self.recorded is None else self.recorded).append(what)

    def create_graph_builder(self):
        return self

    def begin_building(self):
        self.recorded = []

    def end_building(self):
        self.graph, self.recorded = self.recorded, None

    def complete(self):
        graph = types.SimpleNamespace(launch=lambda stream, whole=tuple(self.graph): stream.done.append(whole))
        return graph


@pytest.fixture
def device(monkeypatch):
    stream = Stream()

    class Kernel:
        def __init__(self, function):
            self.function = function

        def __getitem__(self, shape):
            return lambda count, given: shape[2].launch((self.function.__name__, int(count)))

    cuda = types.SimpleNamespace(
        select_device=lambda number: None, stream=lambda: stream, grid=None,
        jit=lambda **_: lambda function: Kernel(function), to_device=lambda values, stream: values,
    )  # fmt: skip
    core = types.SimpleNamespace(
        Device=lambda number: types.SimpleNamespace(set_current=lambda: None, create_stream=lambda given: given)
    )
    monkeypatch.setitem(sys.modules, "numba_cuda_mlir", types.SimpleNamespace(cuda=cuda))
    monkeypatch.setitem(sys.modules, "cuda.core", core)
    from solver.device.cuda import compiled, device_functions, nvidia

    for cache in (nvidia._kernel, compiled.kernel_function, device_functions.device_function):
        cache.cache_clear()
    yield nvidia.CudaDevice()
    for cache in (nvidia._kernel, compiled.kernel_function, device_functions.device_function):
        cache.cache_clear()


def frame(device, x):
    def launches():
        for _ in range(3):
            device.launch(add_one, len(x), Given(x))

    return launches


def test_the_first_frame_launches_the_second_records_and_all_others_replay(device):
    x, one = device.upload(np.zeros(5, np.float32)), ("test_graph_add_one", 5)
    counts = []
    for _ in range(4):
        device.counters.clear()
        device.repeat("frame", frame(device, x))
        counts.append(device.counters.launches)
    assert device.stream.done == [one, one, one, (one, one, one), (one, one, one), (one, one, one)]
    assert counts == [3, 3, 3, 3]


def test_another_key_launches_again_and_forgets_the_graph(device):
    x, one = device.upload(np.zeros(5, np.float32)), ("test_graph_add_one", 5)
    for key in ("frame", "frame", "other", "frame"):
        device.stream.done.clear()
        device.repeat(key, frame(device, x))
        assert device.stream.done == ([one] * 3 if len(device.stream.done) == 3 else [(one, one, one)])
    assert device.stream.done == [one] * 3


def test_what_fails_while_it_is_recorded_leaves_no_capture_open(device):
    def fails():
        raise ZeroDivisionError

    device.repeat("frame", lambda: None)
    with pytest.raises(ZeroDivisionError):
        device.repeat("frame", fails)
    assert device.stream.recorded is None


@pytest.mark.parametrize("what", ["upload", "download", "update", "zeros"])
def test_in_a_frame_that_is_done_again_nothing_is_made_or_passes(what):
    twin = SerialDevice()
    x = twin.zeros(3, np.float32)
    ways = {
        "upload": lambda: twin.upload(x), "download": lambda: twin.download(x), "update": lambda: twin.update(x, 1),
        "zeros": lambda: twin.zeros(3, np.float32),
    }  # fmt: skip
    twin.repeat("frame", ways[what])
    with pytest.raises(AssertionError, match="another time"):
        twin.repeat("frame", ways[what])
    ways[what]()


@pytest.mark.cuda
def test_the_package_has_what_records_graphs():
    """Needs the packages of the extra `cuda`, no GPU."""
    graphs = pytest.importorskip("cuda.core").graph
    assert all(hasattr(graphs.GraphBuilder, name) for name in ("begin_building", "end_building", "complete"))
    assert hasattr(graphs.Graph, "launch")
