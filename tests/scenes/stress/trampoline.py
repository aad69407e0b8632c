"""A ball hits a sheet that is held along its border."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.meshes import ball, sheet
from tests.scenes.stress.stress import Seeded, Stress, limited

FABRIC = {"density": 0.3, "young": 4000.0, "shear": 1500.0, "poisson": 0.2, "bending": 1e-5}


def _thrown(s: Any, seed: int, n: int, limit: float | None) -> Stress:
    seeded = Seeded(seed)
    x, t = sheet(n, 1.2, (0, 0, 0))
    border = np.flatnonzero(np.abs(x[:, :2]).max(1) > 0.6 - 1e-9)
    fabric = s.Material.fabric(**seeded.values(FABRIC))
    fabric = fabric if limit is None else limited(fabric, limit)
    cloth = s.Cloth(
        "sheet", seeded.start(x, 1.2 / n, border), t, fabric, pins=s.Pins(border), rest_vertices=x, self_contact=True
    )
    v, u = ball(3, 0.12, (0.03, 0.02, 0.16))
    thrown = s.Rigid("ball", v, u, mass=seeded.value(2.0), velocity=(0, 0, seeded.value(-5.0)))
    return Stress(s.Scene([cloth, thrown]), 48, {} if limit is None else {"sheet": limit}, still_after=0)


def trampoline(s: Any, seed: int = 0, n: int = 20) -> Stress:
    """A rigid ball of 2 kg at 5 m/s on 1.2 m of cloth. n: quads a side."""
    return _thrown(s, seed, n, None)


def limited_trampoline(s: Any, seed: int = 0, n: int = 20) -> Stress:
    """The same on cloth that does not stretch by more than 1 %."""
    return _thrown(s, seed, n, 0.01)
