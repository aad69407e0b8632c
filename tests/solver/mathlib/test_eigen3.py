"""The direction of the smallest eigenvalue."""

import numpy as np
import pytest

from solver.mathlib.eigen3 import smallest_direction
from tests.solver.mathlib.lanes import run


@pytest.mark.parametrize("values", [[3, 2, 1], [1, 1, 0], [4, 0.01, 0.0001], [1, 1, 1], [2, 1, 1], [1e-6, 2e-6, 3e-6]])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_form_is_smallest_along_the_direction(values, dtype):
    """5 % of the largest eigenvalue: the smallest is at most half the second, or as large, so that the second has about a
    quarter of the vector at most, a sixteenth of its square; where it has that much, it is above the smallest by no more
    than half of the largest."""
    rng = np.random.default_rng(2)
    turns, _ = np.linalg.qr(rng.standard_normal((200, 3, 3)))
    C = turns * np.array(values, float) @ turns.transpose(0, 2, 1)
    six = C[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    v = np.array(run(smallest_direction, six.astype(dtype)))
    v /= np.linalg.norm(v, axis=1)[:, None]
    found = np.einsum("ni,nij,nj->n", v, C, v)
    assert (found - min(values)).max() < 0.05 * max(values)
