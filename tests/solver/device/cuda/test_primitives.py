"""Sums, scans, compaction and order on a device, against NumPy."""

import numpy as np
import pytest

from solver.device.cuda.device import SerialDevice
from solver.device.cuda.primitives import Tree, compact, sort_by_key, sum_by_row

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


def test_what_is_chosen_stands_together_in_its_order(device):
    tree, where = Tree(device, len(NUMBERS), np.int32), device.upload((NUMBERS % 3 == 0).astype(np.int32))
    places, out = device.empty(len(NUMBERS), np.int32), device.empty(len(NUMBERS), np.int32)
    count = int(compact(tree, where, places, out)[0])
    assert np.array_equal(out[:count], np.flatnonzero(NUMBERS % 3 == 0))


def test_equal_keys_keep_their_order(device):
    tree, order = Tree(device, len(NUMBERS), np.int32), np.arange(len(NUMBERS), dtype=np.int32)
    keys, values = sort_by_key(tree, device.upload(NUMBERS), device.upload(order), 10)
    expected = np.argsort(NUMBERS, kind="stable")
    assert np.array_equal(values, expected)
    assert np.array_equal(keys, NUMBERS[expected])


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
