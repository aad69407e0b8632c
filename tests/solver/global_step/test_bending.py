"""The constant matrix that stands for bending in the global step."""

import numpy as np
import pytest

from solver import Material, Scene, Simulation
from solver.global_step.bending import BendingSystem
from solver.linalg.block_matrix import close, pattern
from solver.linalg.second_ring import add_second_ring, second_ring_couplings
from solver.methods.batch import add_gradient
from solver.topology.edges import unique_edges
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import grid

NET = {"stiffness": 100.0, "damping": 0.0}
SHELL = {"bending_warp": 1e-4, "bending_weft": 3e-4, "damping": 0.0}
BENDS = {"discrete_shell": SHELL, "isometric_bending": {"bending": 1e-4}}


def bent(energy, damping=0.0):
    """A flat sheet of 30 vertices not in rows: a simulation, its bending batch, the system of that, its matrix in one
    direction and the rows of the vertices."""
    flat, triangles = grid(5, 4, 1.0, 0.7)
    flat = flat + 0.02 * np.random.default_rng(2).standard_normal(flat.shape) * [1, 1, 0]
    own = {**BENDS[energy], "damping": damping} if damping else BENDS[energy]
    material = Material("sheet", "fabric", 0.2, {"spring": NET, energy: own})
    sim = Simulation(Scene([plain_cloth("sheet", flat, triangles, material)]), plain_settings(dtype="float64"))
    batch = next(batch for batch in sim.model.batches if energy == batch.energy.NAME)
    n = len(flat)
    rank = np.random.default_rng(3).permutation(n)
    system = BendingSystem(sim.model, batch, 0, 0, rank, flat)
    p = pattern(n, unique_edges(rank[triangles]))
    second_ring = second_ring_couplings(n, [system.fit(p)], np.dtype(float))
    values = np.zeros((len(p.columns), 9))
    system.assemble(values)
    close(p, np.ones(n, bool), np.zeros(n), values)
    matrix = np.zeros((n, n))
    matrix[np.repeat(np.arange(n), np.diff(p.rows)), p.columns] = values[:, 0]
    assert (values[:, [1, 2, 3, 5, 6, 7]] == 0).all() and (values[:, 4] == values[:, 0]).all()
    coupled, every = np.zeros((n, 3)), np.ones(n, bool)
    for column in range(n):
        coupled[:] = 0
        along = np.repeat(np.eye(n)[:, column : column + 1], 3, axis=1)
        add_second_ring(0, n, second_ring.arrays, every, along, coupled)
        matrix[:, column] += coupled[:, 2]
    return sim, batch, system, matrix, rank


def second_difference(sim, batch, rank):
    """The energy's own second derivative along z where it is flat, in the rows of the system."""
    n = sim.model.n_vertices
    x, step = sim.state.x.copy(), 1e-4
    memory = np.zeros((batch.packs, batch.energy.START_STRAINS * 16))
    columns = []
    for vertex in np.argsort(rank):
        ends = []
        for sign in (-1, 1):
            moved, slopes = x.copy(), np.zeros((len(x), 3))
            moved[vertex, 2] += sign * step
            add_gradient(batch, memory, moved, slopes)
            ends.append(slopes[np.argsort(rank), 2])
        columns.append((ends[1] - ends[0]) / (2 * step))
    return np.stack(columns, 1)[:n]


def test_the_matrix_of_quadratic_bending_is_its_second_derivative():
    """1e-9 of the largest number: rounding of differences of doubles."""
    sim, batch, _, matrix, rank = bent("isometric_bending")
    exact = second_difference(sim, batch, rank)
    assert np.abs(matrix - exact).max() < 1e-9 * np.abs(exact).max()


def test_the_matrix_of_a_shell_bounds_its_second_derivative_by_less_than_three_times():
    """K's row sums are at least its eigenvalues, and at most three times the largest number: every energy is invariant
    under a translation or a turn of a flat sheet, and so is the matrix."""
    sim, batch, _, matrix, rank = bent("discrete_shell")
    exact = second_difference(sim, batch, rank)
    scale = np.abs(exact).max()
    assert np.linalg.eigvalsh(matrix - exact).min() > -1e-5 * scale  # differences of angles, which are not linear
    flat = np.zeros((len(rank), 3))
    flat[rank] = np.column_stack([np.ones(len(rank)), sim.state.x[: len(rank), :2]])
    assert np.abs(matrix @ flat).max() < 1e-9 * scale
    smooth = np.zeros(len(rank))
    smooth[rank] = sim.state.x[: len(rank), 0] ** 2
    assert smooth @ matrix @ smooth < 3 * (smooth @ exact @ smooth)


def test_damping_stiffens_the_matrix():
    plain, damped = (bent("discrete_shell", damping)[3] for damping in (0.0, 0.01))
    h = 1 / (24 * plain_settings().substeps)
    assert np.allclose(damped, (1 + 0.01 / h) * plain, rtol=1e-9, atol=1e-12)


def test_force_and_potential_are_those_of_the_energy():
    sim, batch, system, _, rank = bent("discrete_shell")
    n = len(rank)
    x = sim.state.x.copy()
    x[:n, 2] += 0.05 * np.random.default_rng(4).standard_normal(n)
    memory = np.zeros((batch.packs, batch.energy.START_STRAINS * 16))
    slopes = np.zeros((len(x), 3))
    energy = add_gradient(batch, memory, x, slopes)
    ordered = np.empty((n, 3))
    ordered[rank] = x[:n, :3]
    force = np.zeros((n, 3))
    assert system.potential(memory, ordered) == pytest.approx(energy, rel=1e-12)
    system.add_force(force)
    assert np.allclose(force[rank], -slopes[:n], rtol=1e-9, atol=1e-15)


def test_a_sheet_that_is_left_to_the_sweeps_starts_from_its_last_bending():
    """Soft against inertia, so from all of it; what moves is linear in the force, and nothing else changes. 1e-6 of each
    number: rounding is less."""
    sim, batch, system, _, rank = bent("discrete_shell")
    n, number = len(rank), sim.model.batches.index(batch)
    kept = 1e-6 * np.random.default_rng(5).standard_normal(sim.state.displacements[number].shape)
    moved = []
    for times in (1, 2):
        correction, displacement = np.zeros_like(sim.state.x), np.zeros_like(kept)
        system.warm_start_sweeps(times * kept, displacement, sim.state.x, correction)
        assert np.array_equal(displacement, times * kept)
        moved.append(correction[:n, :3])
    assert np.abs(moved[0][:, 2]).min() > 0
    assert np.allclose(moved[1], 2 * moved[0], rtol=1e-6, atol=1e-12)
