"""Jacobi sweeps: the stiffness of an element, its share, and solids that come back from inversion."""

import numpy as np
import pytest

from solver import Material, Pins, Scene, Simulation, SoftBody
from solver.methods.batch import add_gradient, set_strains
from solver.methods.gpbd_jacobi import GpbdJacobi
from solver.methods.recovery.inversion import count_small, volumes
from solver.methods.recovery.inversion_recovery import FLAT, SOFT
from solver.methods.recovery.jacobi_shares import RELAXATION, jacobi_shares, rest_positions, stiffness
from solver.model.build import build
from solver.model.state import start_state
from solver.scene import catalog
from tests.scenes.plain_settings import plain_settings
from tests.solver.global_step.nets import net, springs
from tests.validation.meshes import cube

pytestmark = pytest.mark.slow  # compilation


SOLIDS = [name for name in ("stable_neo_hookean", "neo_hookean") if name in catalog.energies()]


def by_element(batch, lanes):
    """Values of lanes in the order of the elements."""
    values = np.empty((batch.element >= 0).sum())
    values[batch.element[batch.element >= 0]] = lanes.ravel()[batch.element >= 0]
    return values


def one_tetrahedron(damping):
    x = np.array([[0.0, 0.0, 0.0], [0.1, 0.01, 0.0], [0.03, 0.08, 0.0], [0.02, 0.03, 0.09]])
    solid = Material.solid(1000, 1e5, 0.4, damping=damping)
    return SoftBody("tetrahedron", x, [[0, 1, 2, 3]], solid, pins=Pins([2]))


@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_the_stiffness_of_a_solid_is_the_largest_eigenvalue_of_its_dense_hessian(damping):
    """1e-6: differences of the gradient; twenty steps of the power iteration leave less (1e-10 measured). It is a bound for
    stability, of which a twentieth is kept free."""
    model = build(Scene([one_tetrahedron(damping)]), plain_settings(dtype="float64"))
    batch, memory = model.batches[0], np.zeros((1, 7 * 16))
    state = start_state(model, lambda energy: energy.STATE)
    set_strains(batch, memory, state.x)
    hessian = np.zeros((4, 3, 4, 3))
    for i in np.ndindex(4, 3):
        for sign in (1, -1):
            x, slopes = state.x.copy(), np.zeros_like(state.x)
            x[i] += sign * 1e-7
            add_gradient(batch, memory, x, slopes)
            hessian[i] += sign * slopes[:4, :3] / 2e-7
    root = np.sqrt(np.repeat(state.x[:4, 3], 3))
    assert root[6] == 0
    largest = np.linalg.eigvalsh(root[:, None] * hessian.reshape(12, 12) * root).max()
    assert by_element(batch, stiffness(model, batch))[0] == pytest.approx(largest, rel=1e-6)


def test_the_stiffness_of_a_spring_is_that_of_both_ends():
    """1e-6: differences of the gradient. h^2 k (1 / m0 + 1 / m1), times 1 + damping / h."""
    model = build(Scene([net(5, springs(300.0, 0.02))]), plain_settings(dtype="float64"))
    (batch,) = model.batches
    ends = batch.index.reshape(batch.packs, 2, 16)
    w = np.append(model.h**2 / model.mass, np.zeros(4))[ends].sum(1)
    expected = 300.0 * (1 + 0.02 / model.h) * w
    assert by_element(batch, stiffness(model, batch)) == pytest.approx(by_element(batch, expected), rel=1e-6)


def test_shares_are_averages_where_stiff_and_all_where_soft():
    """A vertex inside the grid has 6 springs. 1e-3: h^2 k / m is 1e-6 and 1e6."""
    shares = {}
    for stiff in (1e-4, 1e8):
        model = build(Scene([net(8, springs(stiff))]), plain_settings(dtype="float64"))
        shares[stiff] = by_element(model.batches[0], jacobi_shares(model, model.batches[0]))
    assert shares[1e-4] == pytest.approx(1.0, abs=1e-3)
    assert shares[1e8].min() == pytest.approx(RELAXATION / 6, rel=1e-3)
    assert shares[1e8].max() <= RELAXATION / 2


@pytest.mark.parametrize("stiff", [1e-4, 1e8])
def test_a_sweep_is_a_sum_of_single_solves_from_the_same_positions(stiff):
    """1e-12 m, and 1e-12 of the largest multiplier: rounding. The state grows by the same share as the positions move."""
    model = build(Scene([net(3, springs(stiff))]), plain_settings(dtype="float64", iterations=1))
    (batch,) = model.batches
    state = start_state(model, GpbdJacobi.state_numbers)
    state.x_pred[:16, :3] += 0.02 * np.random.default_rng(4).normal(size=(16, 3))
    state.place()
    before = state.x.copy()
    method = GpbdJacobi(model)
    method.begin(state)
    method.sweep(state, 0)
    state.place()
    expected = before.copy()
    shares, multipliers = jacobi_shares(model, batch).ravel(), np.zeros(len(batch.element))
    pairs = batch.index.reshape(batch.packs, 2, 16).transpose(0, 2, 1).reshape(-1, 2)
    lengths = batch.rest.reshape(batch.packs, 2, 16)[:, 0].ravel()
    for lane in np.flatnonzero(batch.element >= 0):
        a, b = pairs[lane]
        edge = before[b, :3] - before[a, :3]
        length = np.linalg.norm(edge)
        step = -stiff * (length - lengths[lane]) / (1 + stiff * (before[a, 3] + before[b, 3]))
        for vertex, sign in ((a, -1), (b, 1)):
            expected[vertex, :3] += shares[lane] * sign * before[vertex, 3] * step * edge / length
        multipliers[lane] = shares[lane] * step
    assert np.abs(state.x - expected).max() < 1e-12
    assert np.abs(state.displacements[0].ravel() - multipliers).max() < 1e-12 * np.abs(multipliers).max()


def wrecked_cube(kind, energy, method, poisson, n=4, seed=3, **settings):
    """Return volumes of the tetrahedra over those at rest, 2 s after a start with random positions, or pressed to a
    thousandth."""
    x, tets = cube(n)
    if kind == "flatten":
        start = x * [1, 1e-3, 1] + [0, 0.5, 0]
    else:
        start = np.random.default_rng(seed).uniform(0, 1, x.shape)
    body = SoftBody("cube", start, tets, Material.solid(1000, 1e5, poisson, energy=energy), rest_vertices=x)
    settings = {"fps": 100, "substeps": 1, "threads": 1} | settings
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), plain_settings(method=method, **settings))
    *_, last = sim.frames(1, 201)
    edges = [p[tets[:, 1:]] - p[tets[:, :1]] for p in (last.positions["cube"].astype(float), x)]
    return np.linalg.det(edges[0]) / np.linalg.det(edges[1])


@pytest.mark.each_value
@pytest.mark.parametrize("energy", SOLIDS)
@pytest.mark.parametrize("kind", ["flatten", "randomize"])
@pytest.mark.parametrize("method", ["gpbd", "gpbd_jacobi"])
def test_a_wrecked_nearly_incompressible_cube_recovers(kind, energy, method):
    """No element is inverted after 2 s, and volumes are within 3 %: they still ring, by 1.1 % at most, measured. `gpbd` gets
    there because it sweeps by Jacobi while elements are inverted."""
    volumes = wrecked_cube(kind, energy, method, 0.4995, iterations=10, local_iterations=8, n=6)
    assert volumes.min() > 0.97 and volumes.max() < 1.03


@pytest.mark.long
def test_without_jacobi_sweeps_it_stays_inverted(monkeypatch):
    """The claim that the test above stands on: Gauss-Seidel alone leaves more than a tenth of the elements inverted, from
    one of three starts at least: 40, 38 and 38 % measured. It is chance: from two of six starts none was left."""
    monkeypatch.setattr("solver.methods.recovery.inversion_recovery.INVERTED", 2.0)
    settings = {"iterations": 10, "local_iterations": 8, "n": 6}
    left = [wrecked_cube("randomize", "stable_neo_hookean", "gpbd", 0.4995, seed=seed, **settings) for seed in (1, 2, 4)]
    assert max((volumes < 0).mean() for volumes in left) > 0.1


def test_a_solid_that_is_not_inverted_is_swept_by_gauss_seidel(monkeypatch):
    """The same bits with and without the switch, in a body that is squeezed to half its height and let go."""

    def run():
        x, tets = cube(3)
        body = SoftBody("cube", x * [1, 1, 0.5], tets, Material.solid(1000, 1e5, 0.45), rest_vertices=x)
        sim = Simulation(Scene([body], gravity=(0, 0, 0)), plain_settings(threads=1))
        *_, _ = sim.frames(1, 4)
        return sim.state.x.tobytes()

    with_switch = run()
    monkeypatch.setattr("solver.methods.recovery.inversion_recovery.INVERTED", 2.0)
    assert run() == with_switch


def test_inverted_and_flat_elements_are_counted():
    """One cell of six tetrahedra, moved as one; the padding of the pack is not counted."""
    x, tets = cube(1)
    body = SoftBody("cell", x, tets, Material.solid(1000, 1e5, 0.45))
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), plain_settings(threads=1, substeps=1))
    index = sim.model.batches[0].index
    least = (FLAT * volumes(index, rest_positions(sim.model))).astype(np.float32)
    for height, recovering in ((1.0, False), (0.1, False), (0.01, True), (-1.0, True)):
        sim.state.x[:8, :3] = (x - 0.5) * [1, 1, height]
        sim.state.x0[:] = sim.state.x
        sim.substeps.now.method.begin(sim.state)
        assert sim.substeps.now.method.recovery.is_recovering(0) == recovering
        assert count_small(index, least, sim.state.x) == 6 * recovering


def counting(monkeypatch, counts):
    """One cell of a nearly incompressible solid, of which so many elements are said to be inverted, substep by substep: for
    each, whether it is in recovery, and the stiffness of its volume over mu when it is swept."""
    x, tets = cube(1)
    body = SoftBody("cell", x, tets, Material.solid(1000, 1e5, 0.4995, energy="neo_hookean"))
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), plain_settings(threads=1, substeps=1))
    given = iter(counts)
    monkeypatch.setattr("solver.methods.recovery.inversion_recovery.count_small", lambda *_: next(given))
    recovering, stiffness = [], []
    for _ in counts:
        sim.substeps.now.method.begin(sim.state)
        recovering.append(sim.substeps.now.method.recovery.is_recovering(0))
        stiffness.append(float(sim.substeps.now.method.recovery.jacobi_sweep(0).batch.constants[0, 0]))
    return recovering, stiffness


def test_recovery_goes_on_to_the_last_element_but_not_where_none_gets_fewer(monkeypatch):
    """Less than INVERTED, here two of six, does not start it and does not end it; three substeps without progress end
    it; Jacobi then still sweeps inverted elements, at full stiffness, which is 999 as in Lame's moduli. An element that
    recovers is soft for a while."""
    monkeypatch.setattr("solver.methods.recovery.inversion_recovery.INVERTED", 0.4)
    monkeypatch.setattr("solver.methods.recovery.inversion_recovery.PATIENCE", 3)
    recovering, stiffness = counting(monkeypatch, [0, 2, 5, 1, 2, 2, 2, 2, 5, 0, 5])
    assert recovering == [False, False, True, True, True, True, False, False, True, False, True]
    soft = [most < 998 for most in stiffness]
    assert soft == [False, False, True, True, True, True, False, False, False, True, True]


def test_the_volume_stiffens_step_by_step_after_the_last_element(monkeypatch):
    """Twice as stiff after every two substeps of Gauss-Seidel, for four; one element that turns over meanwhile is enough to
    go back to Jacobi."""
    monkeypatch.setattr("solver.methods.recovery.inversion_recovery.RECOVERY", 4)
    monkeypatch.setattr("solver.methods.recovery.inversion_recovery.RAMP", 2)
    recovering, stiffness = counting(monkeypatch, [6, 0, 0, 0, 0, 0])
    assert recovering == [True] + 5 * [False]
    assert stiffness == pytest.approx([SOFT, SOFT, SOFT, 2 * SOFT, 2 * SOFT, 999], rel=1e-3)
    assert counting(monkeypatch, [6, 0, 0, 1, 0])[0] == [True, False, False, True, False]


def test_the_volume_gets_stiffer_the_fewer_elements_are_inverted(monkeypatch):
    """4 of six are the share from which it is softest, 3 less than a power of two below, 2 a half and 1 a fourth of it;
    and twice as stiff again after two substeps without progress."""
    monkeypatch.setattr("solver.methods.recovery.inversion_recovery.STIFFER", 4 / 6)
    monkeypatch.setattr("solver.methods.recovery.inversion_recovery.DOUBLES", 2)
    stiffness = counting(monkeypatch, [6, 3, 2, 1, 6, 6, 6, 6])[1]
    assert stiffness == pytest.approx([SOFT * k for k in (1, 1, 2, 4, 1, 2, 2, 4)])


def test_a_solid_in_recovery_goes_on_from_a_snapshot_bit_for_bit(monkeypatch):
    """Also where so few are inverted that they would not start it: what says so is in the snapshot."""
    monkeypatch.setattr("solver.methods.recovery.inversion_recovery.INVERTED", 0.3)

    def start():
        x, tets = cube(4)
        random = np.random.default_rng(3).uniform(0, 1, x.shape)
        solid = Material.solid(1000, 1e5, 0.4995, energy="neo_hookean")
        scene = Scene([SoftBody("cube", random, tets, solid, rest_vertices=x)], gravity=(0, 0, 0))
        return Simulation(scene, plain_settings(fps=100, substeps=1, iterations=5, local_iterations=8, threads=1))

    sim, other = start(), start()
    while not 0 < sim.state.inversion_recovery[0, 1] < 0.1 * 6 * 4**3:
        sim.advance_frame()
    assert sim.state.inversion_recovery[0, 0] > 0
    other.restore(sim.snapshot())
    for _ in range(3):
        sim.advance_frame()
        other.advance_frame()
    assert other.state.inversion_recovery.tolist() == sim.state.inversion_recovery.tolist()
    assert other.state.x.tobytes() == sim.state.x.tobytes()
