"""Ropes in the global step: the factors of a band are exact, so a coarse space has nothing left to do."""

import numpy as np
import pytest

from solver import Material, Pins, Rope, Scene, Settings, Simulation
from tests.scenes.ropes import chain, line, net

pytestmark = pytest.mark.slow  # compilation
MATERIAL = Material.rope(1000.0, 1e7, 1e6, 4e5, damping=0.01)


def system_of(x, edges):
    rope = Rope("rope", x, edges, 0.004, MATERIAL, pins=Pins([0]), self_contact=False)
    run = Simulation(Scene([rope]), Settings.quality("draft", dtype="float64"))
    return run.substeps.now.global_step.systems[0]


def motions(system):
    """Shares of vertices in the motions of the coarse space."""
    return len(system.parts[0].coarse_space.arrays[0][1])


@pytest.mark.parametrize("count", [5, 64])
def test_strands_have_exact_factors_and_no_coarse_space_and_nets_have_one(count):
    """A ring closes at the end of its rows, and branches meet: both drop fill-in."""
    x, edges = line(count, 0.01 * count)
    two = np.concatenate([x, x + [0, 1, 0]]), np.concatenate([edges, edges + len(x)])
    ring = np.concatenate([edges, [[count, 0]]])
    assert motions(system_of(x, edges)) == motions(system_of(*two)) == 0
    assert count < 64 or motions(system_of(x, ring)) > 0
    assert motions(system_of(*net(4, 0.4, 4))) > 0


def test_one_iteration_solves_the_system_of_a_rope():
    """In double precision, after a frame of a swing: 1e-8 of a random residual is left, by the condition of the matrix."""
    x, _ = line(200, 2.0)
    rope = Rope("rope", x, chain(200), 0.004, MATERIAL, pins=Pins([0]), self_contact=False)
    run = Simulation(Scene([rope]), Settings.quality("draft", dtype="float64", threads=1))
    run.advance_frame()
    system = run.substeps.now.global_step.systems[0]
    residual = np.where(system.free[:, None], np.random.default_rng(0).standard_normal((201, 3)), 0.0)
    begin = np.abs(residual).max()
    moved = system.solve(residual, None, 1)
    assert np.abs(residual).max() < 1e-8 * begin and np.abs(moved).max() > 0
