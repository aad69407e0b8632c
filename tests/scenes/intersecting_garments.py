"""Intersecting starts as garments have them: each function makes a solver Scene, in SI units, z up."""

from __future__ import annotations

from typing import Any

import numpy as np

import solver
from tests.scenes.garment_meshes import bent_tube, cone, egg, flat_tube, ribbon, smooth, top_of
from tests.scenes.intersecting_sheets import cloths
from tests.scenes.materials import FABRIC
from tests.scenes.meshes import cube_of_five, sheet, tube, turn

Array = np.ndarray


def _cloth(name: str, x: Array, t: Array, pins: Any = None, rest: Array | None = None) -> solver.Cloth:
    material = solver.Material.fabric(**FABRIC)
    return solver.Cloth(name, x, t, material, pins=pins, rest_vertices=rest, self_contact=True)


def cape() -> solver.Scene:
    """A cape whose front borders cross each other like an X, and whose back cuts into the wearer."""
    n, m, height = 44, 14, 0.6
    s = np.linspace(-1, 1, n + 1)
    curve = np.stack([np.zeros(n + 1), s, np.zeros(n + 1)], 1)
    x, t, _ = ribbon(curve, 1.0, m, (0, 0, 1))
    along, down = x[:, 1], 0.5 - x[:, 2]
    angle = 1.1 * np.pi * along
    overlap = np.clip((np.abs(along) - 0.8) / 0.2, 0, 1) * np.sign(along)
    radius = 0.17 + 0.12 * down + 0.03 * overlap * (1 - 2 * down)
    radius -= 0.05 * np.exp(-((along / 0.25) ** 2) - ((down - 0.5) / 0.2) ** 2)
    x = np.stack([-radius * np.cos(angle), -radius * np.sin(angle), 0.7 - height * down], 1)
    body, u = egg(3, (0.17, 0.17, 0.5), (0, 0, 0.35))
    return solver.Scene([_cloth("cape", x, t, solver.Pins(top_of(x)))], [solver.Collider("wearer", body, u)])


def armpit() -> solver.Scene:
    """An arm that leans into the chest, through its sleeve and the shirt, and is lifted out in the first second."""
    chest, u = egg(3, (0.15, 0.12, 0.4), (0, 0, 0))
    arm, w = egg(3, (0.05, 0.05, 0.25), (0, 0, -0.25))
    shirt, t = tube(24, 14, 0.165, 0.45)
    shirt -= [0, 0, 0.25]
    shirt[:, 1] *= 0.85
    sleeve, q = tube(14, 14, 0.065, 0.38)
    sleeve -= [0, 0, 0.43]
    shoulder = np.array([0.2, 0.004, 0.25])

    def place(x: Array, time: float) -> Array:
        lift = np.radians(-15 + 60 * min(time, 1.0))
        return x @ turn(-lift, (0, 1, 0)).T + shoulder

    top, held = top_of(shirt), top_of(sleeve)
    shirt[top, :2] *= 0.85
    follow = solver.Pins(held, targets=lambda time: place(sleeve[held], time))
    return solver.Scene(
        [_cloth("shirt", shirt, t, solver.Pins(top)), _cloth("sleeve", place(sleeve, 0.0), q, follow, sleeve)],
        [solver.Collider("chest", chest, u), solver.Collider("arm", lambda time: place(arm, time), w)],
    )


def elbow() -> solver.Scene:
    """A sleeve in the crook of a bent arm, where the upper side bulges through the lower one."""
    rest, t = bent_tube(20, 30, 0.07, 0.7, np.pi)
    x = rest.copy()
    inner = (np.abs(rest[:, 0]) < 0.07) & (rest[:, 2] < -0.02)
    bulge = 0.06 * np.exp(-(((rest[:, 2] + 0.11) / 0.05) ** 2) - (rest[:, 1] / 0.04) ** 2)
    x[:, 0] -= np.where(inner, np.sign(rest[:, 0]) * bulge * (1 + 0.4 * np.sin(60 * rest[:, 2])), 0)
    ends = np.flatnonzero(rest[:, 2] < rest[:, 2].min() + 1e-6)
    return solver.Scene([_cloth("sleeve", x, t, solver.Pins(ends), rest)])


def layers() -> solver.Scene:
    """A shirt, a vest and a coat on a chest, each through the next in patches."""
    chest, u = egg(3, (0.14, 0.12, 0.5), (0, 0, 0))
    bodies = []
    for k, name in enumerate(("shirt", "vest", "coat")):
        x, t = tube(24 + k, 15 + k, 0.165 + 0.008 * k, 0.42)
        a = np.arctan2(x[:, 1], x[:, 0])
        fade = np.clip((0.42 - x[:, 2]) / 0.08, 0, 1)
        x[:, :2] *= (1 + 0.07 * fade * np.sin(3 * a + 2 * k) * np.sin(16 * x[:, 2] + k))[:, None]
        x[:, 1] *= 0.9
        bodies.append(_cloth(name, x - [0, 0, 0.22], t, solver.Pins(top_of(x))))
    return solver.Scene(bodies, [solver.Collider("chest", chest, u)])


def skirts() -> solver.Scene:
    """A skirt over a petticoat that comes through its folds."""
    hips, u = egg(3, (0.16, 0.13, 0.14), (0, 0, -0.04))
    bodies = []
    for k, name in enumerate(("petticoat", "skirt")):
        x, t = cone(30 + 2 * k, 14 + k, 0.15 + 0.006 * k, 0.32 + 0.006 * k, 0.45)
        a, down = np.arctan2(x[:, 1], x[:, 0]), -x[:, 2] / 0.45
        x[:, :2] *= (1 + 0.08 * down * np.sin((5 + 2 * k) * a))[:, None]
        bodies.append(_cloth(name, x + [0, 0, 0.02], t, solver.Pins(top_of(x))))
    return solver.Scene(bodies, [solver.Collider("hips", hips, u)])


def knot() -> solver.Scene:
    """A ribbon laid as an overhand knot that passes through itself where it should pass over and under."""
    points = [(-0.5, 0, 0), (-0.2, 0, 0), (0.05, 0.05, 0), (0.14, 0.17, 0), (0, 0.27, 0), (-0.14, 0.17, 0), (-0.05, 0.05, 0),
              (0.2, -0.004, 0), (0.5, 0, 0)]  # fmt: skip
    curve = smooth(points, 60) + [0, 0, 0.1]
    x, t, rest = ribbon(curve, 0.08, 4, (0, 0, 1))
    x[:, 2] += 0.02 * np.sin(3 * x[:, 0])
    ends = np.flatnonzero(np.abs(x[:, 0]) > 0.5 - 1e-9)
    return solver.Scene([_cloth("ribbon", x, t, solver.Pins(ends), rest)])


def links() -> solver.Scene:
    """Two closed bands, one hanging from a peg; the other passes through a slit that it cuts right across the first."""
    x, t = tube(28, 4, 0.15, 0.07)
    first = (x - [0, 0, 0.035]) @ turn(np.pi / 2, (1, 0, 0)).T
    second = x - [0.144, 0.006, 0.035] + [0, 0, -0.147]
    pins = solver.Pins(np.flatnonzero(first[:, 2] > 0.147))
    return solver.Scene([_cloth("hung", first, t, pins), _cloth("link", second, t)], [solver.Plane("ground", (0, 0, -0.6))])


def star() -> solver.Scene:
    """Three sheets that all cross along one line."""
    meshes = [sheet(14, 0.5, (0.004 * k, 0.003 * k, 0.4 + 0.002 * k), 0.02 + k * np.pi / 3, (0, 1, 0.02)) for k in range(3)]
    return cloths(*meshes, colliders=[solver.Plane("ground")])


def scroll() -> solver.Scene:
    """A sheet rolled up so that its outer turn cuts through the inner one from border to border."""
    n = 40
    a = np.linspace(0, 3.4 * np.pi, n + 1)
    radius = 0.08 + 0.012 * np.sin(0.5 * a + 1.3)
    curve = np.stack([radius * np.cos(a), np.zeros(n + 1), 0.12 + radius * np.sin(a)], 1)
    x, t, rest = ribbon(curve, 0.3, 12, (0, 1, 0))
    return solver.Scene([_cloth("scroll", x, t, None, rest)], [solver.Plane("ground")])


def wall() -> solver.Scene:
    """A sheet that a thin wall cuts from border to border."""
    w, u = sheet(8, 0.7, (0.06, 0, 0.3), np.pi / 2, (0, 1, 0))
    return cloths(sheet(18, 0.5, (0, 0.003, 0.4)), colliders=[solver.Collider("wall", w, u), solver.Plane("ground")])


def leg() -> solver.Scene:
    """A flattened trouser leg whose front intersects its back over a wide area."""
    x, t, rest = flat_tube(28, 24, 0.1, 0.6, 1.0)
    z, across = rest[:, 2], x[:, 0]
    x[:, 1] *= 0.03 - 0.07 * np.exp(-(((z - 0.3) / 0.12) ** 4) - (across / 0.1) ** 4)
    ends = np.flatnonzero(np.abs(z - 0.3) > 0.3 - 1e-9)
    return solver.Scene([_cloth("leg", x, t, solver.Pins(ends), rest)])


def heap() -> solver.Scene:
    """Six sheets that intersect one another."""
    rng = np.random.default_rng(11)
    meshes = [
        sheet(10, 0.35, (*rng.uniform(-0.08, 0.08, 2), 0.18 + 0.03 * k), rng.uniform(0, 1.2), rng.normal(size=3))
        for k in range(6)
    ]
    return cloths(*meshes, colliders=[solver.Plane("ground")])


def spike() -> solver.Scene:
    """A thin closed cone that intersects a sheet."""
    x, u = egg(2, (0.05, 0.05, 0.25), (0.013, 0.007, 0.25))
    return cloths(sheet(20, 0.7, (0, 0, 0.38)), colliders=[solver.Collider("spike", x, u), solver.Plane("ground")])


def cuff() -> solver.Scene:
    """A sleeve turned up at its end; the turned-up part intersects the sleeve in waves."""
    x, t = tube(22, 30, 0.08, 0.5)
    up = np.clip((0.2 - x[:, 2]) / 0.2, 0, 1)
    fold = x[:, 2] < 0.2
    a = np.arctan2(x[:, 1], x[:, 0])
    start = x.copy()
    start[fold, 2] = 0.2 + 0.2 * np.abs(up[fold]) ** 1.0
    grow = 1 + np.where(fold, 0.06 * np.sin(np.minimum(up * 20, np.pi / 2)) + 0.2 * up * np.sin(3 * a) * np.sin(7 * up), 0)
    start[:, :2] *= grow[:, None]
    start[fold, 2] -= 0.01 * np.sin(np.minimum(up[fold] * 20, np.pi))
    return solver.Scene([_cloth("sleeve", start, t, solver.Pins(top_of(x)), x)])


def cushion() -> solver.Scene:
    """A soft block in the middle of a hanging sheet."""
    x, t = cube_of_five(4)
    block = 0.12 * (x - 0.5) @ turn(0.4, (1, 2, 3)).T + [0.03, 0.02, 0.42]
    y, u = sheet(18, 0.6, (0, 0, 0.4))
    n = 18
    pins = solver.Pins([0, n, n * (n + 1), (n + 1) ** 2 - 1])
    solid = solver.SoftBody("block", block, t, solver.Material.solid(200.0, 3e4, 0.4, damping=0.01), self_contact=True)
    return solver.Scene([_cloth("sheet", y, u, pins), solid], [solver.Plane("ground")])
