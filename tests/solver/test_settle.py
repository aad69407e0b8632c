"""Equilibria of scenes: against theory, from different starts, and the warning without convergence."""

import numpy as np
import pytest

from solver import Collider, Material, Pins, Plane, Scene, SceneError, SoftBody, Tie
from solver.model.ties import vertex_areas
from solver.settle import settle, settling
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import cube, grid
from tests.validation.test_cloth_theory import elongation_of_a_hanging_strip

GRAVITY = 9.81
ONE = plain_settings(threads=1)


def strip(rows=16, young=100.0, weight=0.2):
    """A square metre's quarter, hung by its upper side along z."""
    vertices, triangles = grid(rows, rows // 4, 1.0, 0.25)
    vertices = vertices[:, [1, 2, 0]] * [1, 1, -1]
    material = Material.fabric(weight, young, 30, poisson=0.0, bending=1e-4, damping=1e-3)
    return plain_cloth("strip", vertices, triangles, material, pins=Pins(np.flatnonzero(vertices[:, 2] == 0)))


def chain(start, span=0.6, rows=32):
    """A narrow, nearly inextensible strip of one metre, held at both ends; `start` gives z over s in 0..1."""
    flat, triangles = grid(rows, 2, 1.0, 0.1)
    s = flat[:, 0]
    place = np.stack([(s - 0.5) * span, flat[:, 1], start(s)], axis=1)
    material = Material.fabric(0.2, 2000, 500, poisson=0.0, bending=1e-7)
    ends = np.flatnonzero((s == 0) | (s == s.max()))
    return plain_cloth("chain", place, triangles, material, pins=Pins(ends), rest_vertices=flat)


def ball(radius=0.3, n=12):
    polar, around = np.linspace(0, np.pi, n + 1)[1:-1], np.arange(2 * n) * np.pi / n
    rings = [[np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)] for a in polar for b in around]
    vertices = radius * np.array([[0, 0, 1], *rings, [0, 0, -1]])
    m, last = 2 * n, len(rings) + 1
    faces = [(0, 1 + j, 1 + (j + 1) % m) for j in range(m)]
    for i in range(n - 2):
        for j in range(m):
            a, b = 1 + i * m + j, 1 + i * m + (j + 1) % m
            faces += [(a, a + m, b), (b, a + m, b + m)]
    return vertices, np.array(faces + [(last, last - m + (j + 1) % m, last - m + j) for j in range(m)])


def test_a_hanging_strip_settles_to_its_theoretical_length():
    """2 %: lumped masses and the clamped upper side on 16 rows; the bound on the residual alone is 2 % of the weight."""
    rest = settle(Scene([strip()]), ONE)
    assert rest.settled and not rest.warning and rest.residual <= 0.02 and rest.speed <= 0.01
    stretch = -rest.positions["strip"][:, 2].min() - 1.0
    assert stretch == pytest.approx(elongation_of_a_hanging_strip(0.2 * GRAVITY, 100.0, 1.0), rel=0.02)


def test_the_rest_does_not_depend_on_the_scenes_iterations():
    """1e-4 m, 1 % of a stretch of 1 cm: both are below the same residual, 2 % of the weight."""
    ends = [settle(Scene([strip()]), plain_settings(substeps=a, iterations=b, threads=1)) for a, b in ((4, 1), (40, 20))]
    assert np.abs(ends[0].positions["strip"] - ends[1].positions["strip"]).max() < 1e-4


def test_two_starts_end_in_one_catenary():
    """5 mm: 2 % of the weight left on a sag of 36 cm, whose horizontal force is a sixth of the weight. The sag of the
    catenary of length 1 between points 0.6 apart solves sinh(u) / u = 1 / 0.6; 1 % for 32 straight segments and stretch."""
    ends = []
    for start in (lambda s: -0.4 * (1 - np.abs(2 * s - 1)), lambda s: -0.4 * (1 - (2 * s - 1) ** 2)):
        rest = settle(Scene([chain(start)]), ONE)
        assert rest.settled
        ends.append(rest.positions["chain"])
    assert np.abs(ends[0] - ends[1]).max() < 5e-3
    low, high = 1e-3, 5.0
    for _ in range(60):
        u = (low + high) / 2
        low, high = (u, high) if np.sinh(u) / u < 1 / 0.6 else (low, u)
    sag = 0.6 / (2 * u) * (np.cosh(u) - 1)
    assert -ends[0][:, 2].min() == pytest.approx(sag, rel=0.01)


def test_a_sheet_comes_to_rest_on_a_plane_unstretched():
    """1e-3 of its length: nothing but friction holds it; it lies at its distance of 5 mm, to a tenth of that."""
    vertices, triangles = grid(10, 10, 1.0, 1.0)
    sheet = plain_cloth("sheet", vertices + [0, 0, 0.1], triangles, Material.fabric(0.15, 800, 100), thickness=0.005)
    rest = settle(Scene([sheet], [Plane("ground")]), ONE)
    assert rest.settled
    assert np.abs(rest.positions["sheet"][:, 2] - 0.005).max() < 5e-4
    assert rest.frame.report.max_stretch < 1e-3


def test_a_sheet_comes_to_rest_on_a_ball_and_outside_of_it():
    """The ball is a polyhedron, of which some facets lie 5.1 mm inside its sphere: no vertex of the sheet is farther inside.
    It hangs down to 15 cm below the centre or more."""
    vertices, triangles = grid(14, 14, 1.0, 1.0)
    material = Material.fabric(0.15, 800, 100, bending=1e-4)
    sheet = plain_cloth("sheet", vertices + [-0.5, -0.5, 0.32], triangles, material, thickness=0.005, friction=0.4)
    rest = settle(Scene([sheet], [Collider("ball", *ball(), friction=0.4)]), ONE)
    assert rest.settled and rest.frame.report.contacts > 5
    x = rest.positions["sheet"]
    assert np.linalg.norm(x, axis=1).min() > 0.3 * np.cos(np.pi / 24) ** 2
    assert x[:, 2].min() < -0.15


def test_a_jelly_sinks_by_its_own_weight():
    """The top of a free column goes down by rho g H^2 / 2 E; 3 % for tetrahedra of a quarter of its height."""
    x, tetrahedra = cube(4, 0.3)
    material = Material.solid(1000, 2e5, 0.3, damping=1e-3)
    jelly = SoftBody("jelly", x + [0, 0, 0.005], tetrahedra, material, thickness=0.005, friction=0.0)
    rest = settle(Scene([jelly], [Plane("ground", friction=0.0)]), ONE)
    assert rest.settled
    top = rest.positions["jelly"][x[:, 2] > 0.2999, 2].mean()
    assert 0.305 - top == pytest.approx(1000 * GRAVITY * 0.3**2 / (2 * 2e5), rel=0.03)


def test_what_hangs_by_a_tie_rests_as_far_below_as_the_tie_is_soft():
    """2 %: 1 % of the weight of both sheets may be left. One hangs along the other's border by ties that stretch by .5
    mm and hold the vertices that were near at first: if they held those that are near where a phase ends, they would
    stretch anew in each."""
    upper, lower = strip(4), strip(4)
    upper.name, lower.name, lower.pins = "upper", "lower", None
    lower.vertices = lower.vertices - [0, 0.002, 0.9]
    scene = Scene([upper, lower], ties=[Tie("lower", "upper", 0.01, stiffness=3e4)])
    rest = settle(scene, ONE, tolerance=0.01)
    assert rest.settled
    top, bottom = (rest.positions[name].reshape(5, 2, 3) for name in ("lower", "upper"))
    gap = 0.4 * bottom[3, :, 2] + 0.6 * bottom[4, :, 2] - top[0, :, 2]
    area = vertex_areas(lower.vertices, lower.triangles)[:2]
    assert 3e4 * area @ gap == pytest.approx(0.2 * 0.25 * GRAVITY, rel=0.02)


def test_the_kinetic_energy_falls_and_the_residual_with_it():
    """The last step has less than a thousandth of the largest energy, and than a tenth of the largest residual."""
    energies, residuals = [], []
    for rest in settling(Scene([strip()]), ONE):
        energies.append(rest.frame.report.kinetic_energy)
        residuals.append(rest.residual)
    assert energies[-1] < 1e-3 * max(energies) and residuals[-1] < 0.1 * max(residuals)


def test_pins_and_colliders_stand_where_they_are_at_the_time():
    """1e-6 m: pins are placed, not solved. The strip hangs from where its pins are after half a second, in still air: within
    1 mm of its plane."""
    cloth = strip(8)
    start = cloth.vertices[cloth.pins.indices]
    cloth.pins.targets = lambda t: start + [0, 0, 0.4 * t]
    rest = settle(Scene([cloth], wind=(30, 0, 0)), ONE, time=0.5)
    assert rest.settled
    assert np.abs(rest.positions["strip"][cloth.pins.indices] - start - [0, 0, 0.2]).max() < 1e-6
    assert np.abs(rest.positions["strip"][:, 1]).max() < 1e-3


def test_a_body_that_nothing_holds_is_told():
    vertices, triangles = grid(4, 4, 1.0, 1.0)
    rest = settle(Scene([plain_cloth("sheet", vertices, triangles, Material.fabric(0.15, 800, 100))]), ONE, steps=60)
    assert not rest.settled and "Pin the bodies" in rest.warning and f"{rest.speed:.2g} m/s" in rest.warning


def test_a_tolerance_that_is_not_reached_is_told_with_both_numbers():
    rest = settle(Scene([strip()]), ONE, tolerance=1e-12, speed=10.0, steps=80)
    assert not rest.settled and "of the weight left; wanted 1e-12" in rest.warning


@pytest.mark.parametrize("bounds", [{"tolerance": 0}, {"speed": -1}, {"steps": 0}, {"tolerance": float("nan")}])
def test_impossible_bounds_are_refused(bounds):
    with pytest.raises(SceneError, match=f"{next(iter(bounds))} is .*; wanted (more than zero|a whole number from 1)"):
        settle(Scene([strip()]), ONE, **bounds)


def test_a_settled_scene_stays_where_it_is():
    """1 mm: settling again from the end moves nothing beyond the residual."""
    first = settle(Scene([strip()]), ONE)
    again = strip()
    again.rest_vertices, again.vertices = again.vertices, first.positions["strip"]
    second = settle(Scene([again]), ONE)
    assert second.settled and np.abs(second.positions["strip"] - first.positions["strip"]).max() < 1e-3
