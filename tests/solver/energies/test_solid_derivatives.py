"""Second derivatives and vertex blocks of every solid that has them, against its gradient, in float64."""

import functools
import importlib

import numba
import numpy as np
import pytest

from solver.scene import catalog
from tests.solver.energies.test_energy_contract import Lone

pytestmark = pytest.mark.slow  # compilation


STATES = ("rest", "random", "squeezed", "flat", "inverted", "stretched")
SOLIDS = [name for name, energy in catalog.energies().items() if energy.element == "tetrahedron"]
MODULES = {name: importlib.import_module(f"solver.energies.{name}") for name in SOLIDS}


def having(function):
    return pytest.mark.parametrize("name", [name for name, module in MODULES.items() if hasattr(module, function)])


@functools.cache
def compiled(name, function):
    """A function of one element that Python can call, with a flag or selection last."""
    element = getattr(MODULES[name], function)
    if function == "hessian_times":
        return numba.njit(error_model="numpy")(lambda a, b, c, d, e, f: element(a, b, c, d, e, f))
    if function == "block":
        return numba.njit(error_model="numpy")(lambda a, b, c, d, e: element(a, b, c, d, e))
    return numba.njit(error_model="numpy")(lambda a, b, c, d: element(a, b, c, d))


def call(lone, function, x, *more):
    b = lone.batch
    rows = (b.rest[0].reshape(-1, 16)[:, 0], b.constants[0], lone.memory[0].reshape(-1, 16)[:, 0])
    return compiled(b.energy.NAME, function)(tuple(map(tuple, x)), *(tuple(map(float, row)) for row in rows), *more)


def placed(lone, state, seed):
    """The element's corners in some state, not aligned with the axes."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    turn *= np.linalg.det(turn)
    size = np.ptp(lone.rest, axis=0).max() if len(lone.rest) > 1 else 0.1
    random = lone.rest + 0.3 * size * rng.standard_normal(lone.rest.shape)
    stretch = {
        "squeezed": [0.5, 0.4, 0.7],
        "flat": [1.1, 0.8, 0.0],
        "inverted": [0.9, 1.2, -0.6],
        "stretched": [1.4, 1.6, 1.2],
    }
    if state == "random":
        return random
    across, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return lone.rest @ across @ np.diag(stretch.get(state, [1, 1, 1])) @ across.T @ turn.T


def lone_moving(name, damping, seed):
    lone = Lone(name, damping)
    lone.remember(placed(lone, "random", seed + 50) if damping else lone.rest)
    return lone


def matrix(lone, x, exact):
    """The second derivative by its columns."""
    columns = []
    for unit in np.eye(x.size):
        out = call(lone, "hessian_times", x, tuple(map(tuple, unit.reshape(x.shape))), exact)
        columns.append(np.ravel(out))
    return np.stack(columns, 1)


def differences(lone, x, step=1e-6):
    """The second derivative by central differences of the gradient."""
    columns = []
    for unit in step * np.eye(x.size).reshape(-1, *x.shape):
        ends = [lone.energy_and_gradient(x + sign * unit)[1] for sign in (1, -1)]
        columns.append(np.ravel((ends[0] - ends[1]) / (2 * step)))
    return np.stack(columns, 1)


@pytest.mark.each_value
@having("hessian_times")
@pytest.mark.parametrize("damping", [0.0, 0.01])
@pytest.mark.parametrize("state", STATES)
def test_second_derivative_is_the_slope_of_the_gradient(name, damping, state):
    """1e-5 of the largest entry: central differences of step 1e-6 over edges of 0.1 m lose six of sixteen digits, and the
    logarithm's parabola, where an element is flat, has a fourth derivative of 1e8 times its second."""
    lone = lone_moving(name, damping, 3)
    x = placed(lone, state, 3)
    exact = differences(lone, x)
    assert np.abs(matrix(lone, x, 1.0) - exact).max() < 1e-5 * np.abs(exact).max()


@having("hessian_times")
@pytest.mark.parametrize("damping", [0.0, 0.01])
@pytest.mark.parametrize("state", STATES)
def test_the_positive_second_derivative_is_symmetric_and_positive(name, damping, state):
    """1e-9 of the largest entry, of asymmetry and of negative eigenvalues: rounding."""
    for seed in range(12):
        lone = lone_moving(name, damping, seed)
        found = matrix(lone, placed(lone, state, seed), 0.0)
        size = np.abs(found).max()
        assert np.abs(found - found.T).max() < 1e-9 * size
        assert np.linalg.eigvalsh(found).min() > -1e-9 * size


@having("hessian_times")
def test_at_rest_the_positive_second_derivative_is_the_true_one(name):
    """1e-7: the cut-off ends at rest, where rounding of 1e-16 may stand under a square root."""
    lone = Lone(name)
    x = placed(lone, "rest", 1)
    true = matrix(lone, x, 1.0)
    assert np.abs(matrix(lone, x, 0.0) - true).max() < 1e-7 * np.abs(true).max()


@having("block")
@pytest.mark.parametrize("damping", [0.0, 0.01])
@pytest.mark.parametrize("state", STATES)
def test_a_vertex_block_has_the_gradient_and_bounds_the_second_derivative(name, damping, state):
    """1e-9 of the largest entry (of forces, and 1e-12 N): rounding. What damping adds or takes by the stress it has now is
    left out of the block, so only without damping is it a bound."""
    lone = lone_moving(name, damping, 5)
    x = placed(lone, state, 5)
    true = matrix(lone, x, 1.0)
    gradient = lone.energy_and_gradient(x)[1]
    for corner in range(lone.count):
        found, six = call(lone, "block", x, tuple(np.eye(lone.count)[corner]))
        assert np.allclose(found, gradient[corner], rtol=0, atol=1e-9 * np.abs(gradient).max() + 1e-12)
        block = np.array(six)[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]
        own = true[3 * corner : 3 * corner + 3, 3 * corner : 3 * corner + 3]
        assert np.linalg.eigvalsh(block).min() > -1e-9 * np.abs(block).max()
        if not damping:
            assert np.linalg.eigvalsh(block - own).min() > -1e-9 * np.abs(true).max()


@pytest.mark.parametrize("name", ["stable_neo_hookean", "paper_neo_hookean", "neo_hookean"])
@pytest.mark.parametrize("state", ["rest", "random", "squeezed", "stretched"])
def test_vertex_blocks_of_the_neo_hookean_family_are_the_true_ones(name, state):
    """1e-9 of the largest entry: rounding. J is linear in one vertex; the volume's curvature is positive in these states."""
    lone = Lone(name)
    x = placed(lone, state, 7)
    true = matrix(lone, x, 1.0)
    for corner in range(4):
        _, six = call(lone, "block", x, tuple(np.eye(4)[corner]))
        own = true[3 * corner : 3 * corner + 3, 3 * corner : 3 * corner + 3]
        assert np.abs(np.array(six)[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]] - own).max() < 1e-9 * np.abs(true).max()
