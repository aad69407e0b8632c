"""`hessian_times` of every energy that is no solid, in float64: the true one, and the positive one."""

import numpy as np
import pytest

from solver.device.cpu import LANES, element, kernel
from solver.device.lanes import gather
from solver.device.per_energy import GIVEN, per_energy
from solver.device.simd.tuples import corners_of, first_numbers, numbers, put_corners
from solver.scene import catalog
from tests.solver.energies.test_energy_contract import Lone, energy_module, moved

pytestmark = pytest.mark.slow  # compilation


CORNERS = REST = CONSTANTS = START_STRAINS = GIVEN
hessian_times = GIVEN

#: Solids have their own, harder states: `test_solid_derivatives.py`.
names = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if energy.has_table else ())
        for name, energy in catalog.energies().items()
        if energy.element != "tetrahedron" and hasattr(energy_module(name), "hessian_times")
    ],
)


@per_energy(element)
def one_lane(lanes, ways, r, k, m, lane, exact):
    corners = corners_of(lanes, lane, CORNERS)
    directions = corners_of(ways, lane, CORNERS)
    put_corners(
        ways, lane, hessian_times(corners, numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS), directions, exact)
    )


@per_energy(kernel)
def times(index, rest, constants, material, memory, x, direction, exact, out):
    """Hessian of the first pack at x times a direction."""
    lanes = np.empty(4 * CORNERS * LANES, x.dtype)
    ways = np.empty(4 * CORNERS * LANES, x.dtype)
    gather(x, index, 0, CORNERS, lanes)
    gather(direction, index, 0, CORNERS, ways)
    r = rest[0]
    m = memory[0]
    k = first_numbers(constants[material[0]], 0, CONSTANTS)
    for lane in range(LANES):
        one_lane(lanes, ways, r, k, m, lane, exact)
    for lane in range(LANES):
        for number in range(CORNERS):
            vertex = index[0, number * LANES + lane]
            for i in range(3):
                out[vertex, i] += ways[(4 * number + i) * LANES + lane]


def hessian(lone, x, exact):
    """(3 n, 3 n), column by column."""
    lone.x[: lone.count, :3] = x
    columns = []
    for i in range(3 * lone.count):
        direction, out = np.zeros_like(lone.x), np.zeros_like(lone.x)
        direction[i // 3, i % 3] = 1
        times(lone.batch.energy)(*lone.arrays(), lone.x, direction, exact, out)
        columns.append(out[: lone.count, :3].ravel())
    return np.array(columns).T


def difference(lone, x, step):
    """Central differences of the gradient, (3 n, 3 n)."""
    columns = []
    for i in np.ndindex(x.shape):
        ends = []
        for sign in (1, -1):
            y = x.copy()
            y[i] += sign * step
            ends.append(lone.energy_and_gradient(y)[1].ravel())
        columns.append((ends[0] - ends[1]) / (2 * step))
    return np.array(columns).T


@pytest.mark.each_value
@names
@pytest.mark.parametrize("damping", [0.0, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_the_exact_hessian_is_the_slope_of_the_gradient(name, damping, seed):
    """1e-6: central differences of step 1e-6 over edges of 0.1 m lose six of float64's sixteen digits and some; constants of
    float32 in the angle of a fold leave 1e-7."""
    lone = Lone(name, damping)
    lone.remember(moved(lone, 0.1, seed + 10))
    x = moved(lone, 0.2, seed)
    found, wanted = hessian(lone, x, 1), difference(lone, x, 1e-6)
    assert np.abs(found - wanted).max() <= 1e-6 * np.abs(wanted).max()


@names
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [0.2, 2.0])
def test_the_positive_hessian_is_symmetric_and_never_negative(name, seed, size):
    """1e-9 of the largest entry and -1e-9 of the largest eigenvalue: rounding. At two edges' length every element is torn,
    folded or turned over."""
    lone = Lone(name, 0.01)
    lone.remember(lone.rest)
    H = hessian(lone, moved(lone, size, seed), 0)
    assert np.abs(H - H.T).max() < 1e-9 * np.abs(H).max()
    eigenvalues = np.linalg.eigvalsh(H)
    assert eigenvalues[0] > -1e-9 * eigenvalues[-1]
    assert eigenvalues[-1] > 0


@names
def test_both_hessians_agree_at_rest(name):
    """1e-6: without stress nothing is left out. A limit is approached from where it acts."""
    lone = Lone(name)
    if lone.noun == "vertex":
        lone.memory.reshape(3, 16)[:, 0] = lone.rest[0]
    x = lone.rest * (1.0 if lone.begins is None else lone.begins + 1e-9)
    positive, exact = hessian(lone, x, 0), hessian(lone, x, 1)
    assert np.abs(positive - exact).max() < 1e-6 * np.abs(exact).max()


@names
def test_both_hessians_are_numbers_at_rest(name):
    """At rest without strain the principal directions are arbitrary, and no limit is reached."""
    lone = Lone(name)
    assert np.isfinite(hessian(lone, lone.rest, 0)).all() and np.isfinite(hessian(lone, lone.rest, 1)).all()
