"""Meshes that scenes are made of, in SI units, z up."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

Array = np.ndarray


def grid(n: int, size: float = 1.0) -> tuple[Array, Array]:
    """A square of n x n quads in z = 0, each split along one diagonal, in a chequer: vertices, triangles."""
    return rectangle((n, n), (size, size))


def rectangle(counts: tuple[int, int], size: tuple[float, float]) -> tuple[Array, Array]:
    """A rectangle of so many quads along x and y in z = 0, as `grid`; numbers of vertices run along y first."""
    n, m = counts
    x, y = np.meshgrid(np.linspace(0.0, size[0], n + 1), np.linspace(0.0, size[1], m + 1), indexing="ij")
    vertices = np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3)
    number = np.arange((n + 1) * (m + 1)).reshape(n + 1, m + 1)
    p, q, r, s = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    rising = (np.indices((n, m)).sum(0) % 2 == 0)[..., None, None]
    pair = np.where(rising, _stack([(p, q, r), (p, r, s)]), _stack([(p, q, s), (q, r, s)]))
    return vertices, pair.reshape(-1, 3).astype(np.int32)


def _stack(rows: list[tuple[Array, ...]]) -> Array:
    """(..., elements, corners)."""
    return np.stack([np.stack(row, -1) for row in rows], -2)


def lattice(n: int) -> tuple[Array, Array]:
    """Vertices of a 1 m cube of n^3 cells, and the eight corners of each cell, (n^3, 8), corner 4 dx + 2 dy + dz."""
    return _lattice([np.linspace(0.0, 1.0, n + 1)] * 3)


def _lattice(ticks: list[Array]) -> tuple[Array, Array]:
    """Return `lattice` with these coordinates along each axis."""
    vertices = np.stack(np.meshgrid(*ticks, indexing="ij"), -1).reshape(-1, 3)
    number = np.arange(len(vertices)).reshape([len(t) for t in ticks])
    ends = (slice(None, -1), slice(1, None))
    corners = [number[ends[i], ends[j], ends[k]].ravel() for i, j, k in itertools.product((0, 1), repeat=3)]
    return vertices, np.stack(corners, 1)


def cube_of_six(n: int) -> tuple[Array, Array]:
    """A 1 m cube of n^3 cells with six tetrahedra each, one for each path from one corner to the opposite one."""
    vertices, cells = lattice(n)
    corner_paths = [np.cumsum([0, *(4 >> axis for axis in order)]) for order in itertools.permutations(range(3))]
    return vertices, _positive(vertices, np.concatenate([cells[:, corner_path] for corner_path in corner_paths]))


def cube_of_five(n: int) -> tuple[Array, Array]:
    """A 1 m cube of n^3 cells with five tetrahedra each: one inside, one at every other corner; neighbours are mirrored."""
    return _fives(*lattice(n), (n, n, n))


def bar_of_five(counts: tuple[int, int, int]) -> tuple[Array, Array]:
    """Return `cube_of_five` with so many cells of 1 m along each axis."""
    return _fives(*_lattice([np.arange(n + 1.0) for n in counts]), counts)


def _fives(vertices: Array, cells: Array, counts: tuple[int, int, int]) -> tuple[Array, Array]:
    inner = (0, 3, 5, 6)  # corners that lie across the faces' diagonals from each other
    odd = np.indices(counts).sum(0).ravel() % 2
    mirrored = np.where(odd[:, None] == 1, cells[:, np.arange(8) ^ 1], cells)
    at_corners = [(far, *(far ^ bit for bit in (1, 2, 4))) for far in (1, 2, 4, 7)]
    return vertices, _positive(vertices, np.concatenate([mirrored[:, list(four)] for four in (inner, *at_corners)]))


def _positive(vertices: Array, tetrahedra: Array) -> Array:
    """The same tetrahedra, all of positive volume."""
    edges = vertices[tetrahedra[:, 1:]] - vertices[tetrahedra[:, :1]]
    turned = np.linalg.det(edges) < 0
    tetrahedra[turned] = tetrahedra[turned][:, [0, 1, 3, 2]]
    return tetrahedra.astype(np.int32)


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


def capped_tube(around: int, along: int, radius: float, length: float) -> tuple[Array, Array]:
    """A closed cylinder about z, wound outwards."""
    x, t = tube(around, along, radius, length)
    ends = []
    for row, turned in ((0, True), (along, False)):
        ring = np.arange(around) * (along + 1) + row
        fan = np.stack([ring, np.roll(ring, -1), np.full(around, len(x) + len(ends))], 1)
        ends.append(fan[:, ::-1] if turned else fan)
    return np.r_[x, [[0, 0, 0], [0, 0, length]]], np.concatenate([t, *ends]).astype(np.int32)


def folded(n: int, layers: int, size: float, gap: float) -> tuple[Array, Array, Array]:
    """A sheet of n x n quads folded to and fro into layers a gap apart: start, triangles, rest."""
    rest, t = grid(n, size)
    bend = gap / 2
    flat = size / layers - np.pi * bend * (layers - 1) / layers
    along = rest[:, 0]
    layer = np.minimum((along / (flat + np.pi * bend)).astype(int), layers - 1)
    along_layer = along - layer * (flat + np.pi * bend)
    angle = np.clip((along_layer - flat) / bend, 0, np.pi)
    forth = layer % 2 == 0
    start = rest.copy()
    edge = np.where(forth, flat, 0.0) + np.where(forth, 1, -1) * bend * np.sin(angle)
    start[:, 0] = np.where(along_layer <= flat, np.where(forth, along_layer, flat - along_layer), edge)
    start[:, 2] = layer * gap + np.where(along_layer <= flat, 0, bend * (1 - np.cos(angle)))
    return start, t, rest
