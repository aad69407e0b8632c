"""A sheet falls on needles."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.materials import FABRIC
from tests.scenes.meshes import sheet
from tests.scenes.stress.stress import Seeded, Stress

Array = np.ndarray


def _needle(at: Array, radius: float, height: float, sides: int = 6) -> tuple[Array, Array]:
    """A closed cone with its tip up, wound outwards."""
    a = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([radius * np.cos(a), radius * np.sin(a), 0 * a], 1)
    x = np.r_[ring, [[0, 0, height]], [[0, 0, 0]]] + at
    here, following = np.arange(sides), np.roll(np.arange(sides), -1)
    side = np.stack([here, following, np.full(sides, sides)], 1)
    base = np.stack([following, here, np.full(sides, sides + 1)], 1)
    return x, np.concatenate([side, base])


def sheet_over_needles(s: Any, seed: int = 0, n: int = 24) -> Stress:
    """A sheet of 0.5 m falls at 2 m/s on 25 needles of 0.12 m, 0.1 m apart, over the ground. n: quads a side."""
    seeded = Seeded(seed)
    needles, faces, first = [], [], 0
    for k in range(25):
        x, t = _needle(np.array([0.1 * (k % 5) - 0.2, 0.1 * (k // 5) - 0.2, 0.002]), 0.005, 0.12)
        needles.append(x)
        faces.append(t + first)
        first += len(x)
    x, t = sheet(n, 0.5, (0.011, 0.007, 0.14), 0.1)
    down = np.tile([0, 0, seeded.value(-2.0)], (len(x), 1))
    cloth = s.Cloth(
        "sheet", seeded.start(x, 0.5 / n), t, s.Material.fabric(**seeded.values(FABRIC)), rest_vertices=x, velocities=down,
        self_contact=True,
    )  # fmt: skip
    colliders = [s.Collider("needles", np.concatenate(needles), np.concatenate(faces)), s.Plane("ground")]
    return Stress(s.Scene([cloth], colliders), 60, still_after=0, is_slack=True)
