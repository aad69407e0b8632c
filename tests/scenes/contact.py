"""Scenes of contact, in SI units, z up: `make(name, size)` gives a solver Scene and how many frames it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.scenes.contact_driven import box, press, sleeve, strips
from tests.scenes.materials import FABRIC, SOFT
from tests.scenes.meshes import ball, brick, cube_of_five, folded, grid, sheet, tube, turn

Array = np.ndarray


def two(s: Any, n: int = 32) -> tuple[Any, int]:
    """A sheet falls on another one that hangs from its corners."""
    x, t = sheet(n, 1.0, (0, 0, 0.5))
    y, u = sheet(n * 7 // 10, 0.7, (0, 0, 0.6), 0.4)
    m = s.Material.fabric(**FABRIC)
    pins = s.Pins([0, n, n * (n + 1), (n + 1) ** 2 - 1])
    return s.Scene(
        [s.Cloth("hung", x, t, m, pins=pins, self_contact=True), s.Cloth("dropped", y, u, m, self_contact=True)]
    ), 60


def drape(s: Any, n: int = 64) -> tuple[Any, int]:
    """S2: a sheet falls on a sphere of 0.25 m over the ground."""
    x, t = sheet(n, 1.0, (0, 0, 0.63), 0.3, (0.03, 0.02, 1))
    v, u = ball(4, 0.25, (0, 0, 0.35))
    m = s.Material.fabric(**FABRIC)
    return s.Scene([s.Cloth("sheet", x, t, m, self_contact=True)], [s.Collider("ball", v, u), s.Plane("ground")]), 40


def layers(s: Any, n: int = 31, count: int = 5) -> tuple[Any, int]:
    """Sheets of (n + 1)^2 vertices fall on a sphere of 0.25 m over the ground, one on the other."""
    v, u = ball(4, 0.25, (0, 0, 0.35))
    m, bodies = s.Material.fabric(**FABRIC), []
    for k in range(count):
        x, t = sheet(n, 1.0, (0, 0, 0.62 + 0.02 * k), 0.3 * k)
        bodies.append(s.Cloth(f"sheet {k}", x, t, m, self_contact=True))
    return s.Scene(bodies, [s.Collider("ball", v, u), s.Plane("ground")]), 40


def flat(s: Any, n: int = 128) -> tuple[Any, int]:
    """A sheet falls flat on the ground."""
    x, t = sheet(n, 1.0, (0, 0, 0.15))
    return s.Scene([s.Cloth("sheet", x, t, s.Material.fabric(**FABRIC), self_contact=True)], [s.Plane("ground")]), 12


def fold(s: Any, n: int = 48, layers: int = 4) -> tuple[Any, int]:
    """A folded sheet whose layers fall on each other and rest on the ground."""
    edge = 1.0 / n
    x, t, rest = folded(n, layers, 1.0, max(0.6 * edge, 0.008))
    cloth = s.Cloth("folded", x + [0, 0, 0.01], t, s.Material.fabric(**FABRIC), rest_vertices=rest, self_contact=True)
    return s.Scene([cloth], [s.Plane("ground")]), 24


def twist(s: Any, n: int = 32, turns: float = 3.0) -> tuple[Any, int]:
    """Both ends of a tube are turned against each other, half a turn a second each, and moved a little together."""
    x, t = tube(n, n, 0.25, 1.0)
    pins = np.flatnonzero((x[:, 2] < 1e-9) | (x[:, 2] > 1 - 1e-9))
    held = x[pins]
    side = np.where(held[:, 2] > 0.5, 1.0, -1.0)

    def targets(time: float) -> Array:
        a = np.pi * min(time, turns) * side
        z = held[:, 2] - 0.04 * min(time, turns) * side
        return np.stack(
            [np.cos(a) * held[:, 0] - np.sin(a) * held[:, 1], np.sin(a) * held[:, 0] + np.cos(a) * held[:, 1], z], 1
        )

    cloth = s.Cloth("tube", x, t, s.Material.fabric(**FABRIC), pins=s.Pins(pins, targets=targets), self_contact=True)
    return s.Scene([cloth], gravity=(0, 0, 0)), int(24 * turns)


def pile(s: Any, n: int = 12, count: int = 16) -> tuple[Any, int]:
    """Sheets fall on one another."""
    rng = np.random.default_rng(3)
    m, bodies = s.Material.fabric(**FABRIC), []
    for k in range(count):
        x, t = sheet(n, 0.35, (*rng.uniform(-0.06, 0.06, 2), 0.25 + 0.2 * k), rng.uniform(0, 0.4), rng.normal(size=3))
        bodies.append(s.Cloth(f"sheet {k}", x, t, m, self_contact=True))
    return s.Scene(bodies, [s.Plane("ground")]), 96


def fast(s: Any, n: int = 40, speed: float = 5.0) -> tuple[Any, int]:
    """A sphere is driven to and fro through where a hanging sheet is."""
    x, t = grid(n)
    x = np.stack([x[:, 0] - 0.5, 0 * x[:, 0], x[:, 1]], 1)
    v, u = ball(3, 0.18, (0, 0, 0.45))
    pins = s.Pins(np.flatnonzero(x[:, 2] > 1 - 1e-9))

    def move(time: float) -> Array:
        displacement = 1.1 * 2 / np.pi * np.arcsin(np.sin(speed * time / 1.1 * np.pi / 2 - np.pi / 2))
        return v + [0, displacement, 0]

    return s.Scene(
        [s.Cloth("sheet", x, t, s.Material.fabric(**FABRIC), pins=pins, self_contact=True)], [s.Collider("ball", move, u)]
    ), 36


def cubes(s: Any, n: int = 3, count: int = 20) -> tuple[Any, int]:
    """Soft cubes fall on a heap."""
    rng = np.random.default_rng(5)
    x, t = cube_of_five(n)
    m, bodies = s.Material.solid(**SOFT), []
    for k in range(count):
        place = np.array([0.16 * (k % 2), 0.16 * (k // 2 % 2), 0.12 + 0.2 * (k // 4)]) + rng.uniform(-0.01, 0.01, 3)
        y = (0.1 * (x - 0.5)) @ turn(rng.uniform(0, 0.5), rng.normal(size=3)).T + place
        bodies.append(s.SoftBody(f"cube {k}", y, t, m, self_contact=True))
    return s.Scene(bodies, [s.Plane("ground")]), 48


def trampoline(s: Any, n: int = 32, mass: float = 2.0) -> tuple[Any, int]:
    """A rigid ball of 0.12 m falls on a sheet that is held along its border, and bounces."""
    x, t = sheet(n, 1.2, (0, 0, 0))
    v, u = ball(3, 0.12, (0.03, 0.02, 0.4))
    border = np.flatnonzero(np.abs(x[:, :2]).max(1) > 0.6 - 1e-9)
    m = s.Material.fabric(density=0.3, young=(4000, 4000), shear=1500, poisson=0.2, bending=1e-5, damping=0.0)
    cloth = s.Cloth("sheet", x, t, m, pins=s.Pins(border), self_contact=True)
    return s.Scene([cloth, s.Rigid("ball", v, u, mass=mass)]), 48


def heap(s: Any, count: int = 8) -> tuple[Any, int]:
    """Rigid boxes and balls fall on a heap on a mesh, a sheet over them."""
    rng = np.random.default_rng(7)
    y, u = ball(2, 0.06)
    b, c = brick((0.14, 0.1, 0.08))
    bodies: list[Any] = []
    for k in range(count):
        # A box is 0.19 m from corner to corner: they start apart.
        place = np.array([0.1 * (k % 2), 0.1 * (k // 2 % 2), 0.12 + 0.21 * k]) + rng.uniform(-0.01, 0.01, 3)
        turned = (b if k % 3 else y) @ turn(rng.uniform(0, 2), rng.normal(size=3)).T
        bodies.append(s.Rigid(f"body {k}", turned + place, c if k % 3 else u, density=(300, 1000, 3000)[k % 3]))
    x, t = sheet(16, 0.8, (0.05, 0.05, 0.12 + 0.21 * count), 0.2)
    bodies.append(s.Cloth("sheet", x, t, s.Material.fabric(**FABRIC), self_contact=True))
    g, h = sheet(6, 2.0, (0, 0, 0))
    return s.Scene(bodies, [s.Collider("ground", g, h, thickness=0.001)]), 36


SCENES: dict[str, Callable[..., tuple[Any, int]]] = {
    "two": two, "drape": drape, "flat": flat, "fold": fold, "twist": twist, "pile": pile, "fast": fast, "cubes": cubes,
    "sleeve": sleeve, "box": box, "press": press, "strips": strips,
    "trampoline": trampoline, "heap": heap, "layers": layers,
}  # fmt: skip
