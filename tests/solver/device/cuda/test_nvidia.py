"""Arrays of a GPU, and what kernels are handed: on a GPU of the host (`host_gpu.py`)."""

import types
from typing import Any, NamedTuple

import numpy as np
import pytest

from solver.device.cuda import nvidia
from solver.device.cuda.device_array import arguments

from .host_gpu import host_gpu


class Given(NamedTuple):
    x: Any


class Many(NamedTuple):
    x: Any
    inner: Given
    number: int
    share: np.float32


@pytest.fixture
def device(monkeypatch):
    return host_gpu(monkeypatch)


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
    assert (device.download(array[2]) == expected[2]).all() and (device.download(array[2][1:]) == expected[2, 1:]).all()
    assert device.download(array[1:1]).shape == (0, 3) and (device.download(array.reshape(-1)) == expected.ravel()).all()
    assert (device.counters.up, device.counters.down) == (48 + 24, 48 + 48 + 16 + 12 + 8 + 0 + 48)


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
