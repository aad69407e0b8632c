"""XPBD beside GPBD, beside the same formulas in plain NumPy, and beside PBD."""

import itertools

import numpy as np
import pytest

from solver import Material, Pins, Scene, Simulation
from solver.device.cpu import LANES
from solver.device.loops_cpu import sweep_clusters
from solver.methods.visits import gpbd, xpbd
from solver.model.batches import make_batch
from solver.model.element_group import ElementGroup
from solver.model.model import PADDING
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.solver.energies.test_energy_contract import Lone
from tests.solver.global_step.nets import hanging_strip
from tests.solver.methods import coupled_edges
from tests.validation.meshes import grid

pytestmark = pytest.mark.slow  # compilation


H = 1 / 100


class Chain:
    """Masses joined one to the next by springs, the first one fixed, stretched and bent; the two kinds of sweep over it."""

    def __init__(self, masses, stiffness=400.0, damping=0.0):
        rng = np.random.default_rng(5)
        rest = np.stack([0.1 * np.arange(masses), np.zeros(masses), np.zeros(masses)], 1)
        springs = np.stack([np.arange(masses - 1), np.arange(1, masses)], 1)
        self.mass = rng.uniform(0.01, 0.05, masses)
        self.x = np.zeros((masses + len(PADDING), 4))
        self.x[masses:, :3] = PADDING
        self.x[1:masses, 3] = H**2 / self.mass[1:]
        self.x[:masses, :3] = rest + 0.03 * rng.normal(size=rest.shape)
        values = {"stiffness": stiffness, "damping": damping}
        group = ElementGroup("spring", values, rest, springs, 0, None, np.ones(len(springs)))
        self.batch = make_batch([group], H, np.dtype(float), H**2 / self.mass)
        self.state = np.zeros((self.batch.packs, LANES))
        self.memory = np.zeros((self.batch.packs, LANES))
        self.order = [springs[e] for e in self.batch.element if e >= 0]
        self.rest_length, self.stiffness = 0.1, stiffness

    def arrays(self):
        b = self.batch
        return b.index, b.rest, b.constants, b.material, self.memory

    def gpbd(self):
        b, correction = self.batch, np.zeros_like(self.x)
        given = gpbd.Elements(*self.arrays(), self.state, 0.0, 1, self.x, correction)
        sweep_clusters(gpbd.sweep, b.energy, b.colours, b.clusters, given)
        self.x += correction

    def xpbd(self):
        b = self.batch
        start = -b.rest[:, :LANES]  # C at the lengths of zero that `memory` holds
        correction = np.zeros_like(self.x)
        given = xpbd.Elements(*self.arrays(), b.damping, start, self.state, self.x, correction)
        sweep_clusters(xpbd.sweep, b.energy, b.colours, b.clusters, given)
        self.x += correction


class PaperChain(Chain):
    """The published method in NumPy: each spring keeps the vectors d of its two ends, appendix A, eq. 32."""

    def __init__(self, masses, **more):
        super().__init__(masses, **more)
        self.d = np.zeros((len(self.order), 6))

    def sweep(self):
        for d, (a, b) in zip(self.d, self.order, strict=True):
            edge = self.x[b, :3] - self.x[a, :3]
            length = np.linalg.norm(edge)
            slope = np.concatenate([-edge, edge]) / length
            W = np.repeat(self.x[[a, b], 3], 3)
            A = np.eye(6) + self.stiffness * np.outer(W * slope, slope)
            step = np.linalg.solve(A, -(self.stiffness * (length - self.rest_length) * W * slope + d))
            # The component along W grad c; the constraint at these positions does not determine the rest of d (eq. 18).
            step = W * slope * (slope @ step) / (slope @ (W * slope))
            d += step
            self.x[a, :3] += step[:3]
            self.x[b, :3] += step[3:]


@pytest.mark.parametrize("masses", [2, 12])
def test_xpbd_is_the_published_method_in_the_first_iteration(masses):
    """1e-14 m: rounding of float64 at coordinates of one metre. Appendix A: as long as d lies along the constraint."""
    chain, paper = Chain(masses), PaperChain(masses)
    start = chain.x.copy()
    chain.xpbd()
    paper.sweep()
    assert np.abs(chain.x - start).max() > 1e-3
    assert np.abs(chain.x - paper.x).max() < 1e-14


def test_afterwards_the_published_method_keeps_directions_that_xpbd_turns():
    """A lone spring between a fixed and a free end never turns: equal at all iterations. A chain's springs turn as their
    neighbours move: XPBD turns the whole multiplier with them, vectors d stay where they were. Equal to 1e-14 m, rounding;
    the chains are between 1e-6 and 1e-2 m apart."""
    for masses, same in ((2, True), (12, False)):
        chain, paper = Chain(masses), PaperChain(masses)
        for _ in range(10):
            chain.xpbd()
            paper.sweep()
        difference = np.abs(chain.x - paper.x).max()
        assert difference < 1e-14 if same else 1e-6 < difference < 1e-2


@pytest.mark.parametrize("damping", [0.0, 0.05])
def test_springs_of_gpbd_are_those_of_xpbd_at_all_iterations(damping):
    """1e-14 m, and 1e-12 of the largest multiplier: rounding. Our springs keep the multiplier, not the vectors. Damping sees
    a start with lengths of zero."""
    one, other = Chain(12, damping=damping), Chain(12, damping=damping)
    assert one.batch.damped == (damping > 0)
    for _ in range(20):
        one.gpbd()
        other.xpbd()
        assert np.abs(one.x - other.x).max() < 1e-14
        assert np.abs(one.state - other.state).max() < 1e-12 * np.abs(one.state).max()


@pytest.mark.each_value
@pytest.mark.parametrize("stiffness", [(300.0, 200.0, 100.0), (1e9, 1e9, 1e9), (300.0, 0.0, 1e6)])
@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_equations_of_an_element_are_solved_together(stiffness, damping):
    """1e-12 of the coordinates and 1e-11 of the multipliers' steps: rounding, times the condition number of the stiffest
    matrix, 1e4 or so; 1e-15 of both is measured. Against a dense solve in NumPy; a constraint without stiffness lets its
    multiplier go."""
    rng = np.random.default_rng(6)
    x = np.zeros((3 + len(PADDING), 4))
    x[:3, :3], x[3:, :3] = rng.normal(size=(3, 3)), PADDING
    x[:3, 3] = H**2 / np.array([0.1, 0.2, 0.4])
    rest, k, start, multipliers = [1.0, 0.8, 1.2], np.array(stiffness), rng.normal(size=3), rng.normal(size=3)
    edges = [x[b, :3] - x[a, :3] for a, b in ((0, 1), (1, 2), (2, 0))]
    lengths = np.linalg.norm(edges, axis=1)
    C, slopes = lengths - rest, np.zeros((3, 3, 3))
    for i, (a, b) in enumerate(((0, 1), (1, 2), (2, 0))):
        slopes[i, a], slopes[i, b] = -edges[i] / lengths[i], edges[i] / lengths[i]
    G = np.einsum("iac,jac,a->ij", slopes, slopes, x[:3, 3])
    right = -(k * (C + damping * (C - start)) + multipliers)
    steps = np.linalg.solve(np.eye(3) + (1 + damping) * k[:, None] * G, right)
    expected = x[:3, :3] + x[:3, 3:] * np.einsum("i,iac->ac", steps, slopes)

    index = np.repeat(np.array([0, 1, 2]), LANES)
    index[np.arange(3 * LANES) % LANES > 0] = [3 + i for i in range(3) for _ in range(LANES - 1)]

    def lanes(values):
        return np.repeat(np.asarray(values, float), LANES)[None].copy()

    ends = np.array([0, 1])
    arrays = (index[None].astype(np.int32), lanes([*rest, *stiffness]), np.zeros((1, 1)), np.zeros(1, np.int32))
    found = lanes(multipliers)
    given = xpbd.Elements(*arrays, np.zeros((1, 0)), np.array([damping]), lanes(start), found, x, np.zeros_like(x))
    sweep_clusters(xpbd.sweep, coupled_edges, ends, ends, given)
    x += given.correction
    size = np.abs(expected).max()
    assert np.abs(x[:3, :3] - expected).max() < 1e-12 * size
    assert np.abs(found[0, ::LANES] - multipliers - steps).max() < 1e-11 * np.abs(steps).max()


@pytest.mark.parametrize("method", ["gpbd", "xpbd", "gpbd_jacobi"])
def test_a_hanging_strip_stretches_alike_at_any_number_of_iterations(method):
    """1 % from 5 iterations on (20 for Jacobi), 0.6 % and 0.3 % measured: springs of h^2 k / m = 0.4, which sweeps converge
    in five, with a load that crosses 12 of them; backward Euler rests where statics does, whatever the iterations before
    have left."""
    stretch = {count: hanging_strip(method, count) for count in (5, 10, 20, 40)}
    first = 20 if method == "gpbd_jacobi" else 5
    assert all(stretch[count] == pytest.approx(stretch[40], rel=0.01) for count in stretch if count >= first)


def test_the_same_strip_is_the_stiffer_the_more_often_pbd_projects_it():
    """Each sweep pulls once more by the same share: twice the iterations leave half the stretch, within 10 % (6 % measured),
    because what one spring gives to the next in a sweep differs. From the first sweep on, which is that of XPBD but for what
    velocities it has left, PBD is stiffer than XPBD: with five it has less than half the stretch."""
    stretch = [hanging_strip("pbd", count) for count in (5, 10, 20, 40)]
    for more, fewer in itertools.pairwise(stretch):
        assert fewer / more == pytest.approx(0.5, rel=0.1)
    assert stretch[0] < 0.5 * hanging_strip("xpbd", 5)


def pulled(lone, x, times):
    """XPBD sweeps of a lone element from x with the multipliers that it has; where they leave it."""
    lone.x[: lone.count, :3] = x
    b = lone.batch
    start = np.zeros((1, b.energy.CONSTRAINTS * LANES))
    for _ in range(times):
        given = xpbd.Elements(*lone.arrays(), np.zeros(1), start, lone.multipliers, lone.x, np.zeros_like(lone.x))
        sweep_clusters(xpbd.sweep, b.energy, b.colours, b.clusters, given)
        lone.x += given.correction
    return lone.x[: lone.count, :3].copy()


@pytest.mark.parametrize("name", ["long_range_attachment", "strain_limit"])
def test_a_limit_lets_go_at_once(name):
    """1e-13 m: rounding. Stretched, it pulls; what then moves its corners within the limit finds no force left of
    it, but for the way that the force is given back, which is all that the limit had moved them by. It never pushes."""
    lone = Lone(name, compliance=1e-3)
    lone.multipliers = np.zeros((1, lone.batch.energy.CONSTRAINTS * LANES))
    beyond, within = lone.rest * (lone.begins + 0.2), lone.rest * (lone.begins - 0.3)
    held = pulled(lone, beyond, 8)
    assert (lone.multipliers[:, ::LANES] < 0).any() and np.abs(held - beyond).max() > 1e-4
    released = pulled(lone, within, 1)
    assert (lone.multipliers == 0).all()
    assert np.abs(released - within).max() > 1e-4  # what the force had moved is given back
    assert np.abs(pulled(lone, within, 3) - within).max() < 1e-13
    assert (lone.multipliers == 0).all()


def test_two_limits_of_an_element_are_solved_together_and_neither_pushes():
    """Exact. A triangle stretched one way only: in the other direction it is slack and stays without force,
    though pulling it back makes it wider or narrower there."""
    lone = Lone("strain_limit", limit=0.05)
    lone.multipliers = np.zeros((1, 2 * LANES))
    pulled(lone, lone.rest * [1.3, 0.9, 1], 50)
    first, second = lone.multipliers[0, ::LANES]
    assert first < 0 == second


STRAIN, TETHER = {"strain_limit": {"limit": 0.05}}, {"long_range_attachment": {"slack": 0.05}}


@pytest.mark.parametrize(
    ("limit", "springs", "start", "off"),
    [(STRAIN, 100.0, 1.2, 1.3e-2), (TETHER, 100.0, 1.2, 1.2e-2), (STRAIN, 2.0, 1.0, 2e-2), (TETHER, 2.0, 1.0, 7.5e-3)],
)
def test_limits_of_xpbd_end_where_newtons_do(limit, springs, start, off):
    """0.85, 0.8, 1.3 and 0.5 % of the motion are measured; limits are half as much again: XPBD's multipliers keep
    directions that have turned (`test_methods.py`). A strip that begins a fifth too long and is let go of by its limits as
    its springs draw it in, and one that falls into them."""
    vertices, triangles = grid(6, 2, 0.6, 0.2)
    vertices = vertices[:, [2, 1, 0]] * [1, 1, -1]
    ((name, values),) = limit.items()
    energies = {"spring": {"stiffness": springs, "damping": 0.0}, name: {**values, "compliance": 3e-3}}
    ends = {}
    for method, iterations in (("newton", 100), ("xpbd", 200)):
        material = Material("net", "fabric", 0.2, energies)
        body = plain_cloth("strip", vertices * [1, 1, start], triangles, material, rest_vertices=vertices)
        body.pins = Pins(np.flatnonzero(vertices[:, 2] == 0))
        settings = plain_settings(substeps=2, iterations=iterations, method=method, dtype="float64", threads=1)
        sim = Simulation(Scene([body]), settings)
        report = sim.advance_frame().report
        ends[method] = sim.state.x[: len(vertices), :3] - sim.model.x_start
        assert method == "xpbd" or report.error < 1e-9
    motion = np.abs(ends["newton"]).max()
    assert motion > 1e-2
    assert np.abs(ends["xpbd"] - ends["newton"]).max() < off * motion
