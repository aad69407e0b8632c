"""Small scenes of rigid bodies in contact: with planes, meshes, each other, cloth and soft bodies."""

from __future__ import annotations

from collections.abc import Callable

import solver
from tests.scenes.jelly import jelly
from tests.scenes.materials import spring_material
from tests.scenes.meshes import ball, brick, sheet, turn


def box(name: str, centre: tuple[float, float, float], angle: float = 0.3, **changes: object) -> solver.Rigid:
    """A box of 20 x 15 x 10 cm, a little turned."""
    x, t = brick((0.2, 0.15, 0.1))
    return solver.Rigid(name, x @ turn(angle, (1, 2, 3)).T + centre, t, **{"density": 500.0, **changes})


def on_plane() -> solver.Scene:
    """A box falls on the ground, edge first."""
    return solver.Scene([box("box", (0, 0, 0.2))], [solver.Plane("ground")])


def on_mesh() -> solver.Scene:
    """The same on a ground that is a mesh."""
    g, h = sheet(4, 1.0, (0, 0, 0))
    return solver.Scene([box("box", (0, 0, 0.2))], [solver.Collider("ground", g, h)])


def heap() -> solver.Scene:
    """Three boxes fall on one another, and on the ground."""
    bodies = [box(f"box {k}", (0.01 * k, 0.005 * k, 0.07 + 0.12 * k), 0.02 * k) for k in range(3)]
    return solver.Scene(bodies, [solver.Plane("ground")])


def meeting(speed: float = 5.0) -> solver.Scene:
    """Two boxes fly through where the other one is, and turn, without gravity."""
    bodies = [
        box(
            f"box {k}",
            (0.15 * sign, 0.02 * sign, 0.01 * sign),
            0.4 * k,
            velocity=(-speed * sign, 0, 0),
            angular_velocity=(1, 8, 3),
        )
        for k, sign in enumerate((-1, 1))
    ]
    return solver.Scene(bodies, gravity=(0, 0, 0))


def in_sheet() -> solver.Scene:
    """A ball falls into a sheet that hangs by its corners."""
    x, t = sheet(12, 0.6, (0.003, 0.004, 0))
    v, u = ball(2, 0.08, (0, 0, 0.12))
    pins = solver.Pins([0, 12, 156, 168])
    cloth = solver.Cloth("sheet", x, t, spring_material(solver), pins=pins)
    return solver.Scene([cloth, solver.Rigid("ball", v, u, density=200.0)])


def under_sheet() -> solver.Scene:
    """A sheet falls on a box on the ground."""
    x, t = sheet(10, 0.5, (0.013, 0.007, 0.16), 0.1, (1, 2, 0))
    cloth = solver.Cloth("sheet", x, t, spring_material(solver))
    return solver.Scene([box("box", (0, 0, 0.052), 0.0), cloth], [solver.Plane("ground")])


def on_jelly() -> solver.Scene:
    """A box falls on a soft ball on the ground, which touches with the mesh that it carries."""
    return solver.Scene([jelly("mesh", 0.11), box("box", (0.01, 0.0, 0.3), 0.1, density=100.0)], [solver.Plane("ground")])


SCENES: dict[str, Callable[[], solver.Scene]] = {
    "on_plane": on_plane, "on_mesh": on_mesh, "heap": heap, "meeting": meeting, "in_sheet": in_sheet,
    "under_sheet": under_sheet, "on_jelly": on_jelly,
}  # fmt: skip
