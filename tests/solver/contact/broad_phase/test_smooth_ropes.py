"""Smooth ropes: where it is said that nothing can touch, nothing does; anything else is searched for pairs as ever."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver.contact.broad_phase.smooth_ropes import SmoothRopes
from solver.contact.contact import BodySurface
from solver.contact.surfaces.collider_tables import ColliderTables
from solver.contact.surfaces.surfaces import Surfaces
from tests.scenes.ropes import chain, line
from tests.solver.contact.broad_phase.test_neighbour_lists import near
from tests.solver.contact.broad_phase.test_smooth_sheets import motion

pytestmark = pytest.mark.slow  # compilation
COUNT, LENGTH, THICK = 64, 1.0, 0.012


def asked(edges=None, thickness=THICK, itself=True):
    """Surfaces of one rope, straight at rest, and their smoothness test."""
    x, edges = line(COUNT, LENGTH)[0], chain(COUNT) if edges is None else edges
    body = BodySurface("rope", edges[:, [0, 1, 1]], 0, len(x), 0.001, thickness, 0.5, itself)
    surfaces = Surfaces([body], len(x), x, ColliderTables((), np.dtype(np.float32)), np.dtype("f4"))
    return surfaces, SmoothRopes(surfaces)


def bent(angle, noise=0.0, seed=0):
    """The rope bent to an arc of so many radians, its vertices moved by random offsets [m]."""
    at = angle * np.linspace(0, 1, COUNT + 1)
    x = LENGTH / angle * np.stack([np.sin(at), 0 * at, 1 - np.cos(at)], 1)
    return x + noise * np.random.default_rng(seed).standard_normal(x.shape)


def zigzag(angle):
    """Segments that turn to and fro, each by so many radians from the middle line."""
    ways = np.stack([np.full(COUNT, np.cos(angle)), np.sin(angle) * (-1.0) ** np.arange(COUNT), np.zeros(COUNT)], 1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(ways * LENGTH / COUNT, 0)])


@pytest.mark.each_value
@pytest.mark.parametrize("noise", [0.0, 2e-4, 3e-3])
@pytest.mark.parametrize("angle", [0.1, 3.0, 5.0, 6.2])
def test_no_segments_touch_where_it_is_said_that_they_stay_apart(angle, noise):
    """At five times of motions that unroll, continue, shorten or shift the rope, no two segments without a common vertex are
    nearer than in contact: the thickness, or nine tenths of the segment between them."""
    start, said = bent(angle, noise), 0
    for end in [bent(angle + 0.05, noise, 1), bent(0.9 * angle, noise), 0.97 * start, start + [0, 0, 3.0], start[::-1]]:
        surfaces, ropes = asked()
        if ropes.stay_apart(motion(start, end), True):
            said += 1
            for t in np.linspace(0, 1, 5):
                assert not near(surfaces, (1 - t) * start + t * end, min(THICK, 0.9 * LENGTH / COUNT))[1]
    assert said > 0 or noise > 1e-3 or angle > 6


@pytest.mark.parametrize(
    ("start", "end", "apart"),
    [
        (bent(0.1), bent(0.2), True),
        (bent(3.0), bent(3.05), True),
        (bent(3.0), bent(3.0) + [0, 0, 5.0], True),  # displaced as a whole
        (zigzag(0.6), zigzag(0.6), True),
        (zigzag(0.9), zigzag(0.9), False),  # segments turn back by more than a right angle
        (bent(3.0), bent(6.28), False),  # the ends meet
        (bent(6.28), bent(3.0), False),  # they part
        (bent(0.1), 0.9 * bent(0.1), False),  # neighbours of each segment touch
        (bent(0.1), bent(0.1) * [-1, 1, 1], False),  # through itself
    ],
)
def test_smooth_ropes_are_known_and_others_are_not(start, end, apart):
    assert asked()[1].stay_apart(motion(start, end), True) == apart


def test_only_open_strands_whose_segments_are_longer_than_thick_are_smooth():
    """A ring, a branch, and a rope more than 1.6 times as thick as its segments are long are always searched; what may pass
    through itself may be as thick as it likes."""
    ring, branch = chain(COUNT), np.concatenate([chain(COUNT)[:40], [[20, 50]]])
    ring[-1, 1] = 0
    assert asked()[1].is_known
    assert not asked(ring)[1].is_known and not asked(branch)[1].is_known
    assert not asked(thickness=1.7 * LENGTH / COUNT)[1].is_known
    assert asked(thickness=1.7 * LENGTH / COUNT, itself=False)[1].is_known


@pytest.mark.parametrize(("gap", "apart"), [(0.3, True), (0.05, False)])
def test_two_ropes_beside_each_other_are_searched_where_they_are_near(gap, apart):
    """Spheres of cells, 0.06 m in radius, decide between ropes."""
    x, edges = line(COUNT, LENGTH)
    both = np.concatenate([x, x + [0, gap, 0]])
    bodies = [
        BodySurface(f"rope {k}", edges[:, [0, 1, 1]] + k * len(x), k * len(x), (k + 1) * len(x), 0.001, THICK, 0.5)
        for k in range(2)
    ]
    none = ColliderTables((), np.dtype(np.float32))
    ropes = SmoothRopes(Surfaces(bodies, len(both), both, none, np.dtype("f4")))
    assert ropes.stay_apart(motion(both, both), True) == apart


def test_a_rope_that_touches_nothing_moves_by_the_same_bits_without_a_search(monkeypatch):
    """Six frames of a swing, as when pairs are searched for."""
    x, edges = line(COUNT, LENGTH)
    material = solver.Material.rope(1000.0, 1e7, 1e6, 4e5, damping=0.01)

    def end():
        rope = solver.Rope("rope", x, edges, 0.004, material, pins=solver.Pins([0]))
        simulation = solver.Simulation(solver.Scene([rope]), solver.Settings.quality("draft", threads=1))
        *_, last = simulation.frames(1, 7)
        return last.positions["rope"].tobytes(), simulation.contact.lists.searches

    smooth, searches = end()
    assert searches == 0
    monkeypatch.setattr(SmoothRopes, "stay_apart", lambda *_: False)
    searched, searches = end()
    assert searches > 0 and smooth == searched
