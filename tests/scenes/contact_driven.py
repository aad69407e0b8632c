"""Scenes of contact in which something is driven: a bunched sleeve, blocks pressed together, strips like muscles; and a
box full of soft bodies. As in `scenes.py`, each gives a solver Scene and how many frames it takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.materials import FABRIC, SOFT
from tests.scenes.meshes import capped_tube, cube_of_five, tube, turn

Array = np.ndarray

#: Length and radius of the arm [m], and half the length of its elbow.
ARM, THICK, ELBOW = 0.6, 0.05, 0.08


def _bent(x: Array, angle: float) -> Array:
    """Points of a straight arm along z, with its elbow bent by an angle [rad] in the plane of x and z."""
    s = np.linspace(0, ARM, 601)
    share = np.clip((s - ARM / 2 + ELBOW) / (2 * ELBOW), 0, 1)
    lean = angle * share * share * (3 - 2 * share)
    middle = (s[1] - s[0]) * np.stack([np.cumsum(np.sin(lean)), np.cumsum(np.cos(lean))], 1)
    at = np.interp(x[:, 2], s, lean)
    cx, cz = np.interp(x[:, 2], s, middle[:, 0]), np.interp(x[:, 2], s, middle[:, 1])
    return np.stack([cx + x[:, 0] * np.cos(at), x[:, 1], cz - x[:, 0] * np.sin(at)], 1)


def sleeve(s: Any, n: int = 40, period: int = 48) -> tuple[Any, int]:
    """A sleeve, half as long again as the arm, bunched on it; the arm bends by 100 degrees and back, as a deforming mesh.

    The arm is given by its pose at every frame, as Blender does.
    """
    arm, faces = capped_tube(24, 40, THICK, ARM)
    poses = np.array([_bent(arm, np.radians(50) * (1 - np.cos(2 * np.pi * k / period))) for k in range(period + 1)])
    rest, t = tube(n, n * 3 // 2, THICK + 0.018, 0.7)
    start = rest.copy()
    start[:, 2] = 0.04 + rest[:, 2] * (0.46 / 0.7)
    wave = 1 + 0.16 * np.sin(2 * np.pi * rest[:, 2] / 0.1)
    start[:, :2] *= wave[:, None]
    top = np.flatnonzero(rest[:, 2] < 1e-9)
    rest[top, :2] = start[top, :2]
    cloth = s.Cloth("sleeve", start, t, s.Material.fabric(**FABRIC), pins=s.Pins(top), rest_vertices=rest, self_contact=True)
    return s.Scene([cloth], [s.Collider("arm", poses, faces)]), period


def box(s: Any, count: int = 40, n: int = 1) -> tuple[Any, int]:
    """Soft blocks of different shapes are dropped into a box of 0.4 m."""
    rng = np.random.default_rng(8)
    x, t = cube_of_five(n)
    m, bodies = s.Material.solid(**SOFT), []
    for k in range(count):
        size = 0.07 * rng.uniform(0.6, 1.3, 3)
        place = np.array([0.12 * (k % 3) - 0.12, 0.12 * (k // 3 % 3) - 0.12, 0.1 + 0.14 * (k // 9)])
        y = ((x - 0.5) * size) @ turn(rng.uniform(0, 3), rng.normal(size=3)).T + place + rng.uniform(-0.005, 0.005, 3)
        bodies.append(s.SoftBody(f"block {k}", y, t, m, self_contact=True))
    sides = [((-0.2, 0, 0), (1, 0, 0)), ((0.2, 0, 0), (-1, 0, 0)), ((0, -0.2, 0), (0, 1, 0)), ((0, 0.2, 0), (0, -1, 0))]
    walls = [s.Plane(f"wall {k}", point, normal) for k, (point, normal) in enumerate(sides)]
    return s.Scene(bodies, [s.Plane("ground"), *walls]), 48


def press(s: Any, n: int = 5) -> tuple[Any, int]:
    """Two soft blocks, askew, are pushed into one another by a third of their sizes, and drawn apart again."""
    x, t = cube_of_five(n)
    m, bodies = s.Material.solid(**SOFT), []
    for k, (side, angle) in enumerate(((-1, 0.0), (1, 0.5))):
        y = 0.2 * (x - 0.5) @ turn(angle, (1, 0.2, 0)).T
        y[:, 0] += side * 0.115
        held = np.flatnonzero(x[:, 0] == (0 if side < 0 else 1))

        def targets(time: float, held: Array = y[held], side: int = side) -> Array:
            return held - [side * 0.04 * (1 - np.cos(2 * np.pi * min(time, 2) / 2)), 0, 0]

        bodies.append(s.SoftBody(f"block {k}", y, t, m, pins=s.Pins(held, targets=targets), self_contact=True))
    return s.Scene(bodies, gravity=(0, 0, 0)), 48


def strips(s: Any, count: int = 4, n: int = 8) -> tuple[Any, int]:
    """Strips like muscles around a bone, held at both ends and bound to each other in the middle, turned and drawn long."""
    x, t = cube_of_five(n)
    keep = (x[t][:, :, 0].max(1) <= 2.01 / n) & (x[t][:, :, 1].max(1) <= 2.01 / n)  # two cells across, n along
    used = np.unique(t[keep])
    number = np.full(len(x), -1)
    number[used] = np.arange(len(used))
    x, t = x[used], number[t[keep]]
    across = x[:, :2] * n / 2 - 0.5  # -0.5 to 0.5
    m, bodies, ties = s.Material.solid(**SOFT), [], []
    width, radius, length = 0.03, 0.034, 0.3
    for k in range(count):
        y = np.c_[across[:, 0] * width + radius, across[:, 1] * width, length * x[:, 2]]
        y = y @ turn(2 * np.pi * k / count, (0, 0, 1)).T
        held = np.flatnonzero((x[:, 2] == 0) | (x[:, 2] == 1))

        def targets(time: float, held: Array = y[held]) -> Array:
            share = 0.5 * (1 - np.cos(2 * np.pi * min(time, 2) / 2))
            turned = held @ turn(0.9 * share, (0, 0, 1)).T + [0, 0, 0.05 * share]
            return np.where(held[:, 2:] > length / 2, turned, held)

        bodies.append(s.SoftBody(f"strip {k}", y, t, m, pins=s.Pins(held, targets=targets), self_contact=True))
    for k in range(count):
        ties.append(s.Tie(f"strip {k}", f"strip {(k + 1) % count}", 0.012, stiffness=3e5))
    bone, faces = capped_tube(16, 12, 0.012, length)
    return s.Scene(bodies, [s.Collider("bone", bone, faces)], ties=ties, gravity=(0, 0, 0)), 48
