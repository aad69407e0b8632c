"""Ropes that cross at the start: overlaps come apart, and lines that cross exactly are named."""

import numpy as np
import pytest

from solver import Material, Pins, Rigid, Rope, Scene, Settings, Simulation, Tearing
from tests.scenes.ropes import chain, least_distance_between, line, net
from tests.scenes.spheres import icosphere

RADIUS = 0.005
MATERIAL = Material.rope(1000.0, 1e7, 1e5, 4e4)


def crossed(gap, place=0.5, **other):
    """Two pinned ropes at right angles of 40 edges each, whose centre lines are so far from each other [m]. place: where on
    an edge they cross."""
    x, edges = line(40, 0.4)
    x = x - [0.2 + 0.01 * place, 0, 0]
    pins = Pins([0, 40])
    across = x[:, [1, 0, 2]] + [0, 0, gap]
    return [Rope("one", x, edges, RADIUS, MATERIAL, pins), Rope("other", across, edges, RADIUS, MATERIAL, pins, **other)]


def warnings(*ropes):
    return [text for text in Simulation(Scene(list(ropes))).model.warnings if "crossed" in text]


@pytest.mark.parametrize(("place", "edges"), [(0.5, "1 edge crosses"), (0.0, "2 edges cross")])
def test_lines_that_cross_exactly_are_named_with_their_number(place, edges):
    """Within an edge, and at a vertex of both."""
    ball, triangles = icosphere(1, 0.05)
    (text,) = warnings(*crossed(0.0, place), Rigid("ball", ball + [0, 0, 1], triangles, mass=1.0))
    assert text.startswith(f"one: {edges} other at the start (first: edge ") and "(0, 0, 0) m" in text


def test_a_rope_that_crosses_itself_is_named():
    """A flat loop of twenty edges whose ends cross."""
    angle = np.linspace(-0.2, 2 * np.pi + 0.2, 21)
    x = 0.1 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1) * np.linspace(1, 1.2, 21)[:, None]
    x[-1] = 0.7 * x[-1]
    (text,) = warnings(Rope("loop", x, chain(20), RADIUS, MATERIAL))
    assert text.startswith("loop: 1 edge crosses itself at the start (first: edge 0")


def test_overlapping_ropes_are_not_named_and_come_apart():
    """From a thousandth of their thickness to 98 % of it in three frames."""
    ropes = crossed(0.001 * 2 * RADIUS)
    assert not warnings(*ropes)
    run = Simulation(Scene(ropes, gravity=(0, 0, 0)), Settings.quality("draft"))
    for _ in range(3):
        end = run.advance_frame().positions
    at = [end[name].astype(float) for name in ("one", "other")]
    assert least_distance_between(at[0], chain(40), at[1], chain(40)) > 0.98 * 2 * RADIUS


def test_joined_pinned_and_apart_ropes_are_not_named():
    """A net, a rope whose edges have vertices of their own, two that hang at one hook, and two that do not touch."""
    x, edges = net(3, 0.3, 4)
    assert not warnings(Rope("net", x, edges, 0.002, MATERIAL))
    x, edges = line(10, 0.2)
    apart = np.arange(20).reshape(10, 2)
    assert not warnings(
        Rope("seam", x[edges].reshape(-1, 3), apart, RADIUS, MATERIAL, tearing=Tearing(100.0, points=edges.ravel()))
    )
    hung = [Rope(name, x * way, edges, RADIUS, MATERIAL, Pins([0])) for name, way in (("one", 1), ("other", [-1, 1, 1]))]
    assert not warnings(*hung)
    assert not warnings(*crossed(0.0, touches=()))
    assert not warnings(*crossed(0.0, without_contact=np.arange(41)))
