"""Distances of points from triangles by brute force: the plain twin of the contact kernels, in float64."""

from __future__ import annotations

import numpy as np


def distances(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Distance of each point (n, 3) from each triangle (k, 3, 3) [m], (n, k): the best of the face and three edges."""
    p = points[:, None]
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    best = np.full((len(points), len(triangles)), np.inf)
    for u, v in ((a, b), (b, c), (c, a)):
        e = v - u
        s = np.clip(((p - u) * e).sum(-1) / np.maximum((e * e).sum(-1), 1e-300), 0, 1)
        best = np.minimum(best, np.linalg.norm(p - u - s[..., None] * e, axis=-1))
    n = np.cross(b - a, c - a)
    square = np.maximum((n * n).sum(-1), 1e-300)
    d = p - a
    v = (np.cross(d, c - a) * n).sum(-1) / square
    w = (np.cross(b - a, d) * n).sum(-1) / square
    face = abs((d * n).sum(-1)) / np.sqrt(square)
    return np.where((v >= 0) & (w >= 0) & (v + w <= 1), np.minimum(best, face), best)
