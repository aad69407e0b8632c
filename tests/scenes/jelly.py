"""Soft bodies that touch with the mesh that they carry."""

from __future__ import annotations

import numpy as np

import solver
from solver.topology.lattice import fill_with_lattice
from tests.scenes.materials import SOFT, spring_material
from tests.scenes.meshes import ball, sheet

THICKNESS = 0.002


def jelly(surface: str, height: float = 0.15, name: str = "ball", **changes: float) -> solver.SoftBody:
    """A ball of 0.1 m in a lattice of coarse cells."""
    v, u = ball(2, 0.1, (0, 0, height))
    x, t, share = fill_with_lattice("ball", v, u, 0.25)
    return solver.SoftBody(
        name, x, t, solver.Material.solid(**{**SOFT, "young": 3e4, **changes}), surface=v, surface_triangles=u,
        volume_fraction=share, contact_surface=surface, thickness=THICKNESS,
    )  # fmt: skip


def pile() -> solver.Scene:
    """Two balls fall on one another and on the ground."""
    return solver.Scene([jelly("mesh", 0.11), jelly("mesh", 0.34, "other")], [solver.Plane("ground")])


def thrown_through(speed: float = 3.0) -> solver.Scene:
    """A ball moves fast towards a sheet that hangs in front of a fixed ball."""
    body = jelly("mesh", 0.0)
    body.velocities = np.tile([speed, 0.3, 0.0], (len(body.vertices), 1))
    x, t = sheet(10, 0.6, (0.15, 0, 0), np.pi / 2, (0, 1, 0))
    pins = solver.Pins(np.flatnonzero(x[:, 2] > x[:, 2].max() - 1e-9))
    v, u = ball(2, 0.1, (0.35, 0.01, -0.02))
    return solver.Scene(
        [body, solver.Cloth("sheet", x, t, spring_material(solver), pins=pins)], [solver.Collider("fixed", v, u)]
    )


def meeting(speed: float = 5.0) -> solver.Scene:
    """Two balls fly through where the other one is, at `speed` each, without gravity."""
    bodies = [jelly("mesh", -0.115), jelly("mesh", 0.115, "other")]
    for body, sign in zip(bodies, (1.0, -1.0), strict=True):
        body.velocities = np.tile([0.05 * sign, 0.02, speed * sign], (len(body.vertices), 1))
    return solver.Scene(bodies, gravity=(0, 0, 0))


SCENES = {"pile": pile, "thrown_through": thrown_through, "meeting": meeting}
