"""Panels that are to be sewn."""

from __future__ import annotations

from typing import Any

import numpy as np

import solver
from tests.scenes.meshes import rectangle

Array = np.ndarray

FABRIC = solver.Material.fabric(0.2, 1000, 400, poisson=0.3, bending=1e-5, damping=0.005)


def two_panels(n: int, m: int, gap: float) -> tuple[Array, Array, Array]:
    """Front and back of a tube, upright, 0.4 m wide and 0.6 m high, n x m quads each: vertices, triangles that look
    outwards, stitches of both sides."""
    flat, t = rectangle((n, m), (0.4, 0.6))
    front = np.stack([flat[:, 0], np.full(len(flat), -gap / 2), flat[:, 1]], 1)
    x = np.concatenate([front, front + [0, gap, 0]])
    side = np.flatnonzero((flat[:, 0] == 0) | (flat[:, 0] == flat[:, 0].max()))
    return x, np.concatenate([t, t[:, ::-1] + len(flat)]), np.stack([side, side + len(flat)], 1)


def tube(settings: dict[str, Any], sewing: dict[str, Any] | None = None, n: int = 5, gap: float = 0.2, **cloth: Any) -> Any:
    """A simulation of two panels in space without gravity."""
    x, t, stitches = two_panels(n, n + 2, gap)
    made = solver.Sewing(stitches, **(sewing or {}))
    scene = solver.Scene([solver.Cloth("shirt", x, t, FABRIC, sewing=made, **cloth)], gravity=(0, 0, 0))
    return solver.Simulation(scene, solver.Settings(threads=1, **settings))


def gaps(simulation: Any, frame: Any) -> Array:
    """Of the stitches of the first body [m], (k,)."""
    body = simulation.scene.bodies[0]
    x = frame.positions[body.name].astype(float)[body.sewing.edges]
    return np.linalg.norm(x[:, 1] - x[:, 0], axis=1)
