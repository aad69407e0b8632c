"""A pouch with a ball in it, whose neck a string draws together."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.materials import FABRIC
from tests.scenes.meshes import ball, rectangle
from tests.scenes.stress.stress import Seeded, Stress, smooth

Array = np.ndarray
#: The pouch from its rim down to the middle of its ground: radius, height [m].
PROFILE = [(0.12, 0.0), (0.1, -0.05), (0.1, -0.13), (0.15, -0.2), (0.12, -0.28), (0.06, -0.3), (0.0, -0.3)]
#: Radius of the string's loop at the start and at the end, and its width [m].
LOOSE, TIGHT, STRING = 0.108, 0.07, 0.016
#: Frames to draw it together, and at the end.
DRAWN, END = 48, 24


def pouch_mesh(around: int) -> tuple[Array, Array]:
    """A surface of revolution about z, with a fan in the middle of its ground."""
    corners = np.array(PROFILE)
    arc_length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
    edge = 2 * np.pi * 0.12 / around
    rows = round(arc_length[-2] / edge) + 1
    at = np.linspace(0, arc_length[-2], rows)
    radius, height = np.interp(at, arc_length, corners[:, 0]), np.interp(at, arc_length, corners[:, 1])
    a = 2 * np.pi * np.arange(around) / around
    rings = np.stack([np.outer(radius, np.cos(a)), np.outer(radius, np.sin(a)), np.repeat(height[:, None], around, 1)], -1)
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(around), indexing="ij")
    p, q = i * around + j, i * around + (j + 1) % around
    even = ((i + j) % 2 == 0)[..., None, None]
    one = np.stack([np.stack([p, p + around, q + around], -1), np.stack([p, q + around, q], -1)], -2)
    two = np.stack([np.stack([p, p + around, q], -1), np.stack([p + around, q + around, q], -1)], -2)
    last = (rows - 1) * around + np.arange(around)
    fan = np.stack([last, np.full(around, rows * around), np.roll(last, -1)], 1)
    triangles = np.concatenate([np.where(even, one, two).reshape(-1, 3), fan])
    return np.r_[rings.reshape(-1, 3), [[0, 0, -0.3]]], triangles.astype(np.int32)


def drawstring(s: Any, seed: int = 0, n: int = 24) -> Stress:
    """The pouch hangs by its rim; the string lies around its neck once, and its ends are pulled apart. n: quads around."""
    seeded = Seeded(seed)
    fabric = seeded.values(FABRIC)
    x, t = pouch_mesh(n)
    edge, rim = 2 * np.pi * 0.12 / n, np.arange(n)
    pouch = s.Cloth(
        "pouch", seeded.start(x, edge, rim), t, s.Material.fabric(**fabric), pins=s.Pins(rim), rest_vertices=x,
        self_contact=True,
    )  # fmt: skip
    along = round(2 * np.pi * LOOSE / (STRING / 2) * n / 36)
    flat, u = rectangle((along, 2), (2 * np.pi, STRING))
    a = flat[:, 0] - np.pi
    pitch = 1.8 * STRING
    loop = np.stack([LOOSE * np.cos(a), LOOSE * np.sin(a), flat[:, 1] - STRING / 2 - 0.09 + pitch * a / (2 * np.pi)], 1)
    ends = np.flatnonzero(np.abs(a) > np.pi - 1e-9)
    pulled = np.stack([0 * ends, -np.sign(a[ends]), 0 * ends], 1)

    def targets(time: float) -> Array:
        return loop[ends] + np.pi * (LOOSE - TIGHT) * smooth(time * 24 / DRAWN) * pulled

    cord = s.Material.fabric(**{**fabric, "young": seeded.value(6000.0), "shear": seeded.value(2000.0)}, friction=0.1)
    string = s.Cloth(
        "string", seeded.start(loop, STRING / 2, ends), u, cord, pins=s.Pins(ends, targets=targets), rest_vertices=loop,
        self_contact=True,
    )  # fmt: skip
    v, faces = ball(2, 0.07, (0, 0, -0.22))
    return Stress(s.Scene([pouch, string, s.Rigid("ball", v, faces, mass=0.2)]), DRAWN + END, still_after=DRAWN)
