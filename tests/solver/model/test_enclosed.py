"""Volumes that cloths enclose, and the push on them."""

import numpy as np
import pytest

from solver.model.enclosed import Enclosed
from tests.scenes.spheres import icosphere

X, TRIANGLES = icosphere(2, 0.5)
EVERY = np.ones(len(X))


def tetrahedra_volume(x, t):
    return np.linalg.det(x[t]).sum() / 6


def test_the_volume_is_that_of_the_mesh_wherever_it_stands():
    """1e-12 of the volume: rounding."""
    found = Enclosed(TRIANGLES, EVERY).volume(X + [3.0, -2.0, 5.0])
    assert found == pytest.approx(tetrahedra_volume(X, TRIANGLES), rel=1e-12)


def test_two_holes_are_closed_by_fans_to_their_means():
    """1e-12: rounding. Without the faces round two opposite vertices the rest is closed by the flat pentagons that they
    stood on, of which the volume beyond is known."""
    poles = [0, int(np.argmin(X @ X[0]))]
    open_faces = TRIANGLES[~np.isin(TRIANGLES, poles).any(1)]
    x, caps = X + [1.0, 2.0, 3.0], 0.0
    for pole in poles:
        rim = TRIANGLES[(pole == TRIANGLES).any(1)]
        mean = x[np.setdiff1d(rim, pole)].mean(0)
        caps += np.linalg.det(x[rim] - mean).sum() / 6
    assert Enclosed(open_faces, EVERY).volume(x) == pytest.approx(tetrahedra_volume(X, TRIANGLES) - caps, rel=1e-12)


def test_along_a_motion_the_volume_is_the_polynomial_that_is_given():
    """1e-12: rounding; a cubic through four points."""
    way = 0.1 * np.random.default_rng(1).standard_normal(X.shape)
    enclosed = Enclosed(TRIANGLES[5:], EVERY)
    found = np.polynomial.Polynomial(enclosed.volumes(X, way))
    assert [found(s) for s in (0.0, 0.5, 2.0)] == pytest.approx([enclosed.volume(X + s * way) for s in (0.0, 0.5, 2.0)])


def test_a_pressure_pushes_as_the_volume_grows_and_moves_nothing_as_a_whole():
    """1e-7: differences of step 1e-6; 1e-13: rounding of the sums."""
    enclosed, way = Enclosed(TRIANGLES, EVERY), np.random.default_rng(2).standard_normal(X.shape)
    push = enclosed.push(X, EVERY)
    slope = (enclosed.volume(X + 1e-6 * way) - enclosed.volume(X - 1e-6 * way)) / 2e-6
    assert (push * way).sum() == pytest.approx(slope, rel=1e-7)
    assert np.abs(push.sum(0)).max() < 1e-13 and np.abs(np.cross(X, push).sum(0)).max() < 1e-13


def test_the_pressure_of_a_fluid_pushes_by_its_weight():
    """1e-12: rounding; Archimedes: a pressure that grows downwards by the specific weight pushes down by it times the
    volume."""
    enclosed = Enclosed(TRIANGLES, EVERY)
    push = enclosed.push(X, 9810.0 * (X[:, 2].max() - X[:, 2]))
    assert push.sum(0) == pytest.approx([0, 0, -9810.0 * enclosed.volume(X)], abs=1e-9)


def test_faces_with_a_corner_without_weight_neither_enclose_nor_are_pushed():
    """The volume is that of the remaining faces, closed."""
    weights = np.where(X[:, 2] > 0, 1.0, 0.0)
    enclosed = Enclosed(TRIANGLES, weights)
    upper = TRIANGLES[(X[TRIANGLES, 2] > 0).all(1)]
    assert enclosed.volume(X) == Enclosed(upper, EVERY).volume(X) > 0
    assert not enclosed.push(X, weights)[X[:, 2] < -0.2].any()
