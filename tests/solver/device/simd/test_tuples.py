"""Tuples of one lane."""

import numpy as np
import pytest

from solver.device.cpu import LANES, kernel
from solver.device.simd.tuples import ones_where, put_numbers


@kernel
def fill(which, row):
    for lane in range(LANES):
        put_numbers(row, lane, ones_where(row, which, lane, 3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("integer", [np.int8, np.int32])
def test_ones_stand_where_a_lane_says_and_nowhere_else(dtype, integer):
    """Three is outside the three numbers: such a lane has none. Bits, no tolerance."""
    which, row = np.arange(LANES).astype(integer) % 4, np.full(3 * LANES, 7, dtype)
    fill(which, row)
    assert (row.reshape(3, LANES) == (np.arange(3)[:, None] == which)).all()
