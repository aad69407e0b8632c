"""The triangle nearest to each of some points; plain search, for use once a scene."""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel

Array = np.ndarray


def nearest_triangles(points: Array, x: Array, triangles: Array, distance: float) -> tuple[Array, Array]:
    """Nearest triangle of each point within the distance, -1 for none, (n,), and its distance [m], (n,).

    points: (n, 3) m. x: vertices of the triangles (t, 3), [m]. Of triangles as near as each other, the first.
    """
    corners = np.ascontiguousarray(x[triangles], float)
    centres = corners.mean(1)
    radii = np.linalg.norm(corners - centres[:, None], axis=2).max(1) if len(corners) else np.zeros(0)
    low, high = points.min(0) - distance, points.max(0) + distance
    near = ((centres + radii[:, None] >= low) & (centres - radii[:, None] <= high)).all(1)
    chosen = np.flatnonzero(near)
    nearest, how_far = _search(np.ascontiguousarray(points, float), corners[near], centres[near], radii[near], distance)
    return np.where(nearest >= 0, chosen[nearest] if len(chosen) else -1, -1), how_far


@kernel
def _search(points, corners, centres, radii, distance):
    nearest = np.full(len(points), -1, np.int64)
    how_far = np.full(len(points), np.inf)
    for i in range(len(points)):
        best = distance
        p = points[i]
        for t in range(len(corners)):
            reach = best + radii[t]
            square = 0.0
            for k in range(3):
                square += (p[k] - centres[t, k]) ** 2
            if square > reach * reach:
                continue
            d = _distance(p, corners[t, 0], corners[t, 1], corners[t, 2])
            if d < best or (d == best and nearest[i] < 0):
                best = d
                nearest[i] = t
                how_far[i] = d
    return nearest, how_far


@kernel
def _distance(p, a, b, c):
    """Distance from p to the triangle a, b, c, which may be a segment, c = b. Source: Ericson 2005, "Real-Time Collision
    Detection", section 5.1.5."""
    ab = b - a
    if b[0] == c[0] and b[1] == c[1] and b[2] == c[2]:
        along = min(max((ab @ (p - a)) / max(ab @ ab, 1e-30), 0.0), 1.0)
        return np.sqrt(((p - a - along * ab) ** 2).sum())
    ac = c - a
    ap = p - a
    d1 = ab @ ap
    d2 = ac @ ap
    bp = p - b
    d3 = ab @ bp
    d4 = ac @ bp
    cp = p - c
    d5 = ab @ cp
    d6 = ac @ cp
    va = d3 * d6 - d5 * d4
    vb = d5 * d2 - d1 * d6
    vc = d1 * d4 - d3 * d2
    if d1 <= 0 and d2 <= 0:
        q = a
    elif d3 >= 0 and d4 <= d3:
        q = b
    elif d6 >= 0 and d5 <= d6:
        q = c
    elif vc <= 0 and d1 >= 0 and d3 <= 0:
        q = a + d1 / (d1 - d3) * ab
    elif vb <= 0 and d2 >= 0 and d6 <= 0:
        q = a + d2 / (d2 - d6) * ac
    elif va <= 0 and d4 - d3 >= 0 and d5 - d6 >= 0:
        q = b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b)
    else:
        q = a + (vb * ab + vc * ac) / (va + vb + vc)
    return np.sqrt(((p - q) ** 2).sum())
