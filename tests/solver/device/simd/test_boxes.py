"""Sixteen boxes or numbers against one."""

from __future__ import annotations

import numpy as np
import pytest

from solver.device.cpu import LANES
from solver.device.simd.boxes import equal, lowest_bit, meeting, meeting_between
from solver.device.uncounted import uncounted_kernel


@uncounted_kernel
def _meeting(boxes, box):
    return meeting(boxes, box[0], box[1], box[2], box[3], box[4], box[5])


@uncounted_kernel
def _equal(numbers, place, values):
    return equal(numbers, place, values[0])


@uncounted_kernel
def _lowest(bits):
    return lowest_bit(bits)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_those_boxes_meet_that_overlap_or_touch_along_all_axes(dtype):
    random = np.random.default_rng(1)
    low = random.integers(0, 4, (LANES, 3))  # whole numbers, so that many touch
    high = low + random.integers(0, 3, (LANES, 3))
    boxes = np.concatenate([low.T.ravel(), high.T.ravel()]).astype(dtype)
    seen = set()
    for _ in range(50):
        a = random.integers(0, 4, 3)
        b = a + random.integers(0, 3, 3)
        expected = ((low <= b) & (high >= a)).all(1)
        found = _meeting(boxes, np.concatenate([a, b]).astype(dtype))
        assert [found >> k & 1 for k in range(LANES)] == expected.tolist()
        assert found >> LANES == 0
        seen |= set(expected.tolist())
    assert seen == {True, False}


def test_the_bits_of_equal_are_where_the_number_stands():
    numbers = np.random.default_rng(2).integers(-1, 3, 3 * LANES).astype(np.int32)
    for place in (0, LANES, 2 * LANES):
        found = _equal(numbers, place, np.array([2], np.int32))
        assert [found >> k & 1 for k in range(LANES)] == (numbers[place : place + LANES] == 2).tolist()


def test_the_lowest_bit_is_counted_from_the_right():
    assert [_lowest(bits) for bits in (1, 6, 0b101000, 1 << 15)] == [0, 1, 3, 15]


@uncounted_kernel
def _meeting_between(boxes, box):
    return meeting_between(
        boxes,
        (box[0], box[1], box[2], box[3], box[4], box[5], box[6], box[7], box[8], box[9], box[10], box[11]),
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_moving_boxes_meet_unless_they_are_apart_along_an_axis_at_both_times(dtype):
    random = np.random.default_rng(3)
    low = random.integers(0, 4, (2, LANES, 3))
    high = low + random.integers(0, 3, (2, LANES, 3))
    boxes = np.concatenate([part.T.ravel() for time in (0, 1) for part in (low[time], high[time])]).astype(dtype)
    seen = set()
    for _ in range(50):
        a = random.integers(0, 4, (2, 3))
        b = a + random.integers(0, 3, (2, 3))
        expected = ((low <= b[:, None]).any(0) & (high >= a[:, None]).any(0)).all(1)
        found = _meeting_between(boxes, np.concatenate([a[0], b[0], a[1], b[1]]).astype(dtype))
        assert [found >> k & 1 for k in range(LANES)] == expected.tolist()
        seen |= set(expected.tolist())
    assert seen == {True, False}
