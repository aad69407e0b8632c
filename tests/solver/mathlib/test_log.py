"""The logarithm of lanes."""

import numpy as np
import pytest

from solver.mathlib.log import log
from tests.solver.mathlib.lanes import run


@pytest.mark.parametrize("dtype, error", [(np.float32, 2e-7), (np.float64, 1e-13)])
def test_log_is_the_logarithm(dtype, error):
    """Relative error where the value is above 1, else absolute: 2e-7, less than two units in the last place of float32;
    1e-13, the series' next term."""
    x = np.exp(np.random.default_rng(0).uniform(-4.8, 10, 5000)).astype(dtype)
    exact = np.log(x.astype(np.longdouble))
    assert (np.abs(np.array(run(log, x)) - exact) / np.maximum(1, abs(exact))).max() < error


def test_log_of_one_is_zero():
    assert run(log, np.ones(1)) == [0.0]
