"""The functions of an energy file: none unknown, each with its arguments, and optional ones mean what the contract says.

`solver/energies/__init__.py` is the contract. `test_energy_contract.py` tests the meaning of `gradient`, `project` and
`displacement`, of `block` and `undamped_block`; `test_hessian.py` and `test_solid_derivatives.py` that of
`hessian_times`, `test_constraints.py` that of `constraints`.
"""

import ast
import inspect
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

from solver.device.loops_cpu import add_up, one_cluster
from solver.global_step.bending import store_equilibrium
from solver.global_step.global_step import LIMITS, SYSTEMS, stretch_system
from solver.global_step.membrane import MembraneSystem
from solver.linalg.block_matrix import close, pattern
from solver.methods.visits import gpbd
from solver.scene import catalog
from tests.solver.energies.test_energy_contract import CORNERS, MASS, H, Lone, energy_module, moved, names, with_function

#: Function -> number of its arguments.
REQUIRED = {"rest": 5, "constants": 2, "gradient": 4, "project": 7, "displacement": 3}
OPTIONAL = {
    "strain_at_start": 2,
    "excess_at_start": 5,
    "flow_at_start": 4,
    "plastic_strain": 2,
    "propose": 7,
    "share_taken": 4,
    "hessian_times": 6,
    "block": 5,
    "undamped_block": 5,
    "constraints": 4,
    "equilibrium_state": 4,
    "linearise": 4,
    "solved_rest": 1,
    "solved_constants": 2,
    "bending_matrix": 3,
    "stiffness_ratio": 4,
}
#: What a solid gives the templates of `elements/`.
SOLID = {
    "volume": 2,
    "shape": 3,
    "shape_change": 5,
    "shape_block": 4,
    "add_shape_hessian": 5,
    "inversion_recovery": 2,
    "step_length": 7,
    "measures": 3,
}
#: Functions of NumPy arrays; all others are compiled.
ARRAYS = {"rest", "constants", "solved_rest", "solved_constants", "bending_matrix", "stiffness_ratio", "weights"}
#: The model reads stiffnesses from the one that it makes elements of; the other is for scripts too.
MORE = {
    "attachment": {"stiffness": 3, "goal_stiffness": 3, "damped_target": 4},
    "hylc": {"load_table": 1, "density": 2, "density_with_hessian": 3},
    "weak_constraint": {"weights": 2},
}
NUMBERS = ("CORNERS", "REST", "CONSTANTS", "STATE", "START_STRAINS")


def hooks(name):
    """All functions that an energy may have."""
    solid = SOLID if catalog.energies()[name].element == "tetrahedron" else {}
    return REQUIRED | OPTIONAL | solid | MORE.get(name, {})


def public_functions(module):
    """Functions that a file defines, or binds at module level, under a name without underscore."""
    found = {}
    for node in ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body:
        given = [node.name] if isinstance(node, ast.FunctionDef) else []
        for target in node.targets if isinstance(node, ast.Assign) else []:
            given += [n.id for n in (target.elts if isinstance(target, ast.Tuple) else [target]) if isinstance(n, ast.Name)]
        found |= {n: getattr(module, n) for n in given if n[0] != "_" and callable(getattr(module, n))}
    return {n: f for n, f in found.items() if isinstance(f, FunctionType) or hasattr(f, "py_func")}


def wrong_functions(name, module):
    """Return the faults of the functions of an energy."""
    known, found = hooks(name), public_functions(module)
    wrong = [f"{n} is missing" for n in REQUIRED if n not in found]
    for n, function in found.items():
        if n not in known:
            wrong.append(f"{n} is no function of the contract: begin its name with an underscore")
            continue
        parameters = inspect.signature(getattr(function, "py_func", function)).parameters.values()
        if len(parameters) != known[n] or any(p.default is not p.empty for p in parameters):
            wrong.append(f"{n} has the arguments {', '.join(map(str, parameters))}; wanted {known[n]} without defaults")
        if n not in MORE.get(name, {}) and (n in ARRAYS) == hasattr(function, "py_func"):
            wrong.append(f"{n} must {'not ' * (n in ARRAYS)}be compiled (@element)")
    return wrong


@names
def test_every_public_function_is_one_of_the_contract_with_its_arguments(name):
    assert not wrong_functions(name, energy_module(name))


WRONG = """
from solver.device.cpu import element
@element
def gradient(corners, rest, k): return 0
@element
def rest(x, elements, values, axes, fraction): return 0
def helper(x): return x
def _own(x): return x
"""


def test_the_guard_of_functions_sees_what_it_should(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)
    module = type(ast)("wrong")
    module.__file__ = str(path)
    exec(compile(WRONG, str(path), "exec"), vars(module))
    told = wrong_functions("spring", module)
    assert [line.split()[0] for line in told] == ["constants", "project", "displacement", "gradient", "rest", "helper"]


@names
def test_the_numbers_are_there_and_go_with_the_functions(name):
    energy, info = energy_module(name), catalog.energies()[name]
    assert all(isinstance(getattr(energy, number), int) and getattr(energy, number) >= 0 for number in NUMBERS)
    assert CORNERS[info.element] == energy.CORNERS
    assert hasattr(energy, "constraints") == hasattr(energy, "CONSTRAINTS")
    assert not hasattr(energy, "constraints") or isinstance(energy.ONE_SIDED, bool)
    assert "damping" not in info.parameters or (hasattr(energy, "strain_at_start") and energy.START_STRAINS > 0)
    assert not hasattr(energy, "undamped_block") or hasattr(energy, "block")
    assert hasattr(energy, "propose") == hasattr(energy, "share_taken") == hasattr(energy, "PROPOSAL")
    assert not hasattr(energy, "bending_matrix") or hasattr(energy, "equilibrium_state")
    limit = getattr(energy, "ONE_SIDED", False)
    assert not hasattr(energy, "linearise") or (info.element in (LIMITS if limit else SYSTEMS))
    assert not hasattr(energy, "linearise") or limit or hasattr(energy, "strain_at_start")
    assert info.limit is None or isinstance(info.limit, int)


def test_limits_have_places_of_their_own_and_are_swept_last():
    order = sorted(catalog.energies(), key=catalog.sweep_order)
    limits = [name for name in order if catalog.energies()[name].limit is not None]
    assert limits == ["distance", "volume", "strain_limit", "rod_limit", "long_range_attachment"] == order[-5:]
    assert len({catalog.energies()[name].limit for name in limits}) == 5


def gradient_at(lone, x):
    return lone.energy_and_gradient(x)[1]


def force_of_state(lone, x):
    """The force that the lone element's state stands for at x [N]: what moves the corners by w."""
    b = lone.batch
    lone.x[: lone.count, :3] = x
    add_up(gpbd.warm_start, b.energy, *one_cluster(1), gpbd.Starts(b.index, b.rest, lone.state, 1.0, lone.x, lone.x))
    return (lone.x[: lone.count, :3] - x) / lone.x[: lone.count, 3:]


@names
def test_where_a_step_starts_there_is_no_damping(name):
    """1e-12: the same sums."""
    damped, plain = with_function(name, "strain_at_start", 0.01), Lone(name)
    if "damping" not in catalog.energies()[name].parameters:
        pytest.skip("has no damping")
    x = moved(damped, 0.3)
    damped.remember(x)
    plain.remember(x)
    wanted = gradient_at(plain, x)
    assert np.abs(gradient_at(damped, x) - wanted).max() <= 1e-12 * np.abs(wanted).max()
    assert (
        np.abs(gradient_at(damped, x + 0.01 * damped.rest[::-1]) - gradient_at(plain, x + 0.01 * plain.rest[::-1])).max() > 0
    )


@pytest.mark.each_value
@names
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_the_equilibrium_state_stands_for_the_elements_own_force(name, damping):
    """1e-9, rounding."""
    lone = with_function(name, "equilibrium_state", damping)
    x, b = moved(lone, 0.3), lone.batch
    wanted = -gradient_at(lone, x)
    arrays = (b.index, b.rest, b.constants, b.material, lone.memory)
    store_equilibrium(b.energy)(np.array([0]), *arrays, lone.x, lone.state)
    assert np.abs(force_of_state(lone, x) - wanted).max() < 1e-9 * np.abs(wanted).max()


def system_of(name, damping):
    """A lone element that the global step takes for stretch, its system, and the pattern of that."""
    lone = with_function(name, "linearise", damping)
    if lone.noun == "tether":
        pytest.skip("joins no neighbours; it has a test of its own")
    if lone.noun == "patch":
        pytest.skip("the system of bending has its force; it has a test of its own")
    corners = np.arange(lone.count, dtype=np.int32)[None]
    system = stretch_system(lone.batch.energy)(lone.batch, 0, corners, np.array([0]), np.dtype(float))
    p = pattern(lone.count, system.edges())
    system.fit(p)
    linearise(system, lone, True)  # at rest, where damping starts
    return lone, system, p


def linearise(system, lone, anew):
    """The force where the element stands, at which the system is linearised; anew: damping starts there."""
    x, force = lone.x[: lone.count], np.zeros((lone.count, 3))
    if isinstance(system, MembraneSystem):
        if anew:
            system.start(x, lone.memory)
        system.potential(x[:, :3])
        system.linearise(force)
    else:
        if anew:
            system.start(x)
        system.linearise(x, lone.memory, force)
    return force


def potential(system, lone, x):
    return system.potential(x) if isinstance(system, MembraneSystem) else system.potential(lone.memory, x)


def matrix_of(system, p):
    """(3 n, 3 n), with closed rows."""
    values, n = np.zeros((len(p.columns), 9)), p.vertices
    system.assemble(values)
    close(p, np.ones(n, bool), np.zeros(n), values)
    blocks = np.zeros((n, 3, n, 3))
    for row in range(n):
        for k in range(p.rows[row], p.rows[row + 1]):
            blocks[row, :, p.columns[k]] = values[k].reshape(3, 3).T
    return blocks.reshape(3 * n, 3 * n)


def differences(lone, x, step=1e-6):
    """The second derivative by differences of the gradient, (3 n, 3 n)."""
    columns = []
    for i in np.ndindex(x.shape):
        ends = []
        for sign in (-1, 1):
            y = x.copy()
            y[i] += sign * step
            ends.append(gradient_at(lone, y).ravel())
        columns.append((ends[1] - ends[0]) / (2 * step))
    return np.stack(columns, 1)


@pytest.mark.each_value
@names
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_the_linearisation_is_the_energys_own_where_it_is_stretched_and_positive_everywhere(name, damping):
    """1e-9, rounding, of force, energy, state and the least eigenvalue; 1e-5 of the matrix, by differences."""
    lone, system, p = system_of(name, damping)
    for stretched in (True, False):
        x = (
            lone.rest * 1.2 + 0.003 * np.random.default_rng(1).standard_normal(lone.rest.shape)
            if stretched
            else moved(lone, 1.0)
        )
        lone.x[: lone.count, :3] = x
        force = linearise(system, lone, False)
        linearise(system, lone, False)  # nothing has turned since then
        matrix = matrix_of(system, p)
        energy, gradient = lone.energy_and_gradient(x)
        assert np.abs(force + gradient).max() < 1e-9 * np.abs(gradient).max()
        assert potential(system, lone, x) == pytest.approx(energy, rel=1e-9)
        assert np.linalg.eigvalsh(matrix)[0] > -1e-9 * np.abs(matrix).max()
        if stretched:
            exact = differences(lone, x)
            assert np.abs(matrix - exact).max() < 1e-5 * np.abs(exact).max()
        system.store_displacement(np.zeros_like(x), lone.state)
        assert np.abs(force_of_state(lone, x) + gradient).max() < 1e-9 * np.abs(gradient).max()


@pytest.mark.long  # compilation
def test_what_a_patchs_stretch_adds_to_the_matrix_is_its_own_in_the_plane_and_positive_everywhere():
    """1e-5, by differences, of a flat one stretched along both axes, where bending takes no part in motions in the plane;
    -1e-9 of the least eigenvalue, rounding."""
    lone = Lone("hylc", 0.01)
    corners = np.arange(6, dtype=np.int32)[None]
    system = stretch_system(lone.batch.energy)(lone.batch, 0, corners, np.array([0]), np.dtype(float))
    p = pattern(6, system.edges())
    system.fit(p)
    lone.remember(lone.rest)
    for x in (lone.rest * [1.2, 1.1, 1.0], *(moved(lone, 1.0, seed) for seed in range(4))):
        lone.x[:6, :3] = x
        system.linearise(lone.x[:6], lone.memory, np.zeros((6, 3)))
        matrix = matrix_of(system, p)
        assert np.linalg.eigvalsh(matrix)[0] > -1e-9 * np.abs(matrix).max()
        if not x[:, 2].any():
            plane = [0, 1, 3, 4, 6, 7]
            found, exact = (whole[np.ix_(plane, plane)] for whole in (matrix, differences(lone, x)))
            assert np.abs(found - exact).max() < 1e-5 * np.abs(exact).max()


@pytest.mark.parametrize("longer", [0.2, 0.0, -0.3])
def test_a_tethers_part_of_the_system_is_its_own_to_the_vertex(longer):
    """1e-9, rounding, of force, energy and state; 1e-5 of the block, by differences. A slack one has none of these."""
    lone = Lone("long_range_attachment")
    system = stretch_system(lone.batch.energy)(lone.batch, 0, np.array([[0, 1]]), np.array([0]), np.dtype(float))
    x = lone.rest * (1 + longer)
    force, values = np.zeros_like(x), np.zeros((2, 9))
    system.linearise(x, lone.memory, force)
    system.assemble(np.arange(2), np.ones(2, bool), values)
    energy, gradient = lone.energy_and_gradient(x)
    size = np.abs(gradient).max()
    assert np.abs(force + gradient)[0].max() <= 1e-9 * size and not force[1].any()
    assert system.potential(lone.memory, x) == pytest.approx(energy, rel=1e-9)
    if longer:
        exact = differences(lone, x)[:3, :3]
        assert np.abs(values[0].reshape(3, 3) - exact).max() <= 1e-5 * np.abs(exact).max()
    assert not values[1].any() and values[0].any() == (longer >= 0)
    system.store_displacement(np.zeros_like(x), lone.state)
    assert np.abs(force_of_state(lone, x) + gradient).max() <= 1e-9 * size


@names
def test_the_bending_matrix_bounds_the_second_derivative_of_a_flat_element_and_minds_no_translation(name):
    """1e-5 for the bound: differences of angles, which are not linear. The largest eigenvalue is less than ten times too
    large, of motions in any direction: a strap is stiffer over its edge. Symmetry to 1e-12 and row sums to 1e-9 are
    rounding."""
    lone = with_function(name, "bending_matrix")
    energy, elements = lone.batch.energy, np.arange(lone.count)[None]
    (matrix,) = energy.bending_matrix(lone.rest, elements, lone.batch.rest.reshape(1, -1, 16)[:, :, 0])
    whole = differences(lone, lone.rest)
    exact = whole[2::3, 2::3]
    assert np.abs(matrix - matrix.T).max() <= 1e-12 * np.abs(matrix).max()
    assert np.linalg.eigvalsh(matrix - exact)[0] > -1e-5 * np.abs(exact).max()
    assert np.linalg.eigvalsh(matrix)[-1] < 10 * np.linalg.eigvalsh(0.5 * (whole + whole.T))[-1]
    assert np.abs(matrix.sum(1)).max() < 1e-9 * np.abs(matrix).max()


@names
def test_the_stiffness_ratio_bounds_elastic_over_inertial_stiffness(name):
    """From above, within a factor of 30: of the heaviest corner's weight, and of heights in place of directions."""
    lone = with_function(name, "stiffness_ratio")
    energy, elements, w = lone.batch.energy, np.arange(lone.count)[None], H**2 / MASS[: lone.count]
    (ratio,) = energy.stiffness_ratio(lone.rest, elements, lone.batch.rest.reshape(1, -1, 16)[:, :, 0], w)
    exact = differences(lone, lone.rest)[2::3, 2::3] * np.sqrt(w[:, None] * w)
    largest = np.linalg.eigvalsh(exact)[-1]
    assert largest < ratio < 30 * largest
