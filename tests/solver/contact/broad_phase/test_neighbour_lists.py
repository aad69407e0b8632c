"""Neighbour lists hold every pair that may touch, against brute force in float64, and name none twice."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.contact import BodySurface, ColliderShape, Contact
from solver.errors import ContactMemoryError
from solver.steering import ACTIVATION
from tests.covering_set import long
from tests.solver.contact.closest import distances
from tests.solver.contact.narrow_phase.test_distance import nearest_of_segments
from tests.solver.contact.worlds import World, grid, sphere

R = 0.006


def known(pairs) -> tuple[set, set]:
    """Points with triangles, and edges, of all candidate pairs, by their corners."""
    vertex = [(c[0], *sorted(c[1:])) for c in pairs.corners[: pairs.split].tolist()]
    edge = [frozenset((tuple(sorted(c[:2])), tuple(sorted(c[2:])))) for c in pairs.corners[pairs.split :].tolist()]
    assert len(set(vertex)) == len(vertex)
    assert len(set(edge)) == len(edge)
    return set(vertex), set(edge)


def near(surfaces, x, limit: float) -> tuple[set, set]:
    """All pairs that are nearer than a limit and share no corner, one of which moves."""
    n = surfaces.n
    p = surfaces.points[:, 0]
    close = distances(x[p], x[surfaces.triangles]) < limit
    vertex = {
        (int(p[i]), *sorted(t))
        for i, k in np.argwhere(close)
        if p[i] not in (t := surfaces.triangles[k].tolist()) and (p[i] < n or t[0] < n)
    }
    e = surfaces.edges
    i, j = np.triu_indices(len(e), 1)
    keep = (e[i, 0] < n) & (e[i, :, None] != e[j, None, :]).all((1, 2))
    centre, half = x[e].mean(1), np.linalg.norm(x[e[:, 0]] - x[e[:, 1]], axis=1) / 2
    keep &= np.linalg.norm(centre[i] - centre[j], axis=1) < half[i] + half[j] + limit
    i, j = i[keep], j[keep]
    close = nearest_of_segments(x[e[i, 0]], x[e[i, 1]], x[e[j, 0]], x[e[j, 1]]) < limit
    pairs = zip(e[i[close]].tolist(), e[j[close]].tolist(), strict=True)
    return vertex, {frozenset((tuple(sorted(a)), tuple(sorted(b)))) for a, b in pairs}


def two_sheets(speed: float) -> World:
    """Two sheets of one body, the upper falling on the lower, over a ball that turns and rises."""
    x, t = grid(9, 9, 0.3, 0.108)
    y, u = grid(8, 8, 0.25, 0.12)
    v, w = sphere(6, 0.1)

    def move(time):
        a = 3 * time
        turned = np.c_[np.cos(a) * v[:, 0] - np.sin(a) * v[:, 1], np.sin(a) * v[:, 0] + np.cos(a) * v[:, 1], v[:, 2]]
        return turned + [0, 0, speed * time]

    y[:, :2] += 0.0071
    return World(
        np.r_[x, y], np.r_[t, u + len(x)], [(v, w)], r=R, springs=True, move=move, itself=True, thickness=R, mass=1e-3
    )


def two_that_fly() -> World:
    """Two sheets of one body that fly at 4 m/s, the upper one faster and three corners of it faster still, with nothing
    else: what searches for pairs moves along with them."""
    x, t = grid(9, 9, 0.3, 0.0)
    y, u = grid(8, 8, 0.25, 0.02)
    y[:, :2] += 0.0071
    velocity = np.r_[np.tile([3.0, 0, -2.6], (len(x), 1)), np.tile([3.0, 0, -2.8], (len(y), 1))]
    velocity[[len(x) + 10, len(x) + 28, len(x) + 44], 2] -= 1.5
    return World(np.r_[x, y], np.r_[t, u + len(x)], r=R, springs=True, velocity=velocity, itself=True, thickness=R)


@pytest.mark.parametrize("make", [*long(lambda: two_sheets(0.0), lambda: two_sheets(1.5)), two_that_fly])
def test_lists_hold_every_pair_that_is_near_in_any_substep(make):
    """Exact sets: each pair closer than what becomes a contact, at the start or the predicted end, is a candidate.

    The lists are several substeps old most of the time; all partners move. Where all fly, particles that left their paths
    were once searched for as if the list had just begun: sheets passed through each other unseen.
    """
    world = make()
    contact = world.contact
    seen, begin = [0, 0], contact.begin_substep

    def checked(x0, x1, *more):
        begin(x0, x1, *more)
        vertex, edge = known(contact.lists.pairs)
        for x in contact.particles.motion:
            some, others = near(contact.surfaces, x[:, :3].astype(float), ACTIVATION * R * 0.9999)
            assert some <= vertex
            assert others <= edge
            seen[0] += len(some)
            seen[1] += len(others)

    contact.begin_substep = checked
    world.step(40)
    assert min(seen) > 300
    assert contact.lists.searches < 20
    assert contact.lists.renewals > 0


def ipctk_pairs(surfaces, x: np.ndarray, limit: float) -> tuple[set, set]:
    """As `near`, by ipctk: its candidates for boxes grown by half the limit, and its distances."""
    ipctk = pytest.importorskip("ipctk", reason="ipctk, which checks the solver's contact, is not installed")
    n, faces, edges = surfaces.n, surfaces.triangles, surfaces.edges
    found = ipctk.Candidates()
    found.build(ipctk.CollisionMesh(x, edges, faces), x, 0.5 * limit, ipctk.HashGrid())
    vertex, edge = set(), set()
    for pair in found.fv_candidates:
        p, t = pair.vertex_id, faces[pair.face_id]
        if (p < n or t[0] < n) and ipctk.point_triangle_distance(x[p], *x[t]) < limit * limit:
            vertex.add((int(p), *sorted(t.tolist())))
    for pair in found.ee_candidates:
        a, b = edges[pair.edge0_id], edges[pair.edge1_id]
        if (a[0] < n or b[0] < n) and ipctk.edge_edge_distance(*x[a], *x[b]) < limit * limit:
            edge.add(frozenset((tuple(sorted(a.tolist())), tuple(sorted(b.tolist())))))
    return vertex, edge


@pytest.mark.parametrize("speed", [0.0, *long(1.5)])
def test_near_candidates_are_those_of_ipctk(speed):
    """Equal sets: of all candidates those nearer than what becomes a contact, by ipctk's distances, at every fourth substep.

    ipctk makes its lists anew each time; ours are mended, and some are a frame old.
    """
    world = two_sheets(speed)
    contact, seen = world.contact, 0
    begin = contact.begin_substep

    def checked(x0, x1, *more):
        nonlocal seen
        begin(x0, x1, *more)
        checked.count += 1
        if checked.count % 4:
            return
        limit = ACTIVATION * R * 0.9999
        x = contact.particles.motion.x0[:, :3].astype(float)
        some, others = ipctk_pairs(contact.surfaces, x, limit)
        pairs = contact.lists.pairs
        c, edges = pairs.corners[: pairs.split], pairs.corners[pairs.split :]
        exact = [distances(x[p : p + 1], x[t][None])[0, 0] for p, *t in c.tolist()]
        mine = {(p, *sorted(t)) for (p, *t), d in zip(c.tolist(), exact, strict=True) if d < limit}
        a, b, d, e = (x[k] for k in edges.T)
        near_edges = edges[nearest_of_segments(a, b, d, e) < limit].tolist()
        assert mine == some
        assert {frozenset((tuple(sorted(q[:2])), tuple(sorted(q[2:])))) for q in near_edges} == others
        seen += min(len(some), len(others))

    checked.count = 0
    contact.begin_substep = checked
    world.step(40)
    assert seen > 100


def test_quiet_lists_last():
    """A sheet that lies still on another one for 80 substeps: a list lives for 64, so three searches are enough."""
    x, t = grid(12, 12, 0.3, 0.0)
    world = World(x + [0.004, 0.006, 0.0061], t, [(x, t)], r=R, itself=True, gravity=(0, 0, 0))
    world.step(80)
    assert world.contact.lists.searches <= 3
    assert world.contact.results.statistics().pairs > 1000
    assert len(world.contact.constraints.pairs) > 100


def test_a_full_chunk_is_searched_again_with_more_room():
    """The lists do not depend on how much room the first attempt had."""
    found = []
    for room in (3, 5000):
        world = two_sheets(0.0)
        world.contact.lists._search.search.room = room
        world.step(9)
        found.append(known(world.contact.lists.pairs))
    assert found[0] == found[1]
    assert len(found[0][0]) > 100


def test_a_body_that_may_not_touch_itself_has_no_pairs_with_itself():
    world = two_sheets(0.0)
    np.fill_diagonal(world.contact.surfaces.rules, False)
    world.step(9)
    n = world.contact.surfaces.n
    corners = world.contact.lists.pairs.corners
    assert len(corners) > 50
    assert ((corners >= n).any(1)).all()


def test_one_fast_particle_does_not_shorten_the_lists_of_all_others():
    """A corner of a resting sheet flies off at 3 m/s, 6 mm a substep: its path ends soon, those of the others last.

    The first list, which knows of no forces yet, is for 8 substeps, the second one for all that follow: with the lifetime of
    the fastest particle it would be for 8 as well, and so on.
    """
    x, t = grid(12, 12, 0.3, 0.0)
    velocity = np.zeros_like(x)
    velocity[0] = 2, 2, 1
    world = World(x + [0.004, 0.006, 0.0061], t, [(x, t)], r=R, itself=True, gravity=(0, 0, 0), velocity=velocity)
    world.step(40)
    lists = world.contact.lists
    assert lists.searches == 2
    assert lists.renewals > 1
    ends = lists.paths.step[:, 3]
    assert np.median(ends) > 40
    assert ends[0] < np.median(ends)


def crowded(most: int) -> World:
    """Two sheets that touch over a fast ball, with room for so many pairs."""
    world = two_sheets(1.5)
    world.contact.lists.limit.most = most
    return world


def most_pairs(world: World, single: bool) -> int:
    """The most pairs of 12 substeps; single: of lists for single substeps."""
    world.contact.lists._short, most = single, 0
    for _ in range(12):
        world.step()
        most = max(most, len(world.contact.lists))
    return most


def test_lists_that_would_grow_too_large_are_made_for_single_substeps():
    """The limit is half way between the lengths of lists of many substeps and of single ones: no list exceeds it, no
    near pair is missed, and the warning appears once."""
    long, short = (most_pairs(crowded(10**9), single) for single in (False, True))
    assert long > 1.2 * short
    most = (long + short) // 2
    world = crowded(most)
    lists, begin = world.contact.lists, world.contact.begin_substep

    def checked(x0, x1, *more):
        begin(x0, x1, *more)
        vertex, edge = known(lists.pairs)
        assert len(lists) <= most
        for x in world.contact.particles.motion:
            some, others = near(world.contact.surfaces, x[:, :3].astype(float), ACTIVATION * R * 0.9999)
            assert some <= vertex
            assert others <= edge

    world.contact.begin_substep = checked
    world.step(12)
    assert [warning.startswith("body: ") for warning in lists.warnings] == [True]


def test_too_many_pairs_for_one_substep_end_with_an_error_that_names_the_object():
    with pytest.raises(ContactMemoryError, match=r"body: [\d,]+ pairs .* at most 50, .* Lower its Collision Distance"):
        crowded(50).step(12)


def test_points_are_known_by_their_particles_where_others_come_first():
    """As inside soft bodies, some vertices belong to no surface: a sheet over a square of a ground, all pairs near."""
    (x, t), (y, u) = grid(7, 7, 0.1, 0.9 * R), grid(3, 3, 0.2)
    x = np.r_[np.tile([0.0, 0.0, 1.0], (9, 1)), x]
    bodies, ground = [BodySurface("body", t + 9, 0, len(x), R, R, 0.5)], ColliderShape("ground", u, 0.5, 0.0, 0)
    contact = Contact(np.float32, bodies, x, x, [ground], y)
    start, pose = np.c_[x, np.full(len(x), 1e-3)].astype(np.float32), y.astype(np.float32)
    contact.begin_substep(start, start.copy(), pose, pose, 1 / 480)
    vertex, edge = known(contact.lists.pairs)
    some, others = near(contact.surfaces, contact.particles.motion.x0[:, :3].astype(float), R)
    assert some <= vertex
    assert others <= edge
    assert len(some) > 49


def test_lists_are_good_for_all_ends_that_they_are_to_follow():
    """The upper sheet ends where it began, and might have ended 20 mm below, in the ball: lists hold all pairs there."""
    world = two_sheets(0.0)
    contact, pose = world.contact, world.pose.astype(np.float32)
    contact.begin_substep(world.x, world.x.copy(), pose, pose, world.h)
    motion = contact.particles.motion
    other = motion.x1.copy()
    other[81:145, 2] -= 0.02
    assert contact.lists.follow(motion, other)
    vertex, edge = known(contact.lists.pairs)
    some, others = near(contact.surfaces, other[:, :3].astype(float), ACTIVATION * R * 0.9999)
    assert some <= vertex
    assert others <= edge
    assert len(some) + len(others) > 20
