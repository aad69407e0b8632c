"""A rope that is curved at rest, pulled straight and let go slack, whose ends cannot turn: a tendril, or a phone cord."""

from __future__ import annotations

from typing import Any

import numpy as np

import solver
from tests.scenes.ropes import chain

Array = np.ndarray

#: Length and radius of the rope [m], its segments, and the turns of a circle that it is at rest.
LENGTH, RADIUS, SEGMENTS, TURNS = 1.0, 0.002, 100, 8
STEP, CURVATURE = LENGTH / SEGMENTS, 2 * np.pi * TURNS / LENGTH
#: Moduli of bending and twist [Pa].
BENDING, TWIST = 1e8, 4e7
#: Distance of the ends when it is slack, over the length; time to get there [s].
NEAR, SECONDS = 0.6, 5.0


def tendril(seconds: float = SECONDS, near: float = NEAR) -> solver.Scene:
    """It begins straight, but for a tenth of a millimetre, and its ends approach each other."""
    angle = CURVATURE * STEP * np.arange(SEGMENTS + 1)
    rest = np.stack([np.sin(angle), 0 * angle, -np.cos(angle)], 1)
    rest *= STEP / np.linalg.norm(rest[1] - rest[0])
    along = np.linspace(0, 1, SEGMENTS + 1)
    x = np.stack([LENGTH * along, 1e-4 * np.sin(np.pi * along) ** 2, 0 * along], 1)
    held = [0, 1, SEGMENTS - 1, SEGMENTS]

    def targets(t: float) -> Array:
        way = 0.5 * (1 - near) * LENGTH * min(t / seconds, 1.0)
        return x[held] + np.array([[way, 0, 0]] * 2 + [[-way, 0, 0]] * 2)

    material = solver.Material.rope(1000.0, 1e8, BENDING, TWIST, damping=0.01)
    shape: dict[str, Any] = {"rest_vertices": rest, "is_straight": False, "self_contact": False}
    rope = solver.Rope("cord", x, chain(SEGMENTS), RADIUS, material, pins=solver.Pins(held, targets=targets), **shape)
    return solver.Scene([rope], gravity=(0, 0, 0))


def handedness(x: Array) -> Array:
    """Triple products of successive segments, (s - 2,): positive in a right-handed helix."""
    e = np.diff(x, axis=0)
    return (np.cross(e[:-2], e[1:-1]) * e[2:]).sum(1)


def curvatures(x: Array) -> Array:
    """Curvature at the inner vertices [1/m], (s - 1,)."""
    e = np.diff(x, axis=0)
    t = e / np.linalg.norm(e, axis=1)[:, None]
    return 2 * np.linalg.norm(np.cross(t[:-1], t[1:]), axis=1) / (1 + (t[:-1] * t[1:]).sum(1)) / STEP


def helix(near: float = NEAR) -> tuple[float, float]:
    """Curvature [1/m] and tension [N] of both helices far from the perversion.

    They pull alike and are mirror images, so no torque acts along their axis: E I k (K - k) = 2 G I t^2, of curvature k and
    torsion t. Source: Goriely and Tabor 1998, "Spontaneous helix hand reversal and tendril perversion in climbing plants".
    """
    share = (near - 2 / SEGMENTS) / (1 - 2 / SEGMENTS)  # the pinned segments are straight
    ratio = BENDING / (2 * TWIST)
    low, high = 0.0, CURVATURE
    for _ in range(60):
        k = 0.5 * (low + high)
        square = ratio * k * (CURVATURE - k)
        low, high = (k, high) if square / (k * k + square) > share**2 else (low, k)
    torsion, inertia = np.sqrt(square), 0.25 * np.pi * RADIUS**4
    across = BENDING * inertia * (CURVATURE - k) * torsion + 2 * TWIST * inertia * torsion * k
    return k, across / np.sqrt(k * k + square) * (k * k + square) / k
