"""A net that falls onto infinite planes."""

from __future__ import annotations

import numpy as np

import solver
from tests.scenes.materials import spring_material
from tests.scenes.meshes import grid

NORMALS = {"level": [(0, 0, 1)], "slope": [(0.5, 0, 0.866)], "corner": [(0.6, 0, 0.8), (-0.6, 0, 0.8)]}


def thrown(planes: list, friction: float = 0.3) -> solver.Scene:
    """A net of 25 vertices, 1 m wide, half a metre above planes through the origin, with downward and sideways velocity."""
    x, t = grid(4)
    x = x - x.mean(0) + [0, 0, 0.5]
    x[:, 2] += 0.2 * x[:, 0]
    net = solver.Cloth(
        "net",
        x,
        t,
        spring_material(solver),
        self_contact=False,
        friction=friction,
        velocities=np.tile([0.5, 0.2, -2.0], (25, 1)),
    )
    return solver.Scene([net], [solver.Plane(f"plane {k}", [0, 0, 0], n, friction=friction) for k, n in enumerate(planes)])
