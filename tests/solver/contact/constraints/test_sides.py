"""Sides of closed colliders: the side that each body belongs on, and its recovery to it."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.contact import BodySurface, ColliderShape, Contact
from tests.solver.contact.worlds import World, box, grid, sphere

R = 0.005


def wrong(world: World) -> int:
    return int((world.contact.constraints.penetration.enclosing > 0).sum())


@pytest.mark.parametrize(("side", "inward"), [("automatic", False), ("outside", False), ("inside", True)])
def test_what_starts_in_part_inside_goes_where_the_side_says(side, inward):
    """Vertices 80 mm to either side of a box's top. 85 mm at 0.5 m/s take 82 substeps, in the last of them a fifth of
    the deficit each; 160 leave as many again. All end at 0.9 of the contact distance, or more."""
    x = np.array([[0.1, 0.0, 0.42], [0.1, 0.1, 0.45], [0.0, 0.1, 0.55], [0.0, 0.0, 0.58]])
    world = World(x, colliders=[box()], r=R, gravity=(0, 0, 0), side=side)
    (found,) = world.contact.inside_starts
    assert (found.inside, found.count, found.wholly, found.stays) == (2, 4, False, inward)
    x = world.step(160)
    assert wrong(world) == 0
    assert (x[:, 2] < 0.5 - 0.9 * R).all() if inward else (x[:, 2] > 0.5 + 0.9 * R).all()


@pytest.mark.parametrize("flip", [False, True])
def test_what_starts_wholly_inside_stays_unmoved(flip):
    """Without gravity nothing pushes: the same positions, however the collider is wound."""
    v, t = box()
    x = np.array([[0.2, 0.05, 0.0], [-0.3, 0.1, 0.4]])
    world = World(x, colliders=[(v, t[:, ::-1] if flip else t)], r=R, gravity=(0, 0, 0))
    assert world.contact.inside_starts[0].stays
    np.testing.assert_array_equal(world.step(20), x.astype(np.float32))


def test_vertices_within_the_distance_kept_do_not_decide():
    """One of four vertices lies a tenth of the distance outside the box, and is led in: from the start on it belongs there.
    The other way round, a body nowhere deeper than the distance is led out, as a sock modelled within the skin."""
    inside = np.array([[0.1, 0.0, 0.4], [0.1, 0.1, 0.45], [0.0, 0.1, 0.3], [0.0, 0.0, 0.5 + 0.1 * R]])
    world = World(inside, colliders=[box()], r=R, gravity=(0, 0, 0))
    assert world.step(40)[:, 2].max() < 0.5 - 0.9 * R
    skin = np.array([[0.1, 0.0, 0.5 - 0.5 * R], [0.1, 0.1, 0.5 - 0.2 * R]])
    world = World(skin, colliders=[box()], r=R, gravity=(0, 0, 0))
    assert not world.contact.inside_starts
    assert world.step(40)[:, 2].min() > 0.5 + 0.9 * R


@pytest.mark.parametrize("joined", [False, True])
def test_between_a_ball_and_the_box_around_it_both_hold(joined):
    """Vertices of one body around a ball in a box, as two colliders or as one: some start just within the ball's distance
    and are led off it, what rains on the ball stays off it and in the box."""
    v, t = box()
    w, u = sphere(6, 0.2)
    colliders = [(np.r_[v, w], np.r_[t, u + len(v)])] if joined else [(v, t), (w, u)]
    a = 2 * np.pi * np.arange(12) / 12
    x = np.c_[0.21 * np.cos(a), 0.21 * np.sin(a), 0.02 * np.arange(12)]
    world = World(x, colliders=colliders, r=R)
    assert [found.stays for found in world.contact.inside_starts] == [True]
    x = world.step(200)
    assert np.abs(x).max() < 0.5 and np.linalg.norm(x, axis=1).min() > 0.19
    assert x[:, 2].max() < 0  # all have left the ball and fall or lie
    assert wrong(world) == 0


def test_in_the_wall_of_a_hollow_shell_a_body_keeps_to_the_wall():
    """Outer wall out, inner wall into the cavity: a body between the two is led to neither side."""
    outer, t = box()
    inner, _ = box((0.6, 0.6, 0.6))
    shell = np.r_[outer, inner], np.r_[t, t[:, ::-1] + 8]
    x = np.array([[0.0, 0.0, 0.32], [0.05, 0.0, 0.48]])
    world = World(x, colliders=[shell], r=R, gravity=(0, 0, 0))
    np.testing.assert_array_equal(world.step(20), x.astype(np.float32))


def test_held_vertices_do_not_decide():
    """A flag's corner that is pinned within its pole is no start inside it."""
    v, t = box((0.1, 0.1, 1.0))
    x, triangles = grid(5, 5, 0.4)
    fixed = x[:, 0] < -0.15
    x = x + [0.2, 0, 0]
    body = BodySurface("flag", triangles, 0, len(x), R, R, 0.4)
    pole = ColliderShape("pole", t, 0.4, 0.0)
    assert Contact(np.float32, [body], x, x, [pole], v, fixed=fixed).inside_starts == []
    assert len(Contact(np.float32, [body], x, x, [pole], v).inside_starts) == 1
