"""Bodies of springs, which every method can use, and their simulations."""

from __future__ import annotations

import numpy as np

from solver import Cloth, Material, Pins, Scene, Simulation
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import grid


def springs(stiffness: float, damping: float = 0.0) -> Material:
    """A sheet of springs [N/m], 0.2 kg/m^2."""
    return Material("net", "fabric", 0.2, {"spring": {"stiffness": stiffness, "damping": damping}})


def net(n: int, material: Material, **more) -> Cloth:
    """A level square of 1 m with n^2 quads."""
    vertices, triangles = grid(n, n, 1.0, 1.0)
    return plain_cloth("net", vertices, triangles, material, **more)


def hanging_strip(method: str, iterations: int) -> float:
    """Return the growth of a strip of 0.6 m, hung by its upper end, after two seconds, over its length."""
    vertices, triangles = grid(12, 3, 0.6, 0.15)
    vertices = vertices[:, [2, 1, 0]] * [1, 1, -1]
    top = np.flatnonzero(vertices[:, 2] == 0)
    strip = plain_cloth("strip", vertices, triangles, springs(20.0, 2e-3), pins=Pins(top))
    settings = plain_settings(method=method, iterations=iterations, substeps=16, damping=2.0, threads=1)
    *_, last = Simulation(Scene([strip]), settings).frames(1, 49)
    return -last.positions["strip"][:, 2].min() / 0.6 - 1
