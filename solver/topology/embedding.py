"""Carries a surface of any resolution inside tetrahedra, by barycentric weights."""

from __future__ import annotations

import numpy as np

from .box_grid import BoxGrid, ranges
from .faces import boundary_faces

Array = np.ndarray

#: Pairs of point and element worked on at a time.
CHUNK = 500_000
#: Outside the body a point follows its tetrahedron's affine motion, until a weight falls to this; beyond, it keeps the
#: weight, so that a far point does not swing about.
LEAST_WEIGHT = -1.0


def embed(points: Array, x: Array, tetrahedra: Array) -> tuple[Array, Array]:
    """The tetrahedron that carries each point, and the point's barycentric weights in it.

    points: [m], (m, 3). x: rest positions of the tetrahedra's vertices [m], (n, 3). tetrahedra: (t, 4), not flat.
    Returns the tetrahedron of each point (m,) int32 and weights (m, 4) float64 that add up to 1. A point inside has
    weights of 0 to 1; one outside takes the tetrahedron of the nearest boundary face, with weights down to -1: it is
    still reproduced exactly, unless it lies further out than that tetrahedron is high.
    """
    points, x = np.asarray(points, np.float64), np.asarray(x, np.float64)
    inverse, origin = _barycentric_frames(x, tetrahedra)
    corners = x[tetrahedra]
    grid = BoxGrid(corners.min(1), corners.max(1))
    owner = np.full(len(points), -1, dtype=np.int64)
    for rows in _chunks(len(points), CHUNK // 32):
        point, tet = grid.near(points[rows], points[rows])
        least = _weights(points[rows][point], tet, inverse, origin).min(1)
        order = np.lexsort((-least, point))  # the tetrahedron that holds it deepest comes first
        point, tet, least = point[order], tet[order], least[order]
        first = np.flatnonzero(np.concatenate([[True], point[1:] != point[:-1]])[: len(point)])
        first = first[least[first] >= -1e-9]
        owner[rows.start + point[first]] = tet[first]
    outside = np.flatnonzero(owner < 0)
    weights = np.empty((len(points), 4))
    if len(outside):
        face, face_owner = boundary_faces(tetrahedra)
        nearest, closest = nearest_triangles(points[outside], x, face)
        owner[outside] = face_owner[nearest]
        inner = _weights(closest, owner[outside], inverse, origin)
        outer = _weights(points[outside], owner[outside], inverse, origin)
        # Go from the closest point of the body towards the point, as far as every weight stays above the limit.
        fall = np.maximum(inner - outer, 1e-300)
        share = np.clip((inner - LEAST_WEIGHT) / fall, 0.0, 1.0).min(1, keepdims=True)
        weights[outside] = inner + share * (outer - inner)
    held = np.flatnonzero(np.isin(np.arange(len(points)), outside, invert=True))
    weights[held] = _weights(points[held], owner[held], inverse, origin)
    return owner.astype(np.int32), weights


def reconstruct(x: Array, corners: Array, weights: Array, out: Array | None = None) -> Array:
    """Return positions of embedded points: one weighted sum of four corners each.

    x: positions [m], (n, 3). corners: `tetrahedra[tet]`, (m, 4). weights: (m, 4). out: (m, 3), written if given. In float32
    10,000 points take well under a millisecond: gather whole rows once, then multiply and add.
    """
    if out is None:
        out = np.empty((len(corners), 3), x.dtype)
    w = weights.astype(x.dtype, copy=False)
    np.multiply(np.take(x, corners[:, 0], axis=0), w[:, :1], out=out)
    for k in range(1, 4):
        out += np.take(x, corners[:, k], axis=0) * w[:, k : k + 1]
    return out


def _chunks(n: int, size: int) -> list[slice]:
    return [slice(k, min(k + size, n)) for k in range(0, n, size)]


def _barycentric_frames(x: Array, tetrahedra: Array) -> tuple[Array, Array]:
    """Inverse edge matrices (t, 3, 3) and first corners (t, 3): inverse @ (p - corner) are the weights of corners 1 to 3."""
    corners = x[tetrahedra]
    edges = (corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1)
    return np.linalg.inv(edges), corners[:, 0]


def _weights(points: Array, tet: Array, inverse: Array, origin: Array) -> Array:
    """Barycentric weights (m, 4) of points (m, 3) in their tetrahedra (m,)."""
    rest = np.einsum("mij,mj->mi", inverse[tet], points - origin[tet])
    return np.column_stack([1 - rest.sum(1), rest])


def nearest_triangles(points: Array, x: Array, triangles: Array) -> tuple[Array, Array]:
    """Return the nearest triangle of each point (m,), and the nearest place on it [m], (m, 3).

    points: (m, 3). x: (n, 3). triangles: (t, 3), at least one. Of triangles at the same distance the first is taken. Points
    further away than a triangle is large are compared with the triangles around the nearest corner only.
    """
    corners = x[triangles]
    grid = BoxGrid(corners.min(1), corners.max(1))
    nearest = np.full(len(points), -1, dtype=np.int64)
    place = np.empty((len(points), 3))
    for radius in (grid.cell / 8, grid.cell):
        remaining = np.flatnonzero(nearest < 0)
        for rows in _chunks(len(remaining), CHUNK // 64):
            part = remaining[rows]
            row, tri = grid.near(points[part] - radius, points[part] + radius)
            # Every triangle within the radius is looked at, so a hit within the radius is the nearest of all.
            _take_nearest(part, row, tri, points, corners, radius, nearest, place)
    remaining = np.flatnonzero(nearest < 0)
    if len(remaining):
        used = np.unique(triangles)
        at = triangles.reshape(-1)
        order = np.argsort(at, kind="stable")
        start = np.searchsorted(at[order], used)
        count = np.diff(np.append(start, len(at)))
        centre = x[used].mean(0)
        ends = x[used] - centre
        for rows in _chunks(len(remaining), max(1, 20 * CHUNK // len(used))):
            part = remaining[rows]
            vertex = ((ends * ends).sum(1) - 2 * (points[part] - centre) @ ends.T).argmin(1)
            row, k = ranges(count[vertex])
            _take_nearest(part, row, order[start[vertex[row]] + k] // 3, points, corners, np.inf, nearest, place)
    return nearest, place


def _take_nearest(part, row, tri, points, corners, radius, nearest, place) -> None:
    """Write, for each of the points `part`, the nearest of its candidates (row, tri) that lies within the radius."""
    p = points[part][row]
    q = _closest_on_triangles(p, corners[tri])
    distance = np.linalg.norm(q - p, axis=1)
    order = np.lexsort((tri, distance, row))
    row, tri, q, distance = row[order], tri[order], q[order], distance[order]
    first = np.concatenate([[True], row[1:] != row[:-1]])[: len(row)] & (distance <= radius)
    nearest[part[row[first]]], place[part[row[first]]] = tri[first], q[first]


def _closest_on_triangles(p: Array, corners: Array) -> Array:
    """Closest place (m, 3) to points (m, 3) on triangles with corners (m, 3, 3): the foot on the plane, else on a side."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    ab, ac, ap = b - a, c - a, p - a
    d00, d01, d11 = (ab * ab).sum(1), (ab * ac).sum(1), (ac * ac).sum(1)
    d20, d21 = (ap * ab).sum(1), (ap * ac).sum(1)
    det = d00 * d11 - d01 * d01
    safe = np.where(det > 0, det, 1.0)
    v, w = (d11 * d20 - d01 * d21) / safe, (d00 * d21 - d01 * d20) / safe
    within = (det > 0) & (v >= 0) & (w >= 0) & (v + w <= 1)
    best = a + v[:, None] * ab + w[:, None] * ac
    best_distance = np.where(within, ((best - p) ** 2).sum(1), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        side = end - start
        length2 = (side * side).sum(1)
        t = ((p - start) * side).sum(1) / np.where(length2 > 0, length2, 1.0)
        q = start + np.clip(t, 0.0, 1.0)[:, None] * side
        distance = ((q - p) ** 2).sum(1)
        nearer = ~within & (distance < best_distance)
        best[nearer], best_distance[nearer] = q[nearer], distance[nearer]
    return best
