"""Polar decomposition without singular values, against singular values."""

import numpy as np
import pytest

from solver.device.cpu import element
from solver.mathlib import mat3, polar
from tests.solver.mathlib.lanes import run

SHAPES = {
    "rest": [1, 1, 1],
    "stretched": [3, 0.7, 1.2],
    "needle": [5, 0.1, 0.1],
    "flat": [1.1, 0.9, 0],
    "inverted": [1.1, 0.9, -0.4],
}


@element
def rotation(F):
    return polar.rotation(F, mat3.gram(F))


def matrices(shape, n=200):
    """Matrices of signed singular values `shape`, and their rotations."""
    rng = np.random.default_rng(1)
    u, v = (np.linalg.qr(rng.standard_normal((n, 3, 3)))[0] for _ in range(2))
    u *= np.linalg.det(u)[:, None, None]
    v *= np.linalg.det(v)[:, None, None]
    return u * np.asarray(shape, float) @ v, u @ v


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("dtype, error", [(np.float32, 1e-5), (np.float64, 1e-9)])
def test_rotation_is_that_of_the_signed_singular_values(shape, dtype, error):
    """1e-5: float32's rounding over the sum of the two smallest singular values, 0.2 for the needle; in float64 1e-9, what
    the Newton steps leave."""
    F, R = matrices(shape)
    found = np.array(run(rotation, F.astype(dtype)))
    assert np.abs(found - R).max() < error


def test_where_the_rotation_is_not_determined_it_is_finite():
    for shape in ([1, 1, -1], [1, 0, 0], [0, 0, 0], [-1, -1, -1]):
        for dtype in (np.float32, np.float64):
            found = np.array(run(rotation, matrices(shape)[0].astype(dtype)))
            assert np.isfinite(found).all()
            assert np.abs(found).max() < 3
