"""Small scenes with contact of surfaces, for tests of contact on a device."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import solver
from tests.scenes.materials import SOFT, spring_material
from tests.scenes.meshes import ball, cube_of_five, folded, sheet

Array = np.ndarray


def on_ball(n: int = 10, centre: tuple[float, float] = (0.01, 0.02), friction: float = 0.5) -> solver.Scene:
    """A sheet of half a metre falls on a ball, whose mesh is a collider, and folds below it."""
    x, t = sheet(n, 0.5, (*centre, 0.21), 0.3, (0.03, 0.02, 1))
    v, u = ball(2, 0.15, (0, 0, 0))
    cloth = solver.Cloth("sheet", x, t, spring_material(solver), friction=friction)
    return solver.Scene([cloth], [solver.Collider("ball", v, u, friction=friction)])


def fold(n: int = 12, layers: int = 3) -> solver.Scene:
    """A folded sheet whose layers fall on one another, and on the ground."""
    x, t, rest = folded(n, layers, 0.5, 0.02)
    cloth = solver.Cloth("folded", x + [0, 0, 0.02], t, spring_material(solver), rest_vertices=rest)
    return solver.Scene([cloth], [solver.Plane("ground")])


def crossing(n: int = 8, speed: float = 5.0) -> solver.Scene:
    """Two sheets fly through where the other one is, at `speed` each."""
    bodies = []
    for name, side in (("left", -1.0), ("right", 1.0)):
        x, t = sheet(n, 0.4, (0.08 * side, 0, 0), np.pi / 2 + 0.2 * side, (0.1 * side, 1, 0.05))
        flight = np.tile([-speed * side, 0.0, 0.0], (len(x), 1))
        bodies.append(solver.Cloth(name, x, t, spring_material(solver), velocities=flight))
    return solver.Scene(bodies, gravity=(0, 0, 0))


def stack(count: int = 3, n: int = 2) -> solver.Scene:
    """Soft cubes fall on one another, a little turned, and on the ground."""
    x, t = cube_of_five(n)
    bodies = []
    for k in range(count):
        c, s = np.cos(0.3 * k), np.sin(0.3 * k)
        y = 0.1 * (x - 0.5) @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + [0.01 * k, 0, 0.06 + 0.11 * k]
        bodies.append(solver.SoftBody(f"cube {k}", y, t, solver.Material.solid(**SOFT)))
    return solver.Scene(bodies, [solver.Plane("ground")])


def pushed(n: int = 10, speed: float = 1.5) -> solver.Scene:
    """A ball is driven through where a hanging sheet is."""
    x, t = sheet(n, 0.5, (0, 0, 0), np.pi / 2, (0, 1, 0))
    v, u = ball(2, 0.1, (-0.15, 0.02, -0.03))
    pins = solver.Pins(np.flatnonzero(x[:, 2] > x[:, 2].max() - 1e-9))
    positions = v + np.array([1.0, 0, 0]) * (speed / 24.0 * np.arange(30))[:, None, None]
    return solver.Scene(
        [solver.Cloth("sheet", x, t, spring_material(solver), pins=pins)], [solver.Collider("ball", positions, u)]
    )


def on_hanging(n: int = 12) -> solver.Scene:
    """A sheet flies at 2 m/s at one that hangs by two sides."""
    x, t = sheet(n, 0.5, (0, 0, 0))
    pins = solver.Pins(np.flatnonzero(np.abs(x[:, 0]) > 0.25 - 1e-6))
    y, u = sheet(n, 0.35, (0.01, 0.02, 0.12), 0.4, (0.2, 0.3, 1))
    flight = np.tile([0.3, 0.1, -2.0], (len(y), 1))
    fabric = spring_material(solver)
    return solver.Scene(
        [solver.Cloth("hanging", x, t, fabric, pins=pins), solver.Cloth("thrown", y, u, fabric, velocities=flight)]
    )


SCENES: dict[str, Callable[[], solver.Scene]] = {
    "on_ball": on_ball, "fold": fold, "crossing": crossing, "stack": stack, "pushed": pushed,
}  # fmt: skip


def slope(tangent: float, friction: float, size: float = 2.0) -> tuple[solver.Scene, Array]:
    """A small sheet that lies on a plane mesh of this slope; and the direction downwards."""
    a = np.arctan(tangent)
    turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    x, t = sheet(5, 0.2, (0, 0, 0))
    y = (x + [0.013, 0.007, 0.0011]) @ turn.T
    cloth = solver.Cloth("sheet", y, t, spring_material(solver), friction=friction, thickness=0.001)
    v, u = sheet(16, size, (0, 0, 0))
    return solver.Scene([cloth], [solver.Collider("slope", v @ turn.T, u, friction=friction)]), turn[:, 0]
