"""A frame's launches as one graph: on a GPU of the host (`host_gpu.py`)."""

import gc
from typing import Any, NamedTuple

import numpy as np
import pytest

from solver.device.cuda.body import body
from solver.device.cuda.compiled import BLOCK
from solver.device.cuda.device import SerialDevice

from .host_gpu import host_gpu


class Given(NamedTuple):
    x: Any


@body
def add_one(i, args):
    args.x[i] += 1


@pytest.fixture
def device(monkeypatch):
    return host_gpu(monkeypatch)


def frame(device, x):
    def launches():
        for _ in range(3):
            device.launch(add_one, len(x), Given(x))

    return launches


def launched(x):
    return "test_graph.add_one", (1, BLOCK), 5, x.place, x.place, 0, 5, 1


def test_the_first_frame_launches_the_second_records_and_all_others_replay(device):
    x = device.upload(np.zeros(5, np.float32))
    one, counts = launched(x), []
    for _ in range(4):
        device.counters.clear()
        device.repeat("frame", frame(device, x))
        counts.append(device.counters.launches)
    assert device.stream.done == [one, one, one, (one, one, one), (one, one, one), (one, one, one)]
    assert counts == [3, 3, 3, 3] and (device.download(x) == 12).all()


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
