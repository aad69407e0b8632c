"""Stacks that something heavy falls on, and that come to rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.materials import FABRIC, SOFT
from tests.scenes.meshes import brick, cube_of_five, sheet
from tests.scenes.stress.stress import Seeded, Stress


def stacked_sheets(s: Any, seed: int = 0, n: int = 10) -> Stress:
    """Eight sheets of 0.3 m fall on each other, and a rigid block of 2 kg on them. n: quads a side."""
    seeded = Seeded(seed)
    fabric, bodies = s.Material.fabric(**seeded.values(FABRIC)), []
    for k in range(8):
        x, t = sheet(n, 0.3, (0, 0, 0.02 + 0.02 * k), 0.1 * k)
        start = seeded.start(x, 0.3 / n)
        bodies.append(s.Cloth(f"sheet {k}", start, t, fabric, rest_vertices=x, self_contact=True))
    v, u = brick((0.12, 0.1, 0.06), (0.01, 0.01, 0.3))
    bodies.append(s.Rigid("block", v, u, mass=seeded.value(2.0)))
    return Stress(s.Scene(bodies, [s.Plane("ground")]), 72, still_after=0, rest_from=72, is_slack=True)


def stacked_cubes(s: Any, seed: int = 0, n: int = 2) -> Stress:
    """Three soft cubes of 0.1 m in a tower, each turned a little, and a rigid block of 0.3 kg on them, about half of their
    buckling load. n: cells a side."""
    seeded = Seeded(seed)
    x, t = cube_of_five(n)
    rubber, bodies = s.Material.solid(**seeded.values({**SOFT, "young": 1e5})), []
    for k in range(3):
        a = 0.2 * k
        rotation = np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])
        y = 0.1 * (x - 0.5) @ rotation + [0, 0, 0.06 + 0.11 * k]
        bodies.append(s.SoftBody(f"cube {k}", seeded.start(y, 0.1 / n), t, rubber, rest_vertices=y, self_contact=True))
    v, u = brick((0.12, 0.1, 0.06), (0, 0, 0.43))
    bodies.append(s.Rigid("block", v, u, mass=seeded.value(0.3)))
    return Stress(s.Scene(bodies, [s.Plane("ground")]), 72, still_after=0, rest_from=72, is_slack=True)
