"""Twists of a sheet, a tube and five cylinders: both ends are turned against each other, and moved together so far that the
rope is not much longer than the cloth. One turn takes 16 frames; the last pose is held for 16."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.materials import FABRIC
from tests.scenes.meshes import rectangle, tube
from tests.scenes.stress.stress import Seeded, Stress

Array = np.ndarray
#: Frames of a turn, frames that the last pose is held, frames a second.
TURN, HELD, FPS = 16, 16, 24


def _turned(start: Array, held: Array, length: float, turns: float, nearer: float) -> Any:
    """Return pins; those at z > length / 2 and the others turn against each other about z. nearer: approach of the ends in a
    turn [m]."""
    ends = start[held]
    side = np.where(ends[:, 2] > length / 2, 1.0, -1.0)

    def targets(time: float) -> Array:
        done = min(time * FPS / TURN, turns)
        a = np.pi * done * side
        x = np.cos(a) * ends[:, 0] - np.sin(a) * ends[:, 1]
        y = np.sin(a) * ends[:, 0] + np.cos(a) * ends[:, 1]
        return np.stack([x, y, ends[:, 2] - 0.5 * nearer * done * side], 1)

    return targets


def _twisted(s: Any, seeded: Seeded, parts: list[tuple[Array, Array]], edge: float, *way: float) -> Stress:
    """Return a twisted scene. parts: vertices and triangles of each body, along z. way: length, turns, nearer, as
    of `_turned`."""
    length, turns, _ = way
    fabric, bodies = s.Material.fabric(**seeded.values(FABRIC)), []
    for k, (x, t) in enumerate(parts):
        held = np.flatnonzero((x[:, 2] < 1e-9) | (x[:, 2] > length - 1e-9))
        pins = s.Pins(held, targets=_turned(x, held, *way))
        start = seeded.start(x, edge, held)
        bodies.append(s.Cloth(f"part {k}", start, t, fabric, pins=pins, rest_vertices=x, self_contact=True))
    return Stress(s.Scene(bodies, gravity=(0, 0, 0)), round(TURN * turns) + HELD, still_after=round(TURN * turns))


def twisted_sheet(s: Any, seed: int = 0, n: int = 10, turns: float = 4.0) -> Stress:
    """A strip of 0.3 m by 1.2 m. n: quads across."""
    x, t = rectangle((n, 4 * n), (0.3, 1.2))
    upright = np.stack([x[:, 0] - 0.15, 0 * x[:, 0], x[:, 1]], 1)
    return _twisted(s, Seeded(seed), [(upright, t)], 0.3 / n, 1.2, turns, 0.075)


def twisted_tube(s: Any, seed: int = 0, n: int = 16, turns: float = 4.0) -> Stress:
    """A tube of 1.2 m with a radius of 0.06 m. n: quads around."""
    x, t = tube(n, 3 * n, 0.06, 1.2)
    return _twisted(s, Seeded(seed), [(x, t)], 1.2 / (3 * n), 1.2, turns, 0.06)


def twisted_cylinders(s: Any, seed: int = 0, n: int = 6, turns: float = 4.0) -> Stress:
    """Five cylinders of 1.4 m with a radius of 0.03 m, in a ring. n: quads around each."""
    x, t = tube(n, 7 * n, 0.03, 1.4)
    angles = 2 * np.pi * np.arange(5) / 5
    parts = [(x + [0.07 * np.cos(a), 0.07 * np.sin(a), 0], t) for a in angles]
    return _twisted(s, Seeded(seed), parts, 1.4 / (7 * n), 1.4, turns, 0.175)
