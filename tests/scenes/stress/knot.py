"""A rope in an overhand knot, pulled tight by its ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.meshes import bar_of_five
from tests.scenes.stress.stress import Seeded, Stress, smooth

Array = np.ndarray
#: The rope's solid; its width [m]; how much of its length is left between the ends, over its width less than the whole.
ROPE = {"density": 1000.0, "young": 3e4, "poisson": 0.4, "damping": 0.01, "friction": 0.2}
WIDTH, TIED = 0.045, 12.0
#: Frames to pull, and at the end.
PULLED, END = 72, 24


def _curve(spacing: float) -> Array:
    """Return the centre line of the rope, (k, 3) [m], points at equal distances: a trefoil with two ends along x."""
    t = np.linspace(0.3, 2 * np.pi - 0.3, 400)
    knot = np.stack([(2 + np.cos(3 * t)) * np.cos(2 * t), (2 + np.cos(3 * t)) * np.sin(2 * t), np.sin(3 * t)], 1)
    out = np.linspace(0, 1, 80)[:, None]
    one, other = knot[0] + [1.2, 0, 0], knot[-1] + [1.2, 0, 0]
    lead = np.array([4.0, 0, 0])
    points = np.concatenate([(one + lead) * (1 - out) + one * out, knot, other * (1 - out) + (other + lead) * out])
    for _ in range(2):  # the corners get round after points are at equal distances
        points = _evenly(points, 600)
        for _ in range(150):
            points[1:-1] = 0.25 * points[:-2] + 0.5 * points[1:-1] + 0.25 * points[2:]
    points *= 0.05
    return _evenly(points, round(np.linalg.norm(np.diff(points, axis=0), axis=1).sum() / spacing) + 1)


def _evenly(points: Array, count: int) -> Array:
    arc_length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return np.stack([np.interp(np.linspace(0, arc_length[-1], count), arc_length, column) for column in points.T], 1)


def _frames(points: Array) -> tuple[Array, Array]:
    """Two directions across the curve at each point, that turn with it as little as they can."""
    along = np.gradient(points, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    across = np.empty_like(points)
    now = np.array([0.0, 0, 1])
    for k, tangent in enumerate(along):
        now = now - (now @ tangent) * tangent
        now /= np.linalg.norm(now)
        across[k] = now
    return across, np.cross(along, across)


def tightened_knot(s: Any, seed: int = 0, n: int = 2) -> Stress:
    """The ends are pulled apart until the knot is tight: 12 widths of the rope stay in it. n: cells across the rope."""
    seeded = Seeded(seed)
    points = _curve(WIDTH / n)
    across, up = _frames(points)
    cells = len(points) - 1
    x, t = bar_of_five((n, n, cells))
    row = np.round(x[:, 2]).astype(int)
    rope = points[row] + WIDTH * (x[:, :1] / n - 0.5) * across[row] + WIDTH * (x[:, 1:2] / n - 0.5) * up[row]
    ends = np.flatnonzero((row < 2) | (row > cells - 2))
    side = np.where(row[ends] < 2, 1.0, -1.0)
    apart = 0.5 * (WIDTH * (cells / n - TIED))
    start = rope[ends]
    middle = np.where(side[:, None] > 0, points[0], points[-1])
    tip = np.stack([np.full(len(ends), 0.1), side * apart, 0 * side], 1)

    def targets(time: float) -> Array:
        share = smooth(time * 24 / PULLED)
        a = 0.5 * np.pi * share * side
        local = start - middle
        turned = np.stack(
            [
                np.cos(a) * local[:, 0] - np.sin(a) * local[:, 1],
                np.sin(a) * local[:, 0] + np.cos(a) * local[:, 1],
                local[:, 2],
            ],
            1,
        )
        return middle + share * (tip - middle) + turned

    pins = s.Pins(ends, targets=targets)
    body = s.SoftBody(
        "rope", seeded.start(rope, WIDTH / n, ends), t, s.Material.solid(**seeded.values(ROPE)), pins=pins,
        rest_vertices=rope, self_contact=True,
    )  # fmt: skip
    return Stress(s.Scene([body], gravity=(0, 0, 0)), PULLED + END, still_after=PULLED)
