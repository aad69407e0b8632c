"""Banded Cholesky against dense algebra."""

import numpy as np
import pytest

from solver.linalg import banded


@pytest.mark.parametrize("n, width", [(1, 0), (3, 5), (40, 7)])
def test_factor_and_solve_agree_with_a_dense_solver(n, width):
    """1e-10 of numbers of about one, for a condition number of about 10."""
    rng = np.random.default_rng(n)
    full = rng.standard_normal((n, n))
    full = np.where(np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= width, full + full.T, 0)
    full += (1 + np.abs(full).sum(1).max()) * np.eye(n)
    band = np.zeros((n, width + 1))
    for row in range(n):
        for column in range(row, min(n, row + width + 1)):
            band[row, column - row] = full[row, column]
    b = rng.standard_normal(n)
    y = b.copy()
    banded.factor(band)
    banded.solve(band, y)
    assert np.allclose(full @ y, b, rtol=0, atol=1e-10)
