"""Intersecting starts of sheets, tubes and blocks: each function makes a solver Scene, in SI units, z up."""

from __future__ import annotations

from typing import Any

import numpy as np

import solver
from tests.scenes.materials import FABRIC
from tests.scenes.meshes import ball, cube_of_five, folded, sheet, tube, turn

Array = np.ndarray


def cloths(*meshes: tuple[Array, Array], colliders: Any = (), pins: Any = None, gravity: float = -9.81) -> Any:
    """A scene of sheets; the first may be pinned."""
    m = solver.Material.fabric(**FABRIC)
    bodies = [
        solver.Cloth(f"cloth {k}", x, t, m, pins=pins if k == 0 else None, self_contact=True)
        for k, (x, t) in enumerate(meshes)
    ]
    return solver.Scene(bodies, colliders, gravity=(0, 0, gravity))


def _corners(n: int) -> Any:
    return solver.Pins([0, n, n * (n + 1), (n + 1) ** 2 - 1])


def corner() -> Any:
    """A corner of one sheet has been poked through another."""
    return cloths(sheet(18, 1.0, (0, 0, 0.5)), sheet(10, 0.5, (0.1, 0, 0.74), 0.9, (1, 1, 0)), pins=_corners(18))


def border() -> Any:
    """Two sheets cross from border to border, near the border of one."""
    second = sheet(18, 0.8, (0.45, 0.013, 0.504), 0.25, (0, 1, 0))
    return cloths(sheet(18, 1.0, (0, 0, 0.5)), second, pins=_corners(18))


def cross() -> Any:
    """Two sheets cross in the middle like an X, right across."""
    second = sheet(14, 0.6, (0.03, 0.013, 0.504), 0.6, (0, 1, 0))
    return cloths(sheet(18, 0.8, (0, 0, 0.5)), second, pins=_corners(18))


def waves() -> Any:
    """Three sheets waved through one another on the ground."""
    meshes = []
    for k in range(3):
        x, t = sheet(18, 0.6, (0, 0, 0.1 + 0.001 * k), 0.02 * k, (1, 0.3, 2))
        x[:, 2] += 0.004 * np.sin(12 * x[:, 0] + 2 * k) * np.cos(11 * x[:, 1] + k)
        meshes.append((x, t))
    return cloths(*meshes, colliders=[solver.Plane("ground")])


def head() -> Any:
    """A sheet that starts cutting through a ball."""
    v, u = ball(3, 0.2, (0, 0, 0.3))
    return cloths(sheet(24, 0.8, (0, 0, 0.45)), colliders=[solver.Collider("ball", v, u), solver.Plane("ground")])


def flap() -> Any:
    """A sheet folded to and fro, one layer waved through the next."""
    x, t, rest = folded(28, 3, 1.0, 0.05)
    x[:, 2] += 0.08 * np.sin(9 * x[:, 1]) * (np.abs(x[:, 2] - 0.05) < 0.01) + 0.1
    cloth = solver.Cloth("flap", x, t, solver.Material.fabric(**FABRIC), rest_vertices=rest, self_contact=True)
    return solver.Scene([cloth], [solver.Plane("ground")])


def sleeves() -> Any:
    """Two sleeves side by side, each a little in the other."""
    x, t = tube(20, 20, 0.1, 0.5)
    y, u = tube(18, 18, 0.09, 0.45)
    m = solver.Material.fabric(**FABRIC)
    tops = [np.flatnonzero(p[:, 2] > p[:, 2].max() - 1e-9) for p in (x, y)]
    second = (y - [0, 0, 0.45]) @ turn(0.1, (0, 1, 0)).T + [0.19, 0.004, 0.48]
    return solver.Scene(
        [
            solver.Cloth("left", x, t, m, pins=solver.Pins(tops[0]), self_contact=True),
            solver.Cloth("right", second, u, m, pins=solver.Pins(tops[1]), self_contact=True),
        ]
    )


def coat() -> Any:
    """A layer inside another that comes through it in patches."""
    x, t = tube(24, 16, 0.15, 0.5)
    y, u = tube(22, 15, 0.148, 0.45)
    a = np.arctan2(y[:, 1], y[:, 0])
    y[:, :2] *= (1 + 0.05 * np.sin(3 * a) * np.sin(14 * y[:, 2]))[:, None]
    y[:, 2] += 0.05
    m = solver.Material.fabric(**FABRIC)
    pins = [solver.Pins(np.flatnonzero(p[:, 2] > p[:, 2].max() - 1e-9)) for p in (x, y)]
    y[pins[1].indices, :2] *= 0.9
    return solver.Scene(
        [
            solver.Cloth("coat", x, t, m, pins=pins[0], self_contact=True),
            solver.Cloth("shirt", y, u, m, pins=pins[1], self_contact=True),
        ]
    )


def blocks() -> Any:
    """Two soft blocks pushed into one another by a fifth of their size."""
    x, t = cube_of_five(4)
    m = solver.Material.solid(1000.0, 3e4, 0.4, damping=0.01)
    second = 0.1 * (x - 0.5) @ turn(0.3, (1, 2, 3)).T + [0.08, 0.01, 0.06]
    first = 0.1 * (x - 0.5) + [0, 0, 0.06]
    bodies = [
        solver.SoftBody("one", first, t, m, self_contact=True),
        solver.SoftBody("two", second, t, m, self_contact=True),
    ]
    return solver.Scene(bodies, [solver.Plane("ground")])
