"""Spheres of triangles."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def icosphere(times: int, radius: float = 1.0) -> tuple[Array, Array]:
    """Vertices and triangles, which look outwards, of an icosahedron whose faces are cut in four so many times."""
    t = (1 + np.sqrt(5)) / 2
    ends = [(-1, t), (1, t), (-1, -t), (1, -t)]
    x = [np.roll((a, b, 0.0), turn) for turn in range(3) for a, b in ends]
    x = [p / np.linalg.norm(p) for p in x]
    pairs = np.linalg.norm(np.array(x)[:, None] - np.array(x)[None], axis=2)
    side = pairs[pairs > 0].min() * 1.01
    near = [(a, b, c) for a in range(12) for b in range(a) for c in range(b)]
    faces = [f for f in near if max(pairs[f[0], f[1]], pairs[f[1], f[2]], pairs[f[0], f[2]]) < side]
    for _ in range(times):
        faces = _cut(x, faces)
    v, f = np.array(x), np.array(faces)
    inwards = np.einsum("ij,ij->i", np.cross(v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]]), v[f[:, 0]]) < 0
    f[inwards] = f[inwards][:, ::-1]
    return radius * v, f


def _cut(x: list[Array], faces: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Divide each face in four; the middles of edges are added to x, on the sphere."""
    middle: dict[tuple[int, ...], int] = {}

    def between(a: int, b: int) -> int:
        key = tuple(sorted((a, b)))
        if key not in middle:
            middle[key] = len(x)
            x.append((x[a] + x[b]) / np.linalg.norm(x[a] + x[b]))
        return middle[key]

    quarters: list[tuple[int, ...]] = []
    for a, b, c in faces:
        ab, bc, ca = between(a, b), between(b, c), between(c, a)
        quarters += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return quarters
