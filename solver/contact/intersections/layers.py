"""Garments worn over one another: the untangling direction where they start through each other."""

from __future__ import annotations

import numpy as np

from ..surfaces.surfaces import Surfaces

Array = np.ndarray


def outwards(surfaces: Surfaces, intersections: Array, x: Array, direction: Array) -> Array:
    """Untangling directions, for the edge's side of each intersection, with those between two layers turned outwards.

    The higher layer goes where the faces of the lower one look to, the lower one back.
    intersections: edges and triangles that pass through each other, (k, 2). x: (count, 4) [m]. direction:
    (k, 3), of any length.
    """
    s, (edge, triangle) = surfaces, intersections.T
    one, other = s.layer[s.owner[s.edges[edge, 0]]], s.layer[s.owner[s.triangles[triangle, 0]]]
    ordered = (one > 0) & (other > 0) & (one != other)
    if not ordered.any():
        return direction
    turned = direction.copy()
    over = ordered & (one > other)  # the triangle is of the lower layer
    turned[over] = _normals(x, s.triangles[triangle[over]])
    under = ordered & (one < other)
    if under.any():
        turned[under] = -_edge_normals(s, x, edge[under])
    return turned


def _edge_normals(s: Surfaces, x: Array, edges: Array) -> Array:
    """Unit normals at edges: the mean of their triangles', (k, 3)."""
    number = np.full(len(s.edges), -1, "int64")
    number[edges] = 0
    there = np.flatnonzero(number[s.sides] == 0)
    triangle, side = there // 3, there % 3
    total = np.zeros((len(s.edges), 3), "float64")
    np.add.at(total, s.sides[triangle, side], _normals(x, s.triangles[triangle]))
    edge_normals = total[edges]
    return edge_normals / np.maximum(np.linalg.norm(edge_normals, axis=-1, keepdims=True), 1e-30)


def _normals(x: Array, triangles: Array) -> Array:
    a, b, c = (x[triangles[:, k], :3].astype("float64", copy=False) for k in range(3))
    n = np.cross(b - a, c - a)
    return n / np.maximum(np.linalg.norm(n, axis=-1, keepdims=True), 1e-30)
