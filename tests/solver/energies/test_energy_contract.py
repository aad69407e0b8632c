"""Properties of every energy in the folder, by the loops of a simulation, in float64."""

import importlib

import numpy as np
import pytest

from solver.device.loops_cpu import add_up, one_cluster, sweep_clusters, sweep_packs
from solver.methods.batch import add_gradient, set_strains
from solver.methods.visits import gpbd, pbng
from solver.model.batches import make_batch
from solver.model.element_group import ElementGroup
from solver.model.model import PADDING
from solver.scene import catalog
from tests.covering_set import long
from tests.scenes.linear_table import linear_table

H = 1 / 200
CORNERS = {
    "vertex": 1,
    "edge": 2,
    "tether": 2,
    "hinge": 4,
    "segment": 2,
    "joint": 3,
    "patch": 6,
    "tie": 4,
    "stitch": 2,
    "triangle": 4,
    "tetrahedron": 4,
}
REST = np.array([[0, 0, 0], [0.1, 0.01, 0], [0.03, 0.08, 0], [0.12, 0.11, 0], [-0.07, 0.06, 0], [0.05, -0.09, 0.0]])
TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [0.1, 0.01, 0.0], [0.03, 0.08, 0.0], [0.02, 0.03, 0.09]])
HINGE = REST[[0, 1, 2, 5]]
FACE = REST[[0, 1, 3, 2]]
TIED = np.array([[0.03, 0.02, 0.0], [0.0, 0.0, 0.0], [0.1, 0.01, 0.0], [0.03, 0.08, 0.0]])  # a vertex on a triangle
MASS = np.array([0.01, 0.02, 0.015, 0.03, 0.02, 0.01])
JOINT = np.array([[0.0, 0.0, 0.0], [0.02, 0.1, 0.0], [0.035, 0.175, 0.0]])  # straight
#: Energies of one vertex know a place in the world, those of a joint the frames of a rope, which turn with the whole rope.
ANCHORED = {"vertex", "joint"}


def energy_module(name):
    return importlib.import_module(f"solver.energies.{name}")


class Lone:
    """One element of an energy."""

    def __init__(self, name, damping=0.0, gone=(), rest=None, **changes):
        """gone: corners that a patch or a face lacks. changes: parameters that are not at their defaults."""
        info = catalog.energies()[name]
        self.noun, self.count = info.element, CORNERS[info.element]
        values = {key: p.default for key, p in info.parameters.items()} | changes
        if "damping" in values:
            values["damping"] = damping
        if info.has_table:
            values["table"] = linear_table()
        shapes = {
            "tetrahedron": TETRAHEDRON,
            "hinge": HINGE,
            "tie": TIED,
            "triangle": FACE,
            "stitch": REST[[3, 3]],
            "joint": JOINT,
        }
        self.rest = shapes.get(self.noun, REST)[: self.count] if rest is None else rest
        #: Energies that only resist stretch begin at this multiple of the rest shape.
        self.begins = 1 + values["limit"] if "limit" in values else 1 + values["slack"] if "slack" in values else None
        elements = np.where(np.isin(np.arange(self.count), gone), -1, np.arange(self.count))[None]
        axes = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        share = {"vertex": [50.0], "tether": [np.linalg.norm(REST[1] - REST[0])]}.get(self.noun, [1.0])
        group = ElementGroup(name, values, self.rest, elements, 0, axes, np.array(share))
        self.batch = make_batch([group], H, np.dtype(np.float64), H**2 / MASS[: self.count])
        self.memory = np.zeros((1, self.batch.energy.START_STRAINS * 16))
        self.state = np.zeros((1, self.batch.energy.STATE * 16))
        self.x = np.zeros((self.count + len(PADDING), 4))
        self.x[: self.count, 3] = H**2 / MASS[: self.count]
        self.x[self.count :, :3] = PADDING
        self.correction = np.zeros_like(self.x)
        self.remember(self.rest)

    def arrays(self):
        b = self.batch
        return b.index, b.rest, b.constants, b.material, self.memory

    def remember(self, x):
        """Takes x as the start of the substep."""
        self.x[: self.count, :3] = x
        if hasattr(self.batch.energy, "strain_at_start"):
            set_strains(self.batch, self.memory, self.x)

    def energy_and_gradient(self, x):
        self.x[: self.count, :3] = x
        gradient = np.zeros_like(self.x)
        energy = add_gradient(self.batch, self.memory, self.x, gradient)
        return energy, gradient[: self.count, :3]

    def sweep(self, x, times):
        """Positions after some local solves from the prediction x."""
        self.x[: self.count, :3] = x
        self.state[:] = 0
        self.correction[:] = 0
        for _ in range(times):
            self.sweep_once()
        self.x += self.correction
        return self.x[: self.count, :3].copy()

    def vertex_block(self, number, function):
        """Gradient and 3x3 block of one corner at the last x, as `pbng` adds them up."""
        b, corners = self.batch, self.count
        sums = np.zeros((1, 9 * 16))
        corner = np.full((1, 16), corners, np.int8)
        corner[0, 0] = number
        one, material = np.array([0, 1]), np.zeros(1, np.int32)
        load = np.zeros((len(self.x), 3))
        vertices = pbng.Vertices(np.zeros((1, 16), np.int32), self.x, load, 1.0, 1.0, sums, self.x, self.correction)
        given = pbng.Incident(one, b.index, corner, b.rest, b.constants, material, self.memory, 1, 0, vertices)
        sweep_packs(pbng.sweep_blocks, b.energy, one, given, block=function)
        force, own = sums[0, :48:16], sums[0, 48::16]
        return force, own[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)

    def sweep_once(self):
        b, share = self.batch, self.x.dtype.type(0.5)
        given = gpbd.Elements(*self.arrays(), self.state, share, 1, self.x, self.correction)
        sweep_clusters(gpbd.sweep, b.energy, b.colours, b.clusters, given)

    def residual(self, x, x_pred):
        """Return M (x - x_pred) / h^2 + grad U, over the size of grad U."""
        gradient = self.energy_and_gradient(x)[1]
        left = MASS[: self.count, None] * (x - x_pred) / H**2 + gradient
        return np.linalg.norm(left) / np.linalg.norm(gradient)


#: Kernels that look up in tables take half a minute to compile.
WITHOUT_TABLES = [name for name, one in catalog.energies().items() if not one.has_table]
WITH_TABLES = long(*(name for name, one in catalog.energies().items() if one.has_table))
names = pytest.mark.parametrize("name", [*WITHOUT_TABLES, *WITH_TABLES])
damping = pytest.mark.parametrize("damping", [0.0, 0.01])
#: Energies whose blocks are asked for elsewhere: sweeps of `pbng` with them converge to Newton's (`test_quasi_static.py`).
CONVERGE = ("fixed_corotated", "neo_hookean")


def moved(lone, size, seed=1):
    """The rest shape with its corners moved by about `size` edges, stretched first where nothing else is resisted."""
    stretched = lone.rest if lone.begins is None else lone.rest * (lone.begins + 3 * size)
    return stretched + size * 0.1 * np.random.default_rng(seed).standard_normal(lone.rest.shape)


def rotation(seed=2):
    q, r = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))
    q *= np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def with_function(name, function, damping=0.0):
    """A lone element of an energy that has a function, which not every method needs."""
    lone = Lone(name, damping)
    if not hasattr(lone.batch.energy, function):
        pytest.skip(f"has no {function}")
    return lone


@pytest.mark.each_value
@names
@damping
def test_gradient_is_the_slope_of_the_energy(name, damping):
    """1e-6: central differences of step 1e-6 over edges of 0.1 m lose six of float64's sixteen digits."""
    lone = Lone(name, damping)
    x = moved(lone, 0.2)
    _, gradient = lone.energy_and_gradient(x)
    slopes = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        ends = []
        for sign in (1, -1):
            y = x.copy()
            y[i] += sign * 1e-6
            ends.append(lone.energy_and_gradient(y)[0])
        slopes[i] = (ends[0] - ends[1]) / 2e-6
    assert np.abs(slopes - gradient).max() < 1e-6 * np.abs(gradient).max()


@pytest.mark.parametrize("name", [name for name, energy in catalog.energies().items() if energy.element == "triangle"])
def test_a_face_without_its_last_corner_is_a_triangle(name):
    """Its energy is that of its area, half of a parallelogram's with the same strain; 1e-9: rounding."""
    x = np.array([[0.0, 0, 0], [0.1, 0.01, 0], [0.12, 0.1, 0], [0.02, 0.09, 0]])
    strained = x @ (1.2 * rotation())
    energies = []
    for gone in ((), (3,)):
        lone = Lone(name, gone=gone, rest=x)
        energy, gradient = lone.energy_and_gradient(strained)
        energies.append(energy)
    assert energies[0] == pytest.approx(2 * energies[1], rel=1e-9) and energies[1] > 0
    assert (gradient[3] == 0).all() and (gradient[:3] != 0).any(1).all()


@pytest.mark.each_value
@pytest.mark.parametrize(
    "name", [*WITH_TABLES, *long(*CONVERGE), *(name for name in WITHOUT_TABLES if name not in CONVERGE)]
)
@damping
@pytest.mark.parametrize("size", [0.3, 3.0])
def test_the_block_of_a_vertex_is_its_gradient_and_positive(name, damping, size):
    """1e-9: the same derivative in another order; the block has no negative eigenvalue but for rounding."""
    lone = with_function(name, "block", damping)
    for seed in range(5):
        x = moved(lone, size, seed)
        gradient = lone.energy_and_gradient(x)[1]
        for number in range(lone.count):
            for function in ("block", "undamped_block"):
                if function == "block" or (damping == 0 and hasattr(lone.batch.energy, function)):
                    force, own = lone.vertex_block(number, function)
                    assert np.abs(force - gradient[number]).max() < 1e-9 * np.abs(gradient).max()
                    assert np.linalg.eigvalsh(own)[0] >= -1e-9 * np.abs(own).max()


@names
def test_rest_has_no_energy_and_no_force(name):
    """1e-9 of the energy and 1e-8 of the force with corners moved by about an edge: rounding, and constants of float32
    (atan's polynomial), which leave 1e-8 of an angle."""
    lone = Lone(name)
    if lone.noun == "vertex":
        lone.memory.reshape(3, 16)[:, 0] = lone.rest[0]
    energy, gradient = lone.energy_and_gradient(lone.rest)
    large_energy, large = lone.energy_and_gradient(moved(lone, 1.0))
    assert abs(energy) <= 1e-9 * large_energy
    assert np.abs(gradient).max() < 1e-8 * np.abs(large).max()


@pytest.mark.each_value
@names
@damping
def test_a_rigid_motion_changes_nothing_and_momentum_is_kept(name, damping):
    """1e-9: rounding of coordinates of size one in an element of size a tenth."""
    lone = Lone(name, damping)
    if lone.noun in ANCHORED:
        pytest.skip("anchored to the world")
    x = moved(lone, 0.3)
    Q, shift = rotation(), np.array([0.3, -0.2, 0.5])
    energy, gradient = lone.energy_and_gradient(x)
    size = np.abs(gradient).max()
    turned_energy, turned = lone.energy_and_gradient(x @ Q.T + shift)
    assert turned_energy == pytest.approx(energy, rel=1e-9)
    assert np.abs(turned - gradient @ Q.T).max() < 1e-9 * size
    assert np.abs(gradient.sum(0)).max() < 1e-9 * size
    assert np.abs(np.cross(x, gradient).sum(0)).max() < 1e-9 * size
    lone.remember(lone.rest)
    y = lone.sweep(x, 3)
    m = MASS[: lone.count, None]
    assert np.abs((m * (y - x)).sum(0)).max() < 1e-9 * (m * np.abs(y - x)).max()


@pytest.mark.each_value
@names
@damping
@pytest.mark.parametrize("strain", [1e-2, 1e-4])
def test_local_solves_of_a_lone_element_satisfy_backward_euler(name, damping, strain):
    """Sixty Newton steps, because the damping's Hessian is only a bound. Solids are re-projected and get to 1e-4: P's own
    inertia of 4e-6 weighs more where the element is long. Sheets and constraints keep the direction of force of the
    prediction, which turns during the solve by about the strain: a residual of the strain's size is left, and goes with it:
    five times the strain is the limit."""
    lone = Lone(name, damping)
    x_pred = moved(lone, strain)
    x = lone.sweep(x_pred, 60)
    exact = lone.noun in ("tetrahedron", "tie", "vertex") and name != "volume"
    assert lone.residual(x, x_pred) < (1e-4 if exact else 5 * strain)


@names
def test_a_warm_start_puts_the_kept_displacement_back(name):
    """1e-12 m: the same sum in another order. A patch's and a volume's multipliers are kept, along gradients that turn as
    the element moves: 1 % of the displacement."""
    lone = Lone(name)
    x_pred = moved(lone, 1e-3)
    solved = lone.sweep(x_pred, 10)
    b = lone.batch
    lone.x[: lone.count, :3] = x_pred
    add_up(gpbd.warm_start, b.energy, *one_cluster(1), gpbd.Starts(b.index, b.rest, lone.state, 1.0, lone.x, lone.x))
    tolerance = 1e-12 if lone.noun != "patch" and name != "volume" else 1e-2 * np.abs(solved - x_pred).max()
    assert np.abs(lone.x[: lone.count, :3] - solved).max() < tolerance


@pytest.mark.each_value
@names
@pytest.mark.parametrize("pinned", [(0,), (0, 1), "all"])
def test_pinned_corners_stay_and_all_numbers_stay_finite(name, pinned):
    lone = Lone(name)
    rows = list(range(lone.count)) if pinned == "all" else [p for p in pinned if p < lone.count]
    lone.x[rows, 3] = 0
    x_pred = moved(lone, 1.0)
    x = lone.sweep(x_pred, 20)
    assert np.isfinite(x).all()
    assert (x[rows] == x_pred[rows]).all()


@pytest.mark.each_value
@names
@pytest.mark.parametrize("seed", range(4))
def test_a_wrecked_element_stays_finite_and_comes_back(name, seed):
    """Corners displaced by about five edges: after 300 sweeps the element holds less energy than at the start."""
    lone = Lone(name)
    x_pred = moved(lone, 5.0, seed)
    thrown = lone.energy_and_gradient(x_pred)[0]
    x = lone.sweep(x_pred, 300)
    assert np.isfinite(x).all()
    assert lone.energy_and_gradient(x)[0] < thrown


@pytest.mark.parametrize("seed", [68, 102])
def test_a_solid_pressed_flat_does_not_throw_its_light_corner(seed):
    """A tip of a lattice lies on a floor that holds it flat (J = 0), one corner made 476 times as light. Its edges are
    off by less than a tenth of a metre, so no sweep may move more than twice that; in float32 these two turns and
    weights displaced it by 560 and 115,000 m before the Hessian held C."""
    rng = np.random.default_rng(seed)
    lone = Lone("stable_neo_hookean")
    for name in ("x", "correction", "memory", "state"):
        setattr(lone, name, getattr(lone, name).astype(np.float32))
    for name in ("rest", "constants"):
        setattr(lone.batch, name, getattr(lone.batch, name).astype(np.float32))
    lone.x[rng.integers(4), 3] *= 476
    lone.x[:4, 3] *= 10 ** rng.uniform(-4, 0)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    lone.x[:4, :3] = lone.rest @ turn.T * [1.2, 0.65, 0.0]
    for _ in range(40):
        lone.correction[:] = 0
        lone.sweep_once()
        assert np.abs(lone.correction).max() < 0.2
        lone.x += lone.correction
        lone.x[:4, 2] = 0


@pytest.mark.parametrize(
    "name", [name for name in catalog.energies() if "compliance" in catalog.energies()[name].parameters]
)
def test_a_hard_constraint_stays_near_in_single_precision_even_where_pins_make_it_impossible(name):
    """Ten times as far from the origin as the displacement of its corners, and a metre: flat elements, corners on one
    another, some pinned, masses ten thousand times apart. Before a strain limit had a least compliance, rounding
    displaced such corners thousands of times as far."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        lone = Lone(name, compliance=0.0)
        for part in ("x", "correction", "memory", "state"):
            setattr(lone, part, getattr(lone, part).astype(np.float32))
        for part in ("rest", "constants"):
            setattr(lone.batch, part, getattr(lone.batch, part).astype(np.float32))
        lone.x[: lone.count, 3] *= 10 ** rng.uniform(-4, 0, lone.count) * (rng.random(lone.count) > 0.2)
        x = lone.rest + 0.1 * 10 ** rng.uniform(-3, 1) * rng.standard_normal(lone.rest.shape)
        if seed % 5 == 0:
            x[:, 2] = 0
        if seed % 7 == 0:
            x[1] = x[0]
        moved = lone.sweep(x, 60)
        assert np.abs(moved).max() < 10 * (np.abs(x).max() + 0.1)
