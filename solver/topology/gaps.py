"""Gaps between points and the surfaces around them, for occasional queries; in NumPy, nothing is compiled."""

from __future__ import annotations

import numpy as np

from .box_grid import BoxGrid

Array = np.ndarray

#: Points worked on at a time.
CHUNK = 5_000
#: Signed gaps are looked for up to this share of the mesh's median edge: below, neighbours in it do not count.
REACH = 0.45


def gaps(points: Array, x: Array, triangles: Array, reach: float) -> Array:
    """Return the distance of each of some vertices to the nearest triangle without it [m], at most `reach`, (k,).

    points: numbers of vertices, (k,). x: positions [m], (n, 3). triangles: (t, 3). With a reach below half the edges,
    neighbours in its own surface do not count.
    """
    distance = np.full(len(points), float(reach))
    if not len(points) or not len(triangles):
        return distance
    corners = x[triangles].astype(np.float64)
    grid = BoxGrid(corners.min(1) - reach, corners.max(1) + reach)
    for k in range(0, len(points), CHUNK):
        mine = x[points[k : k + CHUNK]].astype(np.float64)
        point, triangle = grid.near(mine, mine)
        other = (triangles[triangle] != points[k : k + CHUNK][point][:, None]).all(1)
        point, triangle = point[other], triangle[other]
        np.minimum.at(distance, k + point, distances(mine[point], corners[triangle]))
    return distance


def signed_gaps(body: slice, x: Array, triangles: Array, edges: Array, hits: Array) -> tuple[Array, float]:
    """Return the gap at each vertex of one mesh among others [m], (n,), negative at faces with intersections, and the reach
    [m], the largest gap.

    body: its vertices. x: of all meshes [m], (v, 3). triangles, edges: of all, (t, 3), (e, 2). hits: edges and the triangles
    that they pass through, (k, 2), see `intersections.crossing_edges`.
    """
    mine = edges[(edges[:, 0] >= body.start) & (edges[:, 0] < body.stop)]
    reach = REACH * float(np.median(np.linalg.norm(x[mine[:, 0]] - x[mine[:, 1]], axis=1)))
    gap = gaps(np.arange(body.start, body.stop), x, triangles, reach)
    edge, triangle = hits.T
    through = np.zeros(len(x), bool)
    through[edges[edge]] = True
    through[triangles[triangle]] = True
    return np.where(through[body], -gap, gap), reach


def distances(p: Array, corners: Array) -> Array:
    """Distance of points to triangles [m], (k,). p: (k, 3). corners: (k, 3, 3).

    Above the triangle it is that to its plane, elsewhere that to the nearest side.
    """
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = np.cross(b - a, c - a)
    square = np.maximum((normal * normal).sum(1), 1e-300)
    inside = np.ones(len(p), bool)
    nearest = np.full(len(p), np.inf)
    for i, j in ((a, b), (b, c), (c, a)):
        side = j - i
        share = ((p - i) * side).sum(1) / np.maximum((side * side).sum(1), 1e-300)
        away = p - i - np.clip(share, 0.0, 1.0)[:, None] * side
        nearest = np.minimum(nearest, (away * away).sum(1))
        inside &= (np.cross(side, p - i) * normal).sum(1) >= 0
    height = ((p - a) * normal).sum(1) ** 2 / square
    return np.sqrt(np.where(inside, height, nearest))
