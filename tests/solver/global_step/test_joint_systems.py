"""Sheets that touch each other, and parts of one that do, are one linear system in the global step."""

import numpy as np
import pytest

from solver import Cloth, Material, Scene, Simulation
from solver.global_step import global_step, newton
from solver.global_step.contact_springs import contact_springs_of
from solver.global_step.sheet_system import SheetSystem
from solver.linalg.block_matrix import multiply
from solver.linalg.contact_couplings import add_contact_couplings
from solver.linalg.second_ring import add_second_ring
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import grid

pytestmark = pytest.mark.slow  # compilation

COTTON = Material.fabric(0.15, 2000, 750, poisson=1 / 3, bending=1e-5)
SETTINGS = {"substeps": 4, "global_iterations": 8, "iterations": 4, "dtype": "float64"}


def layers(as_one, speed=1.0):
    """Two free sheets that meet at a speed, as two bodies, or as one of two pieces."""
    flat, triangles = grid(8, 5, 0.4, 0.25)
    upper = flat + [0.03, 0.01, 0.012]
    velocities = np.zeros((2 * len(flat), 3))
    velocities[len(flat) :, 2] = -speed
    kept = {"thickness": 0.005, "friction": 0.3, "self_contact": True}
    if as_one:
        x, t = np.concatenate([flat, upper]), np.concatenate([triangles, triangles + len(flat)])
        return [Cloth("both", x, t, COTTON, velocities=velocities, **kept)]
    own = np.split(velocities, 2)
    return [
        Cloth(name, x, triangles, COTTON, velocities=v, **kept)
        for name, x, v in (("lower", flat, own[0]), ("upper", upper, own[1]))
    ]


def simulated(bodies, frames, **settings):
    sim = Simulation(Scene(bodies, gravity=(0, 0, 0)), plain_settings(**SETTINGS | settings))
    for _ in range(frames):
        sim.advance_frame()
    return sim


def joined(sim):
    """The sheets of each system of the last step."""
    return [sheets for _, sheets in sim.substeps.now.global_step._moved]


def test_two_sheets_that_meet_move_as_one_sheet_of_two_pieces(monkeypatch):
    """The same equations, in another order of rows and with another coarse space. The upper sheet moves by 12 mm; with
    40 iterations and 60 sweeps the two differ by 0.06 mm where both are solved as far as they go; 1.2 mm where
    each sheet is a system of its own."""
    monkeypatch.setattr(global_step, "TARGET", 0.0)
    monkeypatch.setattr(newton, "LEFT", 1e-8)
    more = {"global_iterations": 40, "iterations": 60}
    two, one = (simulated(layers(as_one, 0.1), 3, **more) for as_one in (False, True))
    assert joined(two) == [[0, 1]] and joined(one) == [[0]]
    n = two.model.n_vertices
    assert np.abs(two.state.x[:n, :3] - one.state.x[:n, :3]).max() < 1.2e-4


@pytest.mark.parametrize("as_one", [False, True])
def test_sheets_that_meet_keep_their_momentum(as_one):
    """1e-9 of what the upper one brings, in double precision."""
    sim = simulated(layers(as_one), 4)
    upper = sim.model.mass[len(sim.model.mass) // 2 :].sum()
    assert sim.model.mass @ sim.state.v[: sim.model.n_vertices] == pytest.approx([0, 0, -upper], abs=1e-9 * upper)


def test_only_sheets_that_touch_each_other_are_joined():
    """Small ones share a system, in which those that touch each other are one group."""
    flat, triangles = grid(6, 6, 0.3, 0.3)
    places = ([0, 0, 0], [0, 0, 0.004], [1, 0, 0], [0, 0, 0.008])
    bodies = [Cloth(str(k), flat + p, triangles, COTTON, thickness=0.005) for k, p in enumerate(places)]
    ((system, own),) = simulated(bodies, 1).substeps.now.global_step._moved
    assert own == [0, 1, 2, 3] and system.groups.label.tolist() == [0, 0, 1, 0]


def times(system, move):
    """A move, with numbers where not free."""
    p, product = system.pattern, np.empty_like(move)
    multiply(0, len(move), p.rows, p.columns, system.values, move, product)
    add_second_ring(0, len(move), system._second_ring, system.free, move, product)
    return product


def test_systems_side_by_side_are_the_same_system():
    """Sheets that do not touch each other: products equal to the bit, solutions to 1e-9 after 60 iterations."""
    flat, triangles = grid(9, 6, 0.4, 0.3)
    small, faces = grid(4, 4, 0.2, 0.2)
    bodies = [Cloth("left", flat, triangles, COTTON), Cloth("right", small + [1, 0, 0], faces, COTTON)]
    sim = simulated(bodies, 2)
    step, state = sim.substeps.now.global_step, sim.state
    joint = SheetSystem(sim.model, step.sheets)
    parts = np.random.default_rng(3).standard_normal((len(joint.order), 3)) * 1e-3
    for system in (*step.systems, joint):  # makes its matrix
        system.correction(state, np.zeros((sim.model.n_vertices, 3)), ~np.isin(np.arange(sim.model.n_vertices), 0), None, 1)
    products = np.concatenate([times(system, parts[own]) for system, own in zip(step.systems, joint.rows, strict=True)])
    assert np.array_equal(times(joint, parts), products)
    solved = [system.solve(parts[own].copy(), None, 60) for system, own in zip(step.systems, joint.rows, strict=True)]
    assert joint.solve(parts.copy(), None, 60) == pytest.approx(np.concatenate(solved), rel=1e-9, abs=1e-12)


def test_a_sheet_that_lies_on_itself_has_that_in_its_system():
    """Two layers 3 mm apart that keep 5 mm: the matrix with its couplings is the matrix of springs between the layers,
    to the rounding of double precision, and their forces sum to zero."""
    flat, triangles = grid(12, 4, 0.6, 0.2)
    over = flat[:, 0] > 0.3
    start = np.where(over[:, None], [0.6, 0, 0.003] + flat * [-1, 1, 0], flat)
    cloth = Cloth("sheet", start, triangles, COTTON, rest_vertices=flat, thickness=0.005, self_contact=True)
    sim = simulated([cloth], 1, substeps=1)
    system, n = sim.substeps.now.global_step.systems[0], sim.model.n_vertices
    found = system.rank, system.free, system.pattern, system.groups, sim.state, np.zeros(n, bool)
    springs = contact_springs_of(sim.contact, *found)
    values = np.zeros_like(system.values)
    values[system.pattern.diagonal, ::4] = 1000.0
    empty, move = values.copy(), np.zeros((n, 3))
    springs.choose(move, move, np.full(n, 3000.0), np.ones(1, bool))
    springs.add_to(values)
    assert springs.is_between.all() and (springs.normal_stiffness > 0).sum() > 10
    matrix = dense(system.pattern, values - empty)
    for column in np.eye(3 * n):
        out = np.zeros((n, 3))
        add_contact_couplings(springs.couplings(np.dtype(float)), column.reshape(n, 3), out)
        matrix[:, column.argmax()] += out.ravel()
    wanted = np.zeros_like(matrix)
    for c in range(len(springs.gap)):
        normal = np.outer(springs.normal[c], springs.normal[c])
        tensor = springs.normal_stiffness[c] * normal + springs.friction_stiffness[c] * (np.eye(3) - normal)
        across = np.zeros((n, 1))
        np.add.at(across[:, 0], springs.corners[c], springs.weights[c])
        wanted += np.kron(across @ across.T, tensor)
    assert matrix == pytest.approx(wanted, abs=1e-9)
    force = np.zeros((n, 3))
    springs.add_forces(move, force)
    assert np.abs(force).max() > 0.1 and force.sum(0) == pytest.approx(np.zeros(3), abs=1e-9)


def dense(of, values):
    matrix = np.zeros((3 * of.vertices, 3 * of.vertices))
    for v in range(of.vertices):
        for k in range(of.rows[v], of.rows[v + 1]):
            u = of.columns[k]
            matrix[3 * v : 3 * v + 3, 3 * u : 3 * u + 3] = values[k].reshape(3, 3).T
    return matrix
