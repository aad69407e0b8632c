"""Additive continuous collision detection of single pairs: crossings fail, and the safe share of the motion is safe."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.ccd.detection import passes
from solver.contact.narrow_phase.local_minimum import between
from solver.contact.surfaces.motion import SubstepMotion
from solver.device.cpu import kernel

THICK = 0.01


@kernel
def all_pairs(motion, count, vertex, thick, out):
    for p in range(count):
        i = 4 * p
        _, _, d, _ = between(motion.x0, motion.x0, i, i + 1, i + 2, i + 3, vertex, thick * 0)
        good, t = passes(motion, (i, i + 1, i + 2, i + 3), vertex, d, thick)
        _, _, after, _ = between(motion.x0, motion.x1, i, i + 1, i + 2, i + 3, vertex, t)
        out[p, 0], out[p, 1], out[p, 2], out[p, 3] = d, good, t, after


def found(x0: np.ndarray, x1: np.ndarray, vertex: bool) -> np.ndarray:
    """Start distance, whether it passes, safe share and distance there of pairs, each of four rows."""
    out = np.zeros((len(x0) // 4, 4))
    columns = np.ones((len(x0), 1))
    all_pairs(SubstepMotion(np.hstack([x0, columns]), np.hstack([x1, columns])), len(out), vertex, THICK, out)
    return out


TRIANGLE = [[-1.0, -1, 0], [1, -1, 0], [0, 1, 0]]


@pytest.mark.parametrize(("end", "passed"), [(-0.5, 0), (0.0, 0), (0.001, 0), (THICK, 1), (0.4, 1), (2.0, 1)])
def test_a_point_that_goes_through_a_triangle_fails(end, passed):
    """From 0.5 m above, fifty times the distance kept, it may come as near as about a tenth of that distance: what falls
    fast comes to rest where it is to be."""
    x0 = np.array([[0, 0, 0.5], *TRIANGLE])
    x1 = np.array([[0, 0, end], *TRIANGLE])
    assert found(x0, x1, True)[0, 1] == passed


def test_a_motion_that_all_share_is_no_motion():
    x0 = np.array([[0, 0, 0.02], *TRIANGLE])
    assert found(x0, x0 + [50.0, -20, 30], True)[0, 1] == 1


@pytest.mark.parametrize("vertex", [True, False])
def test_the_safe_share_of_any_motion_leaves_a_distance(vertex):
    """Random pairs: at the share that is said to be safe none is nearer than the least distance; and each motion of which
    all is safe is free at 65 points on the way."""
    rng, n = np.random.default_rng(8), 400
    x0 = rng.normal(size=(4 * n, 3))
    x1 = x0 + rng.normal(size=(4 * n, 3)) * 1.5
    out = found(x0, x1, vertex)
    least = np.where(out[:, 0] > 0.036 * THICK, 0.03 * THICK, 0.0)
    assert (out[:, 3] >= least).all()
    assert 20 < np.count_nonzero(out[:, 1]) < n - 20
    good = np.flatnonzero(out[:, 1])
    rows = (4 * good[:, None] + np.arange(4)).ravel()
    for t in np.linspace(0, 1, 65):
        at = x0[rows] + t * (x1 - x0)[rows]
        assert (found(at, at, vertex)[:, 0] >= least[good]).all()
