"""`constraints` of every energy that has it: the same energy as a sum of squares, in float64."""

import numpy as np
import pytest

from solver.device.cpu import LANES, element, kernel
from solver.device.lanes import gather
from solver.device.per_energy import GIVEN, per_energy
from solver.device.simd.tuples import corners_of, first_numbers, numbers, put_numbers
from solver.scene import catalog
from tests.solver.energies.test_energy_contract import Lone, energy_module, moved

pytestmark = pytest.mark.slow  # compilation


CORNERS = REST = CONSTANTS = START_STRAINS = GIVEN
constraints = GIVEN

names = pytest.mark.parametrize("name", [name for name in catalog.energies() if hasattr(energy_module(name), "constraints")])


@per_energy(element)
def one_lane(lanes, r, k, m, lane, values, stiffnesses, slopes):
    found = constraints(corners_of(lanes, lane, CORNERS), numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS))
    put_numbers(values, lane, found[0])
    put_numbers(stiffnesses, lane, found[1])
    for i in range(len(found[2])):
        for number in range(CORNERS):
            for axis in range(3):
                slopes[i, number, axis, lane] = found[2][i][number][axis]


@per_energy(kernel)
def evaluate(index, rest, constants, material, memory, x, values, stiffnesses, slopes):
    """Constraints of the first pack at x."""
    lanes = np.empty(4 * CORNERS * LANES, x.dtype)
    gather(x, index, 0, CORNERS, lanes)
    r = rest[0]
    m = memory[0]
    k = first_numbers(constants[material[0]], 0, CONSTANTS)
    for lane in range(LANES):
        one_lane(lanes, r, k, m, lane, values, stiffnesses, slopes)


def found(lone, x):
    """Values (c,), stiffnesses (c,) and gradients (c, corners, 3) of the lone element."""
    count = lone.batch.energy.CONSTRAINTS
    lone.x[: lone.count, :3] = x
    values, stiffnesses = np.zeros(count * LANES), np.zeros(count * LANES)
    slopes = np.zeros((count, lone.count, 3, LANES))
    evaluate(lone.batch.energy)(*lone.arrays(), lone.x, values, stiffnesses, slopes)
    return values.reshape(count, -1)[:, 0], stiffnesses.reshape(count, -1)[:, 0], slopes[..., 0]


def squares(lone, C, stiffness):
    """The energy that constraints stand for [J]."""
    return 0.5 * (stiffness * np.maximum(C, 0 if lone.batch.energy.ONE_SIDED else -np.inf) ** 2).sum()


@pytest.mark.each_value
@names
@pytest.mark.parametrize("seed", range(3))
def test_half_the_stiffness_times_the_squares_is_the_energy(name, seed):
    """1e-9: constants of float32 (hard limits, the angle's polynomial) are the same on both sides. A constant is free: the
    stable neo-Hookean constraints are not zero at rest."""
    lone = Lone(name)
    x = moved(lone, 0.3, seed)
    energy, gradient = lone.energy_and_gradient(x)
    at_rest = squares(lone, *found(lone, lone.rest)[:2]) - lone.energy_and_gradient(lone.rest)[0]
    C, stiffness, slopes = found(lone, x)
    assert (stiffness >= 0).all()
    assert squares(lone, C, stiffness) - at_rest == pytest.approx(energy, rel=1e-9)
    if lone.batch.energy.ONE_SIDED:
        C = np.maximum(C, 0)
    forces = np.einsum("i,i,iak->ak", stiffness, C, slopes)
    assert np.abs(forces - gradient).max() < 1e-9 * np.abs(gradient).max()


@names
def test_the_gradients_are_slopes_of_the_values(name):
    """1e-6: central differences of step 1e-6 over edges of 0.1 m lose six of float64's sixteen digits and some."""
    lone = Lone(name)
    x = moved(lone, 0.3)
    _, _, slopes = found(lone, x)
    wanted = np.zeros_like(slopes)
    for i in np.ndindex(x.shape):
        ends = []
        for sign in (1, -1):
            y = x.copy()
            y[i] += sign * 1e-6
            ends.append(found(lone, y)[0])
        wanted[(slice(None), *i)] = (ends[0] - ends[1]) / 2e-6
    assert np.abs(slopes - wanted).max() < 1e-6 * np.abs(wanted).max()


@pytest.mark.parametrize("name", ["long_range_attachment", "rod_limit", "strain_limit"])
def test_a_limit_keeps_its_sign_and_says_that_it_is_one(name):
    """A twentieth of the way before the limit, in every direction: that much below zero, to float32's constants (1e-6)."""
    lone = Lone(name)
    C, _, _ = found(lone, lone.rest * (lone.begins - 0.05))
    length = 1.0 if name == "strain_limit" else np.linalg.norm(lone.rest[1] - lone.rest[0])
    assert pytest.approx(-0.05 * length, rel=1e-6) == C
    assert lone.batch.energy.ONE_SIDED


def test_a_patch_at_the_border_has_as_many_constraints_as_neighbours():
    """Without neighbours across two edges, the bends there have no stiffness, whatever place they have among the three: less
    than 1e-9 of the largest. The energy to 1e-9: rounding."""
    for gone in ((3, 4), (4, 5), (3, 5), (5,)):
        lone = Lone("discrete_shell", gone=gone)
        x = moved(lone, 0.3)
        C, stiffness, slopes = found(lone, x)
        assert np.isfinite(slopes).all()
        assert (stiffness > 1e-9 * stiffness.max()).sum() == 3 - len(gone)
        assert 0.5 * (stiffness * C * C).sum() == pytest.approx(lone.energy_and_gradient(x)[0], rel=1e-9)
