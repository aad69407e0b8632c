"""Arrays and launches on a GPU, and a frame's launches as one graph: by stand-ins for the packages that reach a GPU."""

import ctypes
import gc
import sys
import types
from typing import Any, NamedTuple

import numpy as np
import pytest

from solver.device.cuda import kernels, nvidia
from solver.device.cuda.body import body
from solver.device.cuda.compiled import BLOCK
from solver.device.cuda.device import SerialDevice
from solver.device.cuda.device_array import arguments


class Given(NamedTuple):
    x: Any


class Many(NamedTuple):
    x: Any
    inner: Given
    number: int
    share: np.float32


@body
def add_one(i, given):
    given.x[i] += 1


class Stream:
    """Of the package cuda-core. done: what it was asked to do, one after the other."""

    handle = 0

    def __init__(self):
        self.done, self.recorded = [], None

    def launch(self, what):
        (self.done if self.recorded is None else self.recorded).append(what)

    def sync(self):
        pass

    def create_graph_builder(self):
        return self

    def begin_building(self):
        assert not gc.isenabled(), "what is let go of would be freed by the graph"
        self.recorded = []

    def end_building(self):
        self.graph, self.recorded = self.recorded, None

    def complete(self):
        graph = types.SimpleNamespace(launch=lambda stream, whole=tuple(self.graph): stream.done.append(whole))
        return graph


class Memory:
    """Of the host, in place of a GPU's."""

    def __init__(self, size):
        self.bytes = np.zeros(size, np.uint8)
        self.handle = self.bytes.ctypes.data

    def fill(self, value, stream):
        self.bytes[:] = value


def memcpy(target, source, size, stream):
    ctypes.memmove(target, source, size)
    return (0,)


@pytest.fixture
def device(monkeypatch):
    """A GPU by stand-ins for the packages; each kernel launched is noted by its name and what it was given."""
    stream = Stream()
    card = types.SimpleNamespace(
        set_current=lambda: None, create_stream=lambda: stream, compute_capability=(9, 0),
        allocate=lambda size, stream: Memory(size),
    )  # fmt: skip
    core = types.SimpleNamespace(
        Device=lambda number: card, LaunchConfig=lambda grid, block: (grid, block),
        launch=lambda stream, config, kernel, *given: stream.launch((kernel, config, *given)),
        ObjectCode=types.SimpleNamespace(
            from_cubin=lambda code, name: types.SimpleNamespace(get_kernel=lambda entry: (code, name, entry))
        ),
    )  # fmt: skip
    driver = types.SimpleNamespace(cuMemcpyAsync=memcpy, CUresult=types.SimpleNamespace(CUDA_SUCCESS=0))
    bindings = types.SimpleNamespace(driver=driver)
    for name, made in {"cuda": types.SimpleNamespace(core=core, bindings=bindings), "cuda.bindings": bindings}.items():
        monkeypatch.setitem(sys.modules, name, made)
    monkeypatch.setattr(kernels.compiled, "ptx", lambda body, given, capability: "text")
    monkeypatch.setattr(kernels.compiled, "assembled", lambda text, capability: (b"code", "log"))
    monkeypatch.setattr(kernels, "cache_folder", lambda: None)
    return nvidia.CudaDevice()


def frame(device, x):
    def launches():
        for _ in range(3):
            device.launch(add_one, len(x), Given(x))

    return launches


def launched(x):
    return (b"code", "test_graph.add_one", "kernel"), (1, BLOCK), 5, x.place, x.place, 0, 5, 1


def test_arrays_go_up_come_down_and_are_copied(device):
    host = np.arange(12, dtype=np.float32).reshape(4, 3)
    array = device.upload(host)
    assert (array.shape, array.dtype, len(array), array.size, array.nbytes) == ((4, 3), np.float32, 4, 12, 48)
    device.update(array[1:3], 7.0)
    device.copy(array[:1], array[3:])
    expected = host.copy()
    expected[1:3], expected[0] = 7.0, host[3]
    assert (device.download(array) == expected).all() and (host == np.arange(12).reshape(4, 3)).all()
    into = np.zeros((4, 3))
    device.download(array, into)
    assert (into == expected).all() and not device.download(device.zeros((2, 2), np.int32)).any()
    assert device.download(array[1:1]).shape == (0, 3) and (device.download(array.reshape(-1)) == expected.ravel()).all()
    assert (device.counters.up, device.counters.down) == (48 + 24, 48 + 48 + 16 + 0 + 48)


def test_a_kernel_is_handed_places_lengths_and_numbers_of_their_width(device):
    x, y = device.zeros((4, 3), np.float32), device.zeros(2, bool)
    inner = Given(y[1:])
    found = arguments(9, Many(x, inner, 3, np.float32(0.5)))
    assert found == [9, x.place, x.place, 0, 4, 3, 3, 1, y.place + 1, y.place + 1, 0, 1, 1, 3, 0.5]
    assert [value.dtype for value in (found[0], *found[-2:])] == [np.int32, np.int64, np.float32]


def test_a_copy_that_the_driver_refuses_is_told_in_its_word(device, monkeypatch):
    failed = types.SimpleNamespace(name="CUDA_ERROR_ILLEGAL_ADDRESS")
    monkeypatch.setattr(device._driver, "cuMemcpyAsync", lambda *_: (failed,))
    with pytest.raises(nvidia.CudaError, match="CUDA_ERROR_ILLEGAL_ADDRESS"):
        device.upload(np.zeros(3))


def test_what_was_compiled_is_kept_and_half_of_it_is_not_taken(device, monkeypatch, tmp_path):
    x = device.upload(np.zeros(5, np.float32))
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    assert kernels.cubin(add_one, Given(x), (9, 0)) == b"code"
    (path,) = tmp_path.rglob("*.cubin")
    monkeypatch.setattr(kernels.compiled, "assembled", lambda text, capability: (b"other", "log"))
    assert kernels.cubin(add_one, Given(x), (9, 0)) == b"code"
    assert kernels.cubin(add_one, Given(x), (7, 5)) == b"other", "of another device"
    assert kernels.cubin(add_one, Given(device.zeros((5, 1), np.float32)), (9, 0)) == b"other", "of other types"
    path.write_bytes(path.read_bytes()[:-1])
    assert kernels.cubin(add_one, Given(x), (9, 0)) == b"other" and len(list(tmp_path.rglob("*.*"))) == 3


def test_the_first_frame_launches_the_second_records_and_all_others_replay(device):
    x = device.upload(np.zeros(5, np.float32))
    one, counts = launched(x), []
    for _ in range(4):
        device.counters.clear()
        device.repeat("frame", frame(device, x))
        counts.append(device.counters.launches)
    assert device.stream.done == [one, one, one, (one, one, one), (one, one, one), (one, one, one)]
    assert counts == [3, 3, 3, 3]


def test_another_key_launches_again_and_forgets_the_graph(device):
    x = device.upload(np.zeros(5, np.float32))
    one = launched(x)
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
    assert device.stream.recorded is None and gc.isenabled()


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
