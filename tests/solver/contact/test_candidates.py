"""Candidate lists hold every pair that may touch, against brute force in float64."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.planes import ACTIVE
from tests.solver.contact.closest import distances
from tests.solver.contact.worlds import World, grid, sphere

R = 0.006


def pairs(lists) -> set[tuple[int, int]]:
    """All pairs of the lists; each list is ascending and names nothing twice."""
    found = set()
    for row, (start, stop) in enumerate(zip(lists.starts, lists.stops, strict=True)):
        assert (np.diff(lists.ids[start:stop]) > 0).all()
        found |= {(row, k) for k in lists.ids[start:stop].tolist()}
    return found


@pytest.mark.parametrize("speed", [0.0, 1.5])
def test_lists_hold_every_pair_that_is_near_in_any_substep(speed):
    """Exact sets: each pair closer than what counts as near, at the start or the predicted end, is a candidate.

    The lists are several substeps old most of the time; both partners move, and the ball turns.
    """
    x, triangles = grid(15, 15, 0.4, 0.125)
    v, t = sphere(9, 0.1)

    def move(time):
        a = 3 * time
        turned = np.c_[np.cos(a) * v[:, 0] - np.sin(a) * v[:, 1], np.sin(a) * v[:, 0] + np.cos(a) * v[:, 1], v[:, 2]]
        return turned + [0, 0, speed * time]

    world = World(x, triangles, [(v, t)], r=R, springs=True, move=move)
    lists, contact = world.contact.lists, world.contact
    seen, begin = [0, 0], contact.begin_substep

    def checked(x0, x1, A, B, h):
        begin(x0, x1, A, B, h)
        if not lists.listed:
            return
        known, turned = pairs(lists.vertex_pairs), pairs(lists.triangle_pairs)
        for body, collider in ((x0, A), (x1, B)):
            body, collider = body[:, :3].astype(float), collider.astype(float)
            near = distances(body, collider[t]) < ACTIVE * R
            wanted = set(zip(*(k.tolist() for k in np.nonzero(near)), strict=True))
            assert wanted <= known
            seen[0] += len(wanted)
            near = distances(collider, body[triangles]) < ACTIVE * R
            wanted = set(zip(*(k.tolist() for k in np.nonzero(near)), strict=True))
            assert wanted <= turned
            seen[1] += len(wanted)

    contact.begin_substep = checked
    world.step(60)
    assert min(seen) > 500
    assert lists.rebuilds < 40
    assert lists.renewed > 0


def test_a_full_chunk_is_searched_again_with_more_room():
    """The lists do not depend on how much room the first attempt had."""
    x, triangles = grid(15, 15, 0.4, 0.101)
    v, t = sphere(9, 0.1)
    found = []
    for room in (3, 5000):
        world = World(x, triangles, [(v, t)], r=0.02)
        world.contact.lists.search.room = [room, room]
        world.step()
        found.append((pairs(world.contact.lists.vertex_pairs), pairs(world.contact.lists.triangle_pairs)))
    assert found[0] == found[1]
    assert len(found[0][0]) > 100
