"""Tethers, limits, quadratic bending and the stiffening membrane against their specifications."""

import numpy as np
import pytest

from solver import Material, Pins, Scene, Simulation, SoftBody
from solver.methods.batch import add_gradient
from solver.scene import catalog
from tests.covering_set import long
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import cube, grid

SOFT = Material.fabric(0.5, 10.0, 5.0, bending=1e-6)  # a strip of it hung by its end stretches by a third


def energy(name, **changes):
    """An energy with its defaults but for some changes, as `Material.energies` has it."""
    return {name: {key: p.default for key, p in catalog.energies()[name].parameters.items()} | changes}


def with_energies(material, *more):
    together = dict(material.energies)
    for one in more:
        together |= one
    return material.changed(energies=together)


def hung_strip(*more, **settings):
    """A strip of 1 m of SOFT and more energies, hung by its upper end: positions, rest positions and triangles."""
    vertices, triangles = grid(10, 2, 1.0, 0.2)
    x = vertices[:, [1, 2, 0]] * [1, 1, -1]
    cloth = plain_cloth("strip", x, triangles, with_energies(SOFT, *more), pins=Pins([0, 1, 2]))
    *_, frame = Simulation(Scene([cloth]), plain_settings(damping=5.0, **settings)).frames(1, 25)
    return frame.positions["strip"], x, triangles


def principal_stretches(x, rest, triangles):
    """Return the principal stretches of each triangle of a sheet at rest in the xz plane, (t, 2), the larger one first."""
    edges = [np.stack([y[triangles[:, k]] - y[triangles[:, 0]] for k in (1, 2)], 2) for y in (x, rest)]
    return np.linalg.svd(edges[0] @ np.linalg.inv(edges[1][:, [0, 2]]), compute_uv=False)


@pytest.mark.parametrize("slack", [0.0, 0.1])
def test_a_hung_strip_with_tethers_gets_no_longer_than_they_are(slack):
    """1e-4 of the length: energies swept last hold to float32's rounding. Without tethers it is a third longer; with them
    the fabric uses up their length to 1.5 %, or falls short of it by no more, where it hangs."""
    free, *_ = hung_strip()
    held, *_ = hung_strip(energy("long_range_attachment", compliance=0.0, slack=slack))
    assert -free[:, 2].min() > 1.18
    assert 1 + slack - 0.015 < -held[:, 2].min() < 1 + slack + 1e-4


def test_tethers_leave_a_sheet_alone_that_is_nowhere_too_long():
    """The same bits: a sheet with a horizontal side, pushed together by a tenth, never gets longer than at rest."""
    ends = []
    for more in ((), (energy("long_range_attachment", compliance=0.0),)):
        vertices, triangles = grid(8, 4, 1.0, 0.5)
        pins = Pins(np.flatnonzero(vertices[:, 0] == 0.0))
        start = vertices * [0.9, 1, 1]
        cloth = plain_cloth("sheet", start, triangles, with_energies(SOFT, *more), pins=pins, rest_vertices=vertices)
        sim = Simulation(Scene([cloth], gravity=(0, 0, 0)), plain_settings(damping=200.0))
        *_, frame = sim.frames(1, 4)
        ends.append(frame.positions["sheet"])
    assert (ends[0] == ends[1]).all()


@pytest.mark.parametrize("substeps, excess", [(8, 0.005), *long((40, 0.0005))])
def test_a_strain_limit_holds(substeps, excess):
    """0.5 % beyond a limit of 10 % with eight substeps of ten sweeps, a tenth of it with forty; 32 % without a limit."""
    free, rest, triangles = hung_strip()
    held, *_ = hung_strip(energy("strain_limit", limit=0.1, compliance=0.0), substeps=substeps)
    assert principal_stretches(free, rest, triangles).max() > 1.3
    assert principal_stretches(held, rest, triangles).max() < 1.1 + excess


def test_a_sheet_of_hard_edges_hardly_stretches():
    """0.2 % in the mean of ten sweeps; 0.13 % measured."""
    vertices, triangles = grid(12, 12, 1.0, 1.0)
    material = SOFT.changed(energies=energy("distance", compliance=0.0) | energy("isometric_bending"))
    cloth = plain_cloth("sheet", vertices, triangles, material, pins=Pins([0, 12]))
    *_, frame = Simulation(Scene([cloth]), plain_settings(damping=1.0)).frames(1, 25)
    assert frame.report.mean_stretch < 0.002
    assert frame.positions["sheet"][:, 2].min() < -0.5


def test_a_hard_edge_takes_back_ten_times_its_length_a_second_however_far_it_was_off():
    """1e-6 of the length: float32's rounding. One end is pinned, the other 2 m too far: 0.2 s, in frames of one substep."""
    vertices, triangles = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])
    material = SOFT.changed(energies=energy("distance", compliance=0.0))
    cloth = plain_cloth("edge", vertices * [3, 1, 1], triangles, material, pins=Pins([0, 2]), rest_vertices=vertices)
    simulation = Simulation(Scene([cloth], gravity=(0, 0, 0)), plain_settings(substeps=1, iterations=50))
    *_, before, frame = simulation.frames(1, 6)
    assert np.linalg.norm(before.positions["edge"][1]) > 1.05
    x = frame.positions["edge"]
    assert np.linalg.norm(x[1] - x[0]) == pytest.approx(1.0, rel=1e-6)
    assert np.linalg.norm(x[1] - x[2]) == pytest.approx(np.sqrt(2), rel=1e-6)


def test_a_pulled_solid_without_poisson_ratio_keeps_its_volume_by_the_constraint():
    """0.7 % of the volume, 0.43 % measured; 25 % without. Single tetrahedra cannot all keep theirs: there are more of them
    than coordinates."""
    x, tetrahedra = cube(4, 0.4)
    held = np.flatnonzero((x[:, 2] < 1e-6) | (x[:, 2] > 0.4 - 1e-6))
    targets = x[held] * [1, 1, 1.3]
    foam = Material.solid(1000, 1e4, 0.0, damping=1e-3)
    found = []
    for more in ((), (energy("volume", compliance=0.0),)):
        body = SoftBody("cube", x, tetrahedra, with_energies(foam, *more), pins=Pins(held, targets=lambda t: targets))
        *_, frame = Simulation(Scene([body], gravity=(0, 0, 0)), plain_settings(damping=2.0)).frames(1, 12)
        found.append(frame.report.volume_change)
    assert found[0] > 0.24
    assert abs(found[1]) < 0.007


@pytest.mark.parametrize("cells", [1, 3])
def test_a_compliant_volume_is_as_stiff_on_any_mesh(cells):
    """1e-9: rounding. Blown up by J, a solid of volume V stores V (J - 1)^2 / (2 alpha), however many tetrahedra fill it."""
    x, tetrahedra = cube(cells, 0.5)
    foam = Material.solid(1000, 1e4, 0.0).changed(energies=energy("volume", compliance=1e-3))
    sim = Simulation(Scene([SoftBody("cube", x, tetrahedra, foam)]), plain_settings(dtype="float64"))
    y = sim.state.x.copy()
    y[: len(x), :3] *= 1.1
    found = add_gradient(sim.model.batches[0], sim.state.strains_at_start[0], y, np.zeros_like(y))
    assert found == pytest.approx(0.5**3 * (1.1**3 - 1) ** 2 / (2 * 1e-3), rel=1e-9)


def equilateral(n):
    """A sheet of equilateral triangles, n rows of n."""
    i, j = (a.ravel() for a in np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij"))
    vertices = np.stack([i + 0.5 * j, np.sqrt(0.75) * j, 0 * i], 1) / n
    a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    b, c, d = a + n + 1, a + 1, a + n + 2
    return vertices, np.concatenate([np.stack([a, b, c], 1), np.stack([b, d, c], 1)])


def plate_ratio(vertices, triangles, curvature):
    """Energy of isometric bending of a sheet bent to z = 1/2 x.curvature.x, over that of a plate of Poisson ratio 0.

    Each hinge stands for a third of its two triangles, so that the border is left out of both.
    """
    material = SOFT.changed(energies=energy("isometric_bending", bending=1e-3))
    sim = Simulation(Scene([plain_cloth("sheet", vertices, triangles, material)]), plain_settings(dtype="float64"))
    (batch,) = sim.model.batches
    x = sim.state.x
    flat = vertices[:, :2] - vertices[:, :2].mean(0)
    x[: len(vertices), 2] = 0.5 * np.einsum("ni,ij,nj->n", flat, curvature, flat)
    found = add_gradient(batch, sim.state.strains_at_start[0], x, np.zeros_like(x))
    hinges = batch.index.reshape(-1, 4, 16).transpose(0, 2, 1).reshape(-1, 4)[batch.element >= 0]
    p = vertices[hinges]
    area = sum(np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, k] - p[:, 0]), axis=1).sum() / 2 for k in (2, 3)) / 3
    return found / (0.5 * 1e-3 * np.sum(np.square(curvature)) * area)


def rolled(degrees):
    n = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    return 1e-3 * np.outer(n, n)


@pytest.mark.parametrize("degrees", [0, 17, 45, 90])
def test_quadratic_bending_of_equilateral_triangles_is_that_of_a_rolled_plate(degrees):
    """3 %: the border of a finite sheet has not the three directions of hinges in equal parts (half of it with 48 rows)."""
    assert plate_ratio(*equilateral(24), rolled(degrees)) == pytest.approx(1.0, rel=0.03)


def test_quadratic_bending_of_equilateral_triangles_has_the_poisson_ratio_of_its_docstring():
    """1 %, the border, 0.7 % measured: a dome stores 1 + nu, a saddle 1 - nu of the sum of the squares, nu = -1/3."""
    mesh = equilateral(24)
    assert plate_ratio(*mesh, 1e-3 * np.diag([1, 1])) == pytest.approx(2 / 3, rel=0.01)
    assert plate_ratio(*mesh, 1e-3 * np.diag([1, -1])) == pytest.approx(4 / 3, rel=0.01)


def test_quadratic_bending_of_a_grid_depends_on_the_direction_as_its_docstring_says():
    """2 %: the border, as above, 1.4 % measured; none across the diagonals, where it is exact."""
    vertices, triangles = grid(24, 24, 1.0, 1.0)
    assert plate_ratio(vertices, triangles, rolled(0)) == pytest.approx(1.0, rel=0.02)
    assert plate_ratio(vertices, triangles, rolled(90)) == pytest.approx(1.0, rel=0.02)
    assert max(plate_ratio(vertices, triangles, rolled(a)) for a in (45, 135)) == pytest.approx(3.0, rel=0.02)


@pytest.mark.each_value
@pytest.mark.parametrize("doubling", [0.1, 0.3])
@pytest.mark.parametrize("pull", [0.05, 0.15])
def test_a_pulled_strip_follows_the_stiffening_curve(doubling, pull):
    """0.5 %: force and strain in the middle of a strip whose ends are held across, when it has come to rest; 0.2 %
    measured."""
    young, n = 200.0, 5
    vertices, triangles = grid(16, 4, 1.0, 0.25)
    ends = np.concatenate([np.arange(n), np.arange(n) + 16 * n])
    values = {"young_warp": young, "young_weft": 100.0, "shear": 60.0, "poisson": 0.3, "damping": 0.002}
    membrane = energy("stiffening_membrane", **values, doubling_warp=doubling)

    def targets(time):
        y = vertices[ends].copy()
        y[n:, 0] += pull * min(time / 0.5, 1.0)
        return y

    cloth = plain_cloth("strip", vertices, triangles, SOFT.changed(energies=membrane), pins=Pins(ends, targets=targets))
    sim = Simulation(
        Scene([cloth], gravity=(0, 0, 0)), plain_settings(substeps=40, iterations=10, damping=5.0, dtype="float64")
    )
    *_, _ = sim.frames(1, 37)
    x = sim.state.x
    force = np.zeros_like(x)
    add_gradient(sim.model.batches[0], sim.state.strains_at_start[0], x, force)
    tension = (force[ends[n:], 0].sum() - force[ends[:n], 0].sum()) / 2 / 0.25
    rows = [x[k * n : (k + 1) * n, 0].mean() for k in (7, 9)]
    stretch = (rows[1] - rows[0]) / (2 / 16)
    strain = (stretch**2 - 1) / 2
    curve = stretch * young * (strain + strain**3 / (3 * doubling**2))
    assert tension == pytest.approx(curve, rel=0.005)
    narrowed = (x[8 * n + 4, 1] - x[8 * n, 1]) / 0.25 - 1
    assert narrowed < -0.4 * pull, "it contracts as Poisson's ratio says, 0.3 of the geometric mean"


def one_triangle(name="stiffening_membrane", **changes):
    """Second Piola-Kirchhoff stress (00, 11, 01) [N/m] of a membrane at a Green strain (00, 11, 01), from rest in a
    substep."""
    vertices, triangles = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])
    cloth = plain_cloth("t", vertices, triangles, SOFT.changed(energies=energy(name, **changes)))
    sim = Simulation(Scene([cloth]), plain_settings(dtype="float64"))

    def stress(e00, e11, e01):
        F = np.linalg.cholesky(np.array([[1 + 2 * e00, 2 * e01], [2 * e01, 1 + 2 * e11]])).T
        x, out = sim.state.x, np.zeros_like(sim.state.x)
        x[0, :3], x[1, :2], x[2, :2] = 0, F[:, 0], F[:, 1]
        add_gradient(sim.model.batches[0], sim.state.strains_at_start[0], x, out)
        P = np.stack([out[1, :2], out[2, :2]], 1) / 0.5
        S = np.linalg.solve(F, P)
        return np.array([S[0, 0], S[1, 1], S[0, 1]])

    return stress


def test_the_stiffening_membrane_has_orthotropic_moduli_at_small_tension():
    """1e-9: the fourth-order term at a strain of 2e-6 and a doubling strain of 0.1 is 1e-10; float32 holds no constant
    here."""
    stress = one_triangle(young_warp=300.0, young_weft=120.0, shear=40.0, poisson=0.3)
    e = np.array([2e-6, 1e-6, 5e-7])
    plane = 1 / (1 - 0.3**2)
    cross = 0.3 * np.sqrt(300 * 120) * plane
    wanted = [300 * plane * e[0] + cross * e[1], cross * e[0] + 120 * plane * e[1], 40 * 2 * e[2]]
    assert stress(*e) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("name", ["stvk_membrane", "stiffening_membrane"])
def test_damping_of_a_membrane_is_the_stress_times_tau(name):
    """1e-9: rounding, and the fourth-order term as above. A strain that comes about in a substep h of 1/192 s adds tau / h
    times its elastic stress."""
    values = {"young_warp": 300.0, "young_weft": 120.0, "shear": 40.0, "poisson": 0.3}
    strain, tau = (2e-6, 1e-6, 5e-7), 0.01
    elastic, damped = (one_triangle(name, **values, damping=d)(*strain) for d in (0.0, tau))
    assert damped == pytest.approx(elastic * (1 + tau * plain_settings().substeps * plain_settings().fps), rel=1e-9)


def test_the_stiffening_membrane_wrinkles_instead_of_pushing():
    """1e-9: the fourth-order term at a strain of 0.1 and a doubling strain of 1000, and rounding. A strip that is narrower
    than it wants pulls as if it were as wide, but for the share left."""
    values = {"young_warp": 300.0, "young_weft": 120.0, "poisson": 0.3, "doubling_warp": 1e3, "doubling_weft": 1e3}
    stress, whole = (one_triangle(**values, compression=share) for share in (0.1, 1.0))
    assert stress(0.01, -0.1, 0.0)[0] == pytest.approx(0.9 * 3.0 + 0.1 * whole(0.01, -0.1, 0.0)[0], rel=1e-9)
    assert stress(0.01, -0.1, 0.0)[1] == pytest.approx(0.1 * whole(0.01, -0.1, 0.0)[1], rel=1e-9)
    assert stress(-0.02, -0.1, 0.0) == pytest.approx(0.1 * whole(-0.02, -0.1, 0.0), rel=1e-9, abs=1e-12)


def test_sheets_of_all_new_energies_have_the_same_bits_for_any_number_of_threads():
    """Large enough for the parallel path, with tethers that share their pins."""
    vertices, triangles = grid(64, 64, 1.0, 1.0)
    values = energy("stiffening_membrane") | energy("isometric_bending") | energy("strain_limit") | energy("distance")
    material = SOFT.changed(energies=values | energy("long_range_attachment"))
    ends = []
    for threads in (1, 2, 2):
        cloth = plain_cloth("sheet", vertices, triangles, material, pins=Pins([0, 64]))
        sim = Simulation(Scene([cloth]), plain_settings(substeps=2, iterations=2, threads=threads))
        *_, _ = sim.frames(1, 3)
        ends.append(sim.state.x.tobytes())
    assert ends[0] == ends[1] == ends[2]


def test_limits_are_swept_after_what_they_limit():
    vertices, triangles = grid(4, 4, 1.0, 1.0)
    material = with_energies(
        SOFT, *(energy(name) for name in ("long_range_attachment", "strain_limit", "distance", "isometric_bending"))
    )
    sim = Simulation(Scene([plain_cloth("sheet", vertices, triangles, material, pins=Pins([0]))]))
    order = [batch.energy.NAME for batch in sim.model.batches]
    assert order == [
        "discrete_shell",
        "isometric_bending",
        "stvk_membrane",
        "distance",
        "strain_limit",
        "long_range_attachment",
    ]
