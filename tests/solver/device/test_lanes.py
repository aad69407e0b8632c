"""Rows to lanes and back against plain indexing."""

import numpy as np
import pytest

from solver.device.cpu import LANES, kernel
from solver.device.lanes import gather_apart, scatter_onto

CORNERS = 3


@kernel
def gathered(x, index, lanes):
    gather_apart(x, index, 0, CORNERS, lanes)


@kernel
def scattered(x, index, lanes):
    scatter_onto(x, index, 0, CORNERS, lanes)


@pytest.mark.parametrize("narrow", [np.float32, np.float64])
def test_gathered_apart_and_scattered_onto_another_type(narrow):
    """Corners far from the origin; elements share vertices. Single precision has 6e-8 of the remaining difference, a few
    metres: less than 1e-6. Sums in double precision are the same to 1e-12."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((30, 4)) + 1e6
    index = rng.integers(0, 30, (1, CORNERS * LANES)).astype(np.int32)
    lanes = np.zeros(4 * CORNERS * LANES, narrow)
    gathered(x, index, lanes)
    corners = index.reshape(CORNERS, LANES)
    wanted = (x[corners] - x[corners[0]])[..., :3]
    found = lanes.reshape(CORNERS, 4, LANES).transpose(0, 2, 1)
    assert np.abs(found[..., :3] - wanted).max() < 1e-6
    out, expected = rng.standard_normal((2, 30, 4))
    expected[:] = out
    np.add.at(expected, corners.ravel(), found.reshape(-1, 4).astype(float))
    scattered(out, index, lanes)
    assert np.abs(out[:, :3] - expected[:, :3]).max() < 1e-12
