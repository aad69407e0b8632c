"""Sums and scans on a device, against NumPy."""

import numpy as np
import pytest

from solver.device.cuda.device import SerialDevice
from solver.device.cuda.primitives import Tree, sum_by_row

NUMBERS = np.random.default_rng(5).integers(0, 1000, 5000).astype(np.int32)


@pytest.fixture
def device():
    return SerialDevice()


@pytest.mark.parametrize("count", [1, 64, 65, 5000])
def test_sums_largest_values_and_scans_of_any_length(device, count):
    values, tree = device.upload(NUMBERS[:count]), Tree(device, len(NUMBERS), np.int32)
    out = device.empty(count, np.int32)
    assert int(tree.sum(values)[0]) == NUMBERS[:count].sum()
    assert int(tree.largest(values)[0]) == NUMBERS[:count].max()
    assert int(tree.scan(values, out)[0]) == NUMBERS[:count].sum()
    assert np.array_equal(out, np.cumsum(NUMBERS[:count]) - NUMBERS[:count])


def test_rows_are_added_up_in_their_order(device):
    """The same bits as one addition after the other: in single precision another order would round otherwise."""
    values = np.random.default_rng(1).standard_normal((100, 3)).astype(np.float32)
    order = np.random.default_rng(2).permutation(100).astype(np.int32)
    first, out = np.array([0, 40, 40, 100], np.int32), device.zeros((3, 3), np.float32)
    sum_by_row(device, device.upload(values), device.upload(first), device.upload(order), out)
    expected = np.zeros((3, 3), np.float32)
    for row in range(3):
        for k in order[first[row] : first[row + 1]]:
            expected[row] += values[k]
    assert out.tobytes() == expected.tobytes()
    assert device.counters.launches == 1
