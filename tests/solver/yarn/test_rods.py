"""Energy of a patch of yarns: its gradient, and that a periodic patch has no beginning."""

from dataclasses import replace

import numpy as np
import pytest

from solver.yarn.compute import read
from solver.yarn.cylinder import REACH, SIDE, cylinder, images
from solver.yarn.minimise import energy_of
from solver.yarn.patch import make_patch, with_set

pytestmark = pytest.mark.slow  # the energy is compiled

SHAPES = {
    "flat": cylinder(0.0, 0.0, 0.0),
    "sheared": cylinder(0.1, 0.15, -0.05),
    "bent": cylinder(0.05, 0.1, -0.04, 300.0, 0.7),
}


def patch_of(name):
    """Its points off their places by a twentieth of a radius, and half of its curvature set."""
    patch = make_patch(*read(name))
    rods = patch.problem.rods
    patch = with_set(patch, np.full(len(patch.q), 0.5))
    noise = np.random.default_rng(0).normal(size=patch.q.shape)
    return patch, patch.q + 0.05 * rods.radius[:, None] * noise


def evaluate(patch, q, shape, pairs=None):
    pairs, count = pairs or patch.pairs_at(q, shape)
    n = len(q)
    work = np.empty((SIDE * SIDE, 5)), np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((SIDE * SIDE, 2))
    gradient = np.empty(4 * n)
    return energy_of(q.ravel().copy(), patch.problem, pairs, count, shape.copy(), *work, gradient), gradient


@pytest.mark.each_value
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["plain_weave", "stockinette"])
def test_the_gradient_is_that_of_differences(name, shape):
    """1e-7: central differences of a millionth of a radius in float64. Stretch, bending about a set curvature, twist and
    contact have all a part in it."""
    patch, q = patch_of(name)
    pairs = patch.pairs_at(q, SHAPES[shape])
    _, gradient = evaluate(patch, q, SHAPES[shape], pairs)
    weight = patch.problem.rods.weight
    random = np.random.default_rng(1)
    for _ in range(3):
        d = random.normal(size=q.shape)
        d[:, 2] -= weight * (weight @ d[:, 2]) / (weight @ weight)  # heights keep their mean
        step = 1e-6 * patch.problem.rods.radius.min()
        ahead, behind = (evaluate(patch, q + side * step * d, SHAPES[shape], pairs)[0] for side in (1, -1))
        assert (ahead - behind) / (2 * step) == pytest.approx(gradient @ d.ravel(), rel=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_patch_one_repeat_further_is_the_same_patch(shape):
    """1e-10 of the energy: it stands elsewhere on the cylinder, so its coordinates are rounded otherwise. The frames that
    turns are counted from are kept in space, so they are taken along. The pairs are the same ones, of the same number."""
    patch, q = patch_of("stockinette")
    problem, motions = patch.problem, np.empty((SIDE * SIDE, 5))
    further = q + np.array([problem.width, -problem.height, 0.0, 0.0])
    images(SHAPES[shape], problem.width, problem.height, motions)
    c, s = motions[(REACH + 1) * SIDE + REACH - 1, :2]
    turn = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    t1, t2, a1, a2, _ = SHAPES[shape]
    c, s = np.array([t1 + a2, a1 - t2]) / np.hypot(t1 + a2, a1 - t2)
    plane = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])  # what the shape turns the sheet by
    turn = plane.T @ turn @ plane
    rods = problem.rods._replace(tangent=problem.rods.tangent @ turn.T, director=problem.rods.director @ turn.T)
    along = replace(patch, problem=problem._replace(rods=rods))
    here, there = evaluate(patch, q, SHAPES[shape])[0], evaluate(along, further, SHAPES[shape])[0]
    assert there == pytest.approx(here, rel=1e-10)
    assert patch.pairs_at(q, SHAPES[shape])[1] == patch.pairs_at(further, SHAPES[shape])[1]
