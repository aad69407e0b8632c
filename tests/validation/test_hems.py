"""Cords in hems: a curtain that its cord gathers, and a cord that is drawn through a casing of cloth.

Passings are counted by ipctk and by distances of segments, without code of the solver.
"""

from itertools import pairwise

import numpy as np
import pytest

from solver import Cloth, FrameInputs, Material, Pins, Rope, Scene, Settings, Simulation, Tie
from solver.scene import ShapeInputs
from tests.scenes.intersections import Intersections
from tests.scenes.meshes import rectangle, tube
from tests.scenes.ropes import chain, line, segment_distances

ipctk = pytest.importorskip("ipctk")
CORD = Material.rope(1100.0, 2e8, 2e6, 8e5, damping=0.01, friction=0.15)


def passings(x, triangles, cord):
    """Number of segments of a cord through triangles."""
    corners, count = x[triangles], 0
    for a, b in pairwise(cord):
        near = (corners.min(1) <= np.maximum(a, b)) & (corners.max(1) >= np.minimum(a, b))
        count += sum(ipctk.is_edge_intersecting_triangle(a, b, *corners[k]) for k in np.flatnonzero(near.all(1)))
    return count


def gaps(points, cord):
    """Distance of each point from a cord [m]."""
    return np.array(
        [segment_distances(np.tile(p, (len(cord) - 1, 1)), p + np.full((len(cord) - 1, 3), 1e-9), cord[:-1], cord[1:]).min()
         for p in points]
    )  # fmt: skip


@pytest.mark.long
def test_a_cord_in_the_hem_gathers_a_curtain():
    """Half of its length in two seconds. The hem stays at the cord to 0.1 mm from the twelfth frame on; 5 mm at first.
    Largest stretch, beside ties too: 16 % while they close, 5 % in the mean of frames. Nothing passes
    through anything, but the cord through the hem that it is tied to, which the report does not count."""
    width, across, share, n = 0.8, 20, 0.5, 80
    flat, triangles = rectangle((across, 12), (width, 0.5))
    x = np.stack([flat[:, 0], 0.001 * np.sin(16 * np.pi * flat[:, 0] / width), -flat[:, 1]], 1)
    hem = np.flatnonzero(flat[:, 1] < 1e-9)[::2]
    y, edges = line(n, width)
    y, held = y + [0, 0, 0.005], [0, 1, n - 1, n]

    def targets(time):
        gathered = share * min(time / 2.0, 1.0)
        return y[held] * [1 - gathered, 1, 1]

    cord = Rope("cord", y, edges, 0.003, CORD, Pins(held, targets=targets))
    curtain = Cloth("curtain", x, triangles, Material.fabric(0.2, 500.0, 150.0, friction=0.2))
    scene = Scene([curtain, cord], ties=[Tie("curtain", "cord", 0.012, vertices=hem)])
    run = Simulation(scene, Settings.quality("draft", damping=1.0))
    counter = Intersections([triangles], [len(x)], [True])
    free = triangles[~np.isin(triangles, hem).any(1)]
    rest = np.linalg.norm(x[counter.edges[:, 0]] - x[counter.edges[:, 1]], axis=1)
    stretch = []
    for frame in range(54):
        shortened = ShapeInputs(shrink=share * min((frame + 1) / 48, 1.0))
        done = run.advance_frame(FrameInputs(shapes={"cord": shortened}))
        p, q = done.positions["curtain"].astype(float), done.positions["cord"].astype(float)
        now = np.linalg.norm(p[counter.edges[:, 0]] - p[counter.edges[:, 1]], axis=1)
        stretch.append((now / rest).max() - 1)
        assert gaps(p[hem], q).max() < (1e-3 if frame < 12 else 1e-4)
        assert counter.count([p]) == passings(p, free, q) == done.report.intersections == 0
    assert max(stretch) < 0.18 and max(stretch[12:]) < 0.08 and np.mean(stretch) < 0.06
    assert np.ptp(q[:, 0]) == pytest.approx(share * width, rel=0.05)
    assert np.abs(p[:, 1]).max() > 0.02  # folds


@pytest.mark.long
def test_a_cord_is_drawn_through_a_casing():
    """A knot takes one end of the casing along by 45 % of its length, a hand holds its mouth. In every frame the axis stays
    inside, and at least a radius from every vertex and edge."""
    length, radius, step, share = 0.3, 0.003, 0.006, 0.45
    v, triangles = tube(12, 24, 0.01, length)
    x = v[:, [2, 0, 1]] * np.stack([np.ones(len(v)), *2 * [1 + 0.02 * np.sin(18 * np.pi * v[:, 2] / length)]], 1)
    knot, mouth = np.flatnonzero(x[:, 0] < 1e-6), np.flatnonzero(x[:, 0] > length - 1e-6)
    n = round((length + 0.16) / step)
    y, held = line(n, n * step)[0] - [0.04, 0, 0], [0, 1, n - 1, n]
    way = lambda time: share * length * min(time, 1.0)
    rings = np.concatenate([knot, mouth])
    drawn = np.repeat([1.0, 0.0], [len(knot), len(mouth)])[:, None] * [1, 0, 0]
    cord = Rope("cord", y, chain(n), radius, CORD, Pins(held, targets=lambda t: y[held] + [way(t), 0, 0]))
    pins = Pins(rings, targets=lambda t: x[rings] + way(t) * drawn)
    casing = Cloth("casing", x, triangles, Material.fabric(0.15, 400.0, 120.0, friction=0.15), pins)
    run = Simulation(Scene([casing, cord]), Settings.quality("draft", damping=1.0))
    counter = Intersections([triangles], [len(x)], [True])
    a, b = (grid.ravel() for grid in np.meshgrid(np.arange(n), np.arange(len(counter.edges))))
    for _ in range(28):
        done = run.advance_frame()
        p, q = done.positions["casing"].astype(float), done.positions["cord"].astype(float)
        assert counter.count([p]) == passings(p, triangles, q) == done.report.intersections == 0
        ends = counter.edges[b]
        assert segment_distances(q[a], q[a + 1], p[ends[:, 0]], p[ends[:, 1]]).min() > radius
    along = q[:, 0]
    inside = (along > share * length) & (along < length)
    assert inside.sum() * step == pytest.approx((1 - share) * length, rel=0.1)
