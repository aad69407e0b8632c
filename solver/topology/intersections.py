"""Intersections of triangle meshes with themselves or each other."""

from __future__ import annotations

import numpy as np

from .box_grid import BoxGrid

Array = np.ndarray

#: Queries of boxes worked on at a time.
CHUNK = 20_000
#: A side that ends on a triangle to within this share of its length touches it and does not pass through.
TOUCH = 1e-6


def crossing_triangles(x: Array, triangles: Array) -> Array:
    """Pairs of triangles (p, 2) of which one has a side that passes through the other; lower index first, each pair once.

    x: positions [m], (n, 3). triangles: (t, 3). Sides that share a corner with the other triangle, end on it, or lie in its
    plane do not count; a side that meets the other's edge does, because a diagonal may run exactly there.
    """
    corners = x[triangles].astype(np.float64)
    grid = BoxGrid(corners.min(1), corners.max(1))
    pairs = []
    for k in range(0, len(triangles), CHUNK):
        a, b = grid.near(corners[k : k + CHUNK].min(1), corners[k : k + CHUNK].max(1))
        a, b = a[a + k < b] + k, b[a + k < b]
        crossing = np.zeros(len(a), bool)
        for one, other in ((a, b), (b, a)):
            for side in range(3):
                i, j = triangles[one, side], triangles[one, (side + 1) % 3]
                shared = (triangles[other] == i[:, None]).any(1) | (triangles[other] == j[:, None]).any(1)
                rest = np.flatnonzero(~shared & ~crossing)
                crossing[rest] = _passes(x[i[rest]], x[j[rest]], corners[other[rest]])
        pairs.append(np.stack([a[crossing], b[crossing]], axis=1))
    return np.concatenate(pairs)


def crossing_edges(x: Array, edges: Array, triangles: Array, counts: Array) -> Array:
    """Edges that pass through triangles: numbers of both, (k, 2), in ascending order.

    x: positions [m], (n, 3). edges: (e, 2). triangles: (t, 3). counts: (n,) bool; pairs without such a vertex are left out,
    as are edges that share a corner with the triangle, end on it, or lie in its plane.
    """
    crossings = [np.zeros((0, 2), np.int64)]
    if not len(edges) or not len(triangles):
        return crossings[0]
    ends, corners = x[edges].astype(np.float64), x[triangles].astype(np.float64)
    edge_counts, triangle_counts = counts[edges].any(1), counts[triangles].any(1)
    grid = BoxGrid(corners.min(1), corners.max(1))
    for k in range(0, len(edges), CHUNK):
        e, t = grid.near(ends[k : k + CHUNK].min(1), ends[k : k + CHUNK].max(1))
        e += k
        wanted = edge_counts[e] | triangle_counts[t]
        for end in range(2):
            wanted &= (triangles[t] != edges[e, end][:, None]).all(1)
        e, t = e[wanted], t[wanted]
        through = _passes(ends[e, 0], ends[e, 1], corners[t])
        crossings.append(np.stack([e[through], t[through]], axis=1))
    return np.concatenate(crossings)


def _passes(p: Array, q: Array, corners: Array) -> Array:
    """Return whether the segments p, q (m, 3) pass through the triangles with corners (m, 3, 3), their sides included.

    Source: Moller and Trumbore 1997, "Fast, minimum storage ray/triangle intersection".
    """
    a = corners[:, 0]
    u, v, d, s = corners[:, 1] - a, corners[:, 2] - a, q - p, p - a
    h = np.cross(d, v)
    det = (u * h).sum(1)
    scale = np.linalg.norm(np.cross(u, v), axis=1) * np.linalg.norm(d, axis=1)
    flat = np.abs(det) <= TOUCH * scale
    safe = np.where(flat, 1.0, det)
    g = np.cross(s, u)
    r, t, along = (s * h).sum(1) / safe, (d * g).sum(1) / safe, (v * g).sum(1) / safe
    inside = (r > -TOUCH) & (t > -TOUCH) & (r + t < 1 + TOUCH)
    return ~flat & inside & (along > TOUCH) & (along < 1 - TOUCH)
