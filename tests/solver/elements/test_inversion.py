"""Righting an inverted tetrahedron."""

import numpy as np
import pytest

from solver.device.cpu import element
from solver.elements import inversion, solid_solve, tetrahedron
from solver.mathlib import mat3, vec3
from tests.solver.mathlib.lanes import run

REST = np.array([[0.0, 0.0, 0.0], [0.1, 0.01, 0.0], [0.03, 0.08, 0.0], [0.02, 0.03, 0.09]])
INVERSE = np.linalg.inv((REST[1:] - REST[0]).T)
WEIGHT = np.array([1e-3, 5e-3, 2e-3, 4e-3])


@element
def moved(corners, w, rest):
    g = tetrahedron.gradients_of(rest)
    g0 = solid_solve.first_gradient(g)
    scaled = (rest[9] * w[0], rest[9] * w[1], rest[9] * w[2], rest[9] * w[3])
    F = tetrahedron.deformation(corners, g)
    Y = inversion.flipped_smallest_stretch(F, solid_solve.mobility(scaled, g0, g))
    gradients = (g0, g[0], g[1], g[2])
    return (
        vec3.add_scaled(corners[0], scaled[0], mat3.times_vector(Y, gradients[0])),
        vec3.add_scaled(corners[1], scaled[1], mat3.times_vector(Y, gradients[1])),
        vec3.add_scaled(corners[2], scaled[2], mat3.times_vector(Y, gradients[2])),
        vec3.add_scaled(corners[3], scaled[3], mat3.times_vector(Y, gradients[3])),
    )


def inversion_recovery(x, w):
    rest = np.append(INVERSE.ravel(), 2.0)
    return np.array(run(moved, x[None], np.asarray(w)[None], rest[None])[0])


def deformation(x):
    return (x[1:] - x[0]).T @ INVERSE


def placed(shape, seed=0):
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    across, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return REST @ across @ np.diag(shape) @ across.T @ (turn * np.linalg.det(turn))


@pytest.mark.parametrize("shape", [[1, 0.9, 1.1], [0.2, 0.3, 0.4], [5, 4, 0.02]])
def test_a_good_element_is_left_alone(shape):
    x = placed(shape)
    assert (inversion_recovery(x, WEIGHT) == x).all()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shape", [[1, 1.3, -0.4], [1.2, 0.8, 0.0], [1, 1.01, -1], [2, 0.5, -0.1], [-1, -0.9, -0.7]])
def test_an_inverted_element_gets_its_smallest_singular_value_back_with_the_other_sign(shape, seed):
    """5 % of J, with a smallest value of at least LEAST: where two singular values are near each other the direction is one
    between them; HOLD takes 1e-4 of the move."""
    x = placed(shape, seed)
    wanted = np.linalg.svd(deformation(x))[1]
    wanted[2] = max(wanted[2], 0.05)
    F = deformation(inversion_recovery(x, WEIGHT))
    assert np.linalg.det(F) > 0
    assert np.linalg.det(F) == pytest.approx(wanted.prod(), rel=0.05)


def test_the_centre_of_mass_stays():
    """1e-15 m, of the heaviest corner: rounding of coordinates of 0.1 m. The move is more than 1 cm."""
    x = placed([1, 1.3, -0.4])
    move = inversion_recovery(x, WEIGHT) - x
    assert np.abs(move).max() > 0.01
    assert np.abs((move / WEIGHT[:, None]).sum(0)).max() < 1e-15 / WEIGHT.min()


@pytest.mark.parametrize("pinned", [[0], [1, 2], [0, 1, 2], [0, 1, 2, 3]])
def test_pinned_corners_stay_and_the_others_right_the_element_if_they_can(pinned):
    x = placed([1, 1.2, -0.5])
    w = WEIGHT.copy()
    w[pinned] = 0
    y = inversion_recovery(x, w)
    assert np.isfinite(y).all()
    assert (y[pinned] == x[pinned]).all()
