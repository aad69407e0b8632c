"""Length of seam of each stitch: along a line their sum is its length, on any mesh and whatever its diagonals."""

import numpy as np
import pytest

from solver.topology.seam_lengths import seam_lengths
from tests.validation.meshes import grid


def sewn(n, m):
    """Two squares of 0.1 m with n and m squares at a side, sewn along one side: each vertex of the second to the nearest."""
    (x, t), (y, s) = grid(n, n, 0.1, 0.1), grid(m, m, 0.1, 0.1)
    right, left = np.flatnonzero(x[:, 0] > 0.1 - 1e-9), np.flatnonzero(y[:, 0] < 1e-9)
    nearest = np.abs(x[right, 1][None] - y[left, 1][:, None]).argmin(1)
    stitches = np.stack([right[nearest], left + len(x)], 1)
    return np.concatenate([x, y + [0.1, 0, 0]]), np.concatenate([t, s + len(x)]), stitches


@pytest.mark.parametrize(("n", "m"), [(4, 4), (4, 8), (3, 7)])
def test_the_stitches_of_a_seam_hold_its_length(n, m):
    """Rounding."""
    assert seam_lengths(*sewn(n, m)).sum() == pytest.approx(0.1, rel=1e-9)


def test_the_end_of_a_seam_holds_half_an_edge():
    """Rounding."""
    lengths = np.sort(seam_lengths(*sewn(4, 4)))
    assert lengths == pytest.approx([0.0125, 0.0125, 0.025, 0.025, 0.025])


def test_a_stitch_alone_holds_the_mean_length_of_the_edges_at_its_ends():
    """Rounding: three edges at a vertex of a border, one of them a diagonal, on both sides."""
    x, t, stitches = sewn(4, 4)
    one = seam_lengths(x, t, stitches[2:3])
    assert 0.025 < one[0] < 0.025 * np.sqrt(2)


def test_a_seam_on_a_sheet_runs_along_its_edges():
    """Rounding: half of the sewn line where it ends."""
    x, t = grid(4, 4, 0.1, 0.1)
    y, s = grid(4, 1, 0.1, 0.02)
    line = np.flatnonzero(np.abs(x[:, 1] - 0.05) < 1e-9)
    hem = np.flatnonzero(y[:, 1] < 1e-9)
    stitches = np.stack([line[np.argsort(x[line, 0])], hem[np.argsort(y[hem, 0])] + len(x)], 1)
    both = np.concatenate([x, y + [0, 0.05, 0.01]]), np.concatenate([t, s + len(x)])
    assert seam_lengths(*both, stitches).sum() == pytest.approx(0.1, rel=1e-9)
