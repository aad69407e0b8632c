"""Contact of bodies with colliders: friction, rest, transport, and no passage."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.contact import BodySurface, ColliderShape, Contact, PlaneShape
from solver.device import threads
from solver.errors import SceneError
from tests.solver.contact.worlds import World, box, cone, grid, sphere

G = 9.81
R = 0.005


def incline(kind: str, tangent: float, mu: float) -> tuple[World, np.ndarray]:
    """A sheet that touches a slope, either a tessellated mesh or an infinite plane; and the direction down the slope."""
    a = np.arctan(tangent)
    turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    x, triangles = grid(5, 5, 0.1, R)
    if kind == "mesh":
        v, t = grid(24, 24, 4.0)
        world = World((x + [0.013, 0.007, 0]) @ turn.T, triangles, [(v @ turn.T, t, mu, 0.0)], mu=mu, r=R)
    else:
        world = World(x @ turn.T, triangles, planes=[((0, 0, 0), turn[:, 2])], mu=mu, r=R)
    return world, turn[:, 0]


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["mesh", "plane"])
@pytest.mark.parametrize("mu", [0.3, 0.6])
def test_a_sheet_holds_just_below_the_friction_angle(kind, mu):
    """At 0.99 mu nothing moves: 0.1 mm in 0.5 s is what float32 rounding of positions near 1 m may add up to."""
    world, down = incline(kind, 0.99 * mu, mu)
    start = world.x[:, :3].copy()
    assert abs((world.step(240) - start) @ down).max() < 1e-4


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["mesh", "plane"])
@pytest.mark.parametrize(("mu", "over"), [(0.3, 1.01), (0.6, 1.01), (0.3, 1.5)])
def test_a_sheet_slides_just_above_the_friction_angle_as_fast_as_coulomb_says(kind, mu, over):
    """1 % of the acceleration over mu g cos, as Coulomb's law gives; 0.3 mm/s^2 for float32 where that is more, near the
    threshold."""
    world, down = incline(kind, over * mu, mu)
    start = world.x[:, :3].copy()
    n, h = 240, world.h
    way = ((world.step(n) - start) @ down).mean()
    a = np.arctan(over * mu)
    exact = G * (np.sin(a) - mu * np.cos(a))
    assert way / (0.5 * h * h * n * (n + 1)) == pytest.approx(exact, rel=0.01, abs=3e-4)


@pytest.mark.parametrize("dtype", [np.float32, pytest.param(np.float64, marks=pytest.mark.long)])  # other kernels
def test_a_vertex_comes_to_rest_at_the_kept_distance_above_a_box(dtype):
    """5e-7 m: eight units of float32 rounding at 1 m, 6e-8. A speed of 1e-4 m/s is 2e-7 m in a substep."""
    world = World([[0.2, 0.1, 0.02]], colliders=[(*box(centre=(0, 0, -0.5)), 0.5, 0.002)], r=0.003, dtype=dtype)
    assert world.x.dtype == dtype
    assert world.step(150)[0, 2] == pytest.approx(0.005, abs=5e-7)
    assert world.v[0] == pytest.approx([0, 0, 0], abs=1e-4)
    assert world.contact.results.statistics().contacts == 1
    assert world.contact.results.touched().all()


def test_the_distance_of_a_pair_is_the_sum_and_its_friction_the_geometric_mean():
    """At tan = 0.3 a pair of 0.9 and 0.1 (mean 0.3) is at its threshold: 0.29 holds, 0.31 slides by more than
    1 mm; the sum would hold."""
    for tangent, slides in ((0.29, False), (0.31, True)):
        a = np.arctan(tangent)
        n = (np.sin(a), 0, np.cos(a))
        h = 1 / 480
        x = np.array([[R * n[0], 0, R * n[2], h * h / 1e-3]], np.float32)
        body = BodySurface("point", np.empty((0, 3)), 0, 1, R, R, 0.9, loose=[0])
        contact = Contact(np.float32, [body], x[:, :3], x[:, :3], planes=[PlaneShape("slope", (0, 0, 0), n, 0.1, 0.0)])
        v, none = np.zeros(3, np.float32), np.zeros((0, 3))
        start = x.copy()
        for _ in range(100):
            v[2] -= np.float32(G * h)
            x0, x = x, x.copy()
            x[0, :3] += v * np.float32(h)
            contact.begin_substep(x0, x, none, none, h)
            for _ in range(5):
                contact.sweep(x)
            contact.end_substep(x)
            v = (x - x0)[0, :3] / np.float32(h)
        way = np.linalg.norm((x - start)[0, :3])
        assert (way > 1e-3) == slides


def test_a_ball_that_moves_its_thickness_a_substep_takes_a_sheet_along():
    """No vertex may end inside; the ball moves 5 mm a substep, 2.4 m/s, into a sheet hanging from two corners."""
    x, triangles = grid(17, 17, 0.4)
    x = x[:, [2, 0, 1]]  # upright, in the plane x = 0
    v, t = sphere(10, 0.08)
    start = np.array([-0.15, 0.03, -0.02])
    speed = np.array([R * 480, 0, 0])

    def move(time):
        return v + start + speed * min(time, 0.12)

    world = World(x, triangles, [(v + start, t)], r=R, springs=True, pinned=(16, 288), move=move)
    for _ in range(100):
        world.step()
        centre = start + speed * min(world.time, 0.12)
        assert np.linalg.norm(world.x[:, :3] - centre, axis=1).min() > 0.08 * np.cos(np.pi / 20) ** 2
        assert np.isfinite(world.x).all()
    assert world.x[:, 0].max() > 0.2


def test_fast_vertices_do_not_tunnel():
    """50 mm a substep, ten times the thickness, at a single open wall from random directions: all stay on their side."""
    rng = np.random.default_rng(3)
    n = 400
    x = np.c_[rng.uniform(0.1, 0.3, n), rng.uniform(-0.3, 0.3, (n, 2))]
    v, t = grid(9, 9, 4.0)
    world = World(x, colliders=[(v[:, [2, 0, 1]], t)], r=R, mu=0.2)
    world.v[:] = np.c_[-np.full(n, 0.05 * 480), rng.uniform(-10, 10, (n, 2))]
    for _ in range(20):
        assert world.step()[:, 0].min() > 0
    assert world.v[:, 0].min() > -0.1


def test_fast_vertices_do_not_enter_a_box_over_edges_and_corners():
    """30 mm a substep from everywhere towards a box: nothing ends inside."""
    rng = np.random.default_rng(4)
    d = rng.normal(size=(600, 3))
    x = 0.5 * d / np.linalg.norm(d, axis=1)[:, None]
    world = World(x, colliders=[box((0.3, 0.3, 0.3))], r=R, mu=0.1, gravity=(0, 0, 0))
    world.v[:] = -30 * 0.48 * x / 0.5 + rng.normal(0, 1, x.shape)
    for _ in range(60):
        assert abs(world.step()).max(1).min() > 0.15


def test_a_vertex_thrown_into_a_corner_stays_out_of_both_walls():
    """Crossing planes are found one after the other: floor first, then the wall behind it."""
    floor, ft = grid(5, 5, 2.0)
    world = World(
        [[0.02, 0.3, 0.03]], colliders=[(floor, ft), (floor[:, [2, 1, 0]], ft)], r=R, velocity=(-30, 0, -40), mu=0.0
    )
    for _ in range(10):
        x = world.step()[0]
        assert x[0] > 0.9 * R
        assert x[2] > 0.9 * R


def test_what_no_plane_was_found_for_is_clamped():
    """A vertex is displaced by 2 m after the planes were frozen, as unconverged energies may do: it stops before the wall.

    Where a tenth of its distance is left, as detection keeps; twice that is the limit.
    """
    v, t = grid(9, 9, 2.0)
    world = World([[0.01, 0.02, 0.2]], colliders=[(v, t)], r=R)
    contact, x0 = world.contact, world.x
    pose = world.pose.astype(np.float32)
    for near in (0.2, 1.5):  # with candidate lists, and where bodies and colliders were far apart
        x0[0, 2] = near
        contact.begin_substep(x0, x0.copy(), pose, pose, world.h)
        x = x0.copy()
        x[0, 2] -= 2.0
        assert contact.end_substep(x) == 1
        assert 0 < x[0, 2] < 0.2 * near
        assert contact.results.statistics().failures == 0


def test_a_vertex_that_slides_over_an_edge_falls_off():
    """No phantom floor behind the edge of a box: with 3 m/s it follows a free parabola from the edge on, within 2 mm
    along and 4 mm down."""
    world = World([[0.45, 0.013, R]], colliders=[box(centre=(0, 0, -0.5))], r=R, mu=0.0, velocity=(3, 0, 0))
    x = world.step(96)[0]
    fall = 0.2 - 0.05 / 3
    assert x[0] == pytest.approx(0.45 + 3 * 0.2, abs=2e-3)
    assert x[2] == pytest.approx(R - 0.5 * G * fall**2, abs=4e-3)


def test_neighbouring_triangles_of_flat_ground_do_not_add_friction_or_bumps():
    """Sliding at 1 m/s over 30 inner edges, mu 0.1: v(t) = 1 - mu g t to 0.5 %; no vertical motion beyond 1e-6 m, rounding
    of float32."""
    v, t = grid(81, 81, 2.0)
    world = World([[-0.5, 0.0131, R], [-0.5, 0.025, R]], colliders=[(v, t, 0.1, 0.0)], mu=0.1, r=R, velocity=(1, 0.01, 0))
    x = world.step(240)
    assert world.v[:, 0] == pytest.approx(1 - 0.1 * G * 0.5, rel=5e-3)
    assert x[:, 2] == pytest.approx(R, abs=1e-6)


def test_a_rotating_plate_carries_a_vertex():
    """0.5 turns a second, which take a tenth of the friction that there is: after a quarter turn within 1 mm of the material
    point. The vertex begins with the plate's velocity."""
    v, t = grid(11, 11, 1.0)

    def turned(p, time):
        a = np.pi * time
        return np.c_[np.cos(a) * p[:, 0] - np.sin(a) * p[:, 1], np.sin(a) * p[:, 0] + np.cos(a) * p[:, 1], p[:, 2]]

    start = np.array([[0.1, 0.03, R]])
    world = World(start, colliders=[(v, t, 1.0, 0.0)], mu=1.0, r=R, move=lambda time: turned(v, time))
    world.v[:] = np.pi * np.c_[-start[:, 1], start[:, 0], 0 * start[:, 0]]
    x = world.step(240)
    assert x == pytest.approx(turned(start, 0.5), abs=1e-3)


def test_a_tilting_plate_lifts_with_its_new_normal():
    """A plate turns about y at 2 rad/s under a frictionless vertex: it never gets closer than 98 % of the distance."""
    v, t = grid(11, 11, 1.0)

    def turned(time):
        a = -2 * time
        return np.c_[np.cos(a) * v[:, 0] + np.sin(a) * v[:, 2], v[:, 1], -np.sin(a) * v[:, 0] + np.cos(a) * v[:, 2]]

    world = World([[0.2, 0.03, R]], colliders=[(v, t)], mu=0.0, r=R, move=turned)
    for _ in range(120):
        x = world.step()[0]
        a = -2 * world.time
        assert np.sin(a) * x[0] + np.cos(a) * x[2] > 0.98 * R


def test_a_spike_under_a_coarse_sheet_does_not_poke_through():
    """A cone rises 60 mm into a sheet held at its corners, in the middle of a quad of 0.1 m a side.

    The tip stays under the sheet, at no less than 90 % of the distance: the stiff sheet pulls against 10 iterations.
    """
    x, triangles = grid(4, 4, 0.3, 0.26)
    v, t = cone(12, 0.02, 0.25, (0.02, -0.01, 0))

    def rise(time):
        return v + [0, 0, min(0.3 * time, 0.06)]

    world = World(x, triangles, [(v, t, 1.0, 0.0)], mu=1.0, r=R, springs=True, pinned=(0, 3, 12, 15), move=rise)
    for _ in range(150):
        world.step()
        tip = rise(world.time)[12]
        p = world.x[:, :3].astype(float)[triangles]
        e, f, d = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0], tip - p[:, 0]
        area = e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0]
        b = (d[:, 0] * f[:, 1] - d[:, 1] * f[:, 0]) / area
        c = (e[:, 0] * d[:, 1] - e[:, 1] * d[:, 0]) / area
        over = (b >= 0) & (c >= 0) & (b + c <= 1)
        normal = np.cross(e, f)[over]
        distance = (-d[over] * normal).sum(1) / np.linalg.norm(normal, axis=1)
        assert over.any()
        assert abs(distance).min() > 0.9 * R
        assert (distance * normal[:, 2]).min() > 0
    assert tip[2] == pytest.approx(0.31)
    assert world.contact.results.statistics().contacts > 0


def test_starting_slightly_inside_a_closed_box_leaves_without_popping():
    """At 0.5 m/s at most, plus what gravity adds in one substep; and it does get out."""
    world = World([[0.1, 0.2, -0.03]], colliders=[box(centre=(0, 0, -0.5))], r=R, side="outside")
    fastest = 0.0
    for _ in range(100):
        world.step()
        fastest = max(fastest, np.linalg.norm(world.v))
    assert fastest <= 0.5 + G * world.h
    assert world.x[0, 2] > 0.9 * R
    assert world.contact.constraints.penetration.enclosing[0] == 0


@pytest.mark.parametrize("flip", [False, True])
def test_starting_deep_inside_leaves_by_the_nearest_side(flip):
    """Also if the box is wound inside out. 0.3 m at 0.5 m/s takes 0.6 s of 0.67; sideways it moves less than 1 mm."""
    v, t = box(centre=(0, 0, 0))
    shell = v, t[:, ::-1] if flip else t
    world = World([[0.2, 0.05, 0.0]], colliders=[shell], r=R, gravity=(0, 0, 0), side="outside")
    x = world.step(320)[0]
    assert x[0] >= 0.5 + 0.9 * R
    assert abs(x[1:] - [0.05, 0]).max() < 1e-3


def test_the_inner_wall_of_a_hollow_shell_is_a_wall():
    """A vertex in the cavity of a shell (outer wall out, inner wall into the cavity) is not inside the solid part."""
    outer, t = box((1, 1, 1))
    inner, _ = box((0.9, 0.9, 0.9))
    v, triangles = np.r_[outer, inner], np.r_[t, t[:, ::-1] + 8]
    world = World([[0.1, 0.1, 0.0]], colliders=[(v, triangles)], r=R)
    x = world.step(200)[0]
    assert x[2] == pytest.approx(-0.45 + R, abs=1e-5)


def test_triangles_without_area_are_ignored():
    """Needles and points in the mesh give no NaN and no force; the vertex lands on the proper triangles, to
    1e-6 m."""
    v, t = grid(5, 5, 1.0)
    t = np.r_[t, [[0, 0, 1], [3, 3, 3], [0, 1, 2]]]
    world = World([[0.01, 0.02, 0.02], [-0.5, -0.4, 0.02]], colliders=[(v, t)], r=R)
    x = world.step(100)
    assert np.isfinite(x).all()
    assert x[:, 2] == pytest.approx(R, abs=1e-6)


def test_a_moved_scene_gives_the_same_motion():
    """In float64 to 1e-10 m: rounding of 1e-16 grows by the buckling of the sheet, which amplifies any difference."""
    x, triangles = grid(9, 9, 0.3, 0.15)
    v, t = sphere(8, 0.12)
    runs = []
    for shift in (0.0, 0.7):
        world = World(x + shift, triangles, [(v + shift, t)], r=R, springs=True, dtype=np.float64)
        runs.append(world.step(60) - shift)
    assert runs[0] == pytest.approx(runs[1], abs=1e-10)


def test_results_do_not_depend_on_the_number_of_threads():
    """The same bits: chunks have a fixed size, and contacts an order of their own."""
    x, triangles = grid(80, 80, 0.8, 0.17)
    v, t = sphere(12, 0.15)
    results = []
    before = threads.thread_count()
    try:
        for count in (1, 2):
            threads.set_threads(count)
            world = World(x, triangles, [(v, t)], r=R, springs=True, move=lambda time: v + [0, 0, 0.4 * time])
            for _ in range(30):
                world.step()
            assert world.contact.results.statistics().contacts > 50
            results.append(world.x.tobytes())
    finally:
        threads.set_threads(before)
    assert results[0] == results[1]


def test_lists_are_kept_for_several_substeps_and_not_made_far_away():
    """A sheet that falls freely far from the collider never searches; in contact at most every second substep."""
    x, triangles = grid(20, 20, 0.5, 1.0)
    v, t = sphere(8, 0.1)
    far = World(x, triangles, [(v, t)], r=R)
    far.step(50)
    assert far.contact.results.statistics().pairs == 0
    near = World(x - [0, 0, 0.89], triangles, [(v, t)], r=R, springs=True)
    near.step(80)
    assert near.contact.results.statistics().contacts > 0
    assert near.contact.lists.searches <= 40


def test_colliders_that_share_vertices_are_refused():
    _, t = box()
    shapes = [ColliderShape("floor", t, 0.4, 0.0), ColliderShape("wall", t, 0.4, 0.0)]
    with pytest.raises(SceneError, match="vertex_start"):
        Contact(np.float32, [], np.zeros((1, 3)), np.zeros((1, 3)), shapes, np.zeros((8, 3)))
