"""Meshes that scenes of contact are made of, in SI units, z up."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.scenes import grid

Array = np.ndarray
SOFT = {"density": 1000.0, "young": 3e4, "poisson": 0.4, "damping": 0.01}


def turn(angle: float, axis: Any) -> Array:
    """Rotation matrix about an axis by an angle [rad]."""
    a = np.array(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def sheet(n: int, size: float, centre: Any, angle: float = 0.0, axis: Any = (0, 0, 1)) -> tuple[Array, Array]:
    """A square sheet of n x n quads about its centre."""
    x, t = grid(n, size)
    return (x - [size / 2, size / 2, 0]) @ turn(angle, axis).T + centre, t


def ball(levels: int, radius: float, centre: Any = (0, 0, 0)) -> tuple[Array, Array]:
    """A sphere from an octahedron, each level splitting every triangle in four; wound outwards."""
    points = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    triangles = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    points = [np.array(p, float) for p in points]
    for _ in range(levels):
        middle: dict[tuple[int, int], int] = {}
        finer = []
        for a, b, c in triangles:
            mids = []
            for i, j in ((a, b), (b, c), (c, a)):
                key = (min(i, j), max(i, j))
                if key not in middle:
                    p = points[i] + points[j]
                    middle[key] = len(points)
                    points.append(p / np.linalg.norm(p))
                mids.append(middle[key])
            x, y, z = mids
            finer += [(a, x, z), (x, b, y), (z, y, c), (x, y, z)]
        triangles = finer
    return np.array(points) * radius + centre, np.array(triangles, np.int32)


def brick(size: Any, centre: Any = (0, 0, 0)) -> tuple[Array, Array]:
    """A box of twelve triangles, wound outwards."""
    x = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float) - 0.5
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return x * size + centre, np.array(triangles, np.int32)


def tube(around: int, along: int, radius: float, length: float) -> tuple[Array, Array]:
    """An open cylinder about z."""
    a, z = np.meshgrid(2 * np.pi * np.arange(around) / around, np.linspace(0, length, along + 1), indexing="ij")
    x = np.stack([radius * np.cos(a), radius * np.sin(a), z], -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(along), indexing="ij")
    p, q = i * (along + 1) + j, (i + 1) % around * (along + 1) + j
    even = ((i + j) % 2 == 0)[..., None, None]
    one = np.stack([np.stack([p, q, q + 1], -1), np.stack([p, q + 1, p + 1], -1)], -2)
    two = np.stack([np.stack([p, q, p + 1], -1), np.stack([q, q + 1, p + 1], -1)], -2)
    return x, np.where(even, one, two).reshape(-1, 3).astype(np.int32)


def folded(n: int, layers: int, size: float, gap: float) -> tuple[Array, Array, Array]:
    """A sheet of n x n quads folded to and fro into layers a gap apart: start, triangles, rest."""
    rest, t = grid(n, size)
    bend = gap / 2
    flat = size / layers - np.pi * bend * (layers - 1) / layers
    along = rest[:, 0]
    layer = np.minimum((along / (flat + np.pi * bend)).astype(int), layers - 1)
    way = along - layer * (flat + np.pi * bend)
    angle = np.clip((way - flat) / bend, 0, np.pi)
    forth = layer % 2 == 0
    start = rest.copy()
    edge = np.where(forth, flat, 0.0) + np.where(forth, 1, -1) * bend * np.sin(angle)
    start[:, 0] = np.where(way <= flat, np.where(forth, way, flat - way), edge)
    start[:, 2] = layer * gap + np.where(way <= flat, 0, bend * (1 - np.cos(angle)))
    return start, t, rest
