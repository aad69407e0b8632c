"""Garments worn over one another: the untangling direction where they start through each other."""

from __future__ import annotations

import numpy as np

from ...device import arrays
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
    if not arrays.any(ordered):
        return direction
    turned = arrays.copy(direction)
    over = ordered & (one > other)  # the triangle is of the lower layer
    turned[over] = _normals(x, s.triangles[triangle[over]])
    under = ordered & (one < other)
    if arrays.any(under):
        turned[under] = -_edge_normals(s, x, edge[under])
    return turned


def _edge_normals(s: Surfaces, x: Array, edges: Array) -> Array:
    """Unit normals at edges: the mean of their triangles', (k, 3)."""
    number = arrays.full(len(s.edges), -1, "int64", edges)
    number[edges] = 0
    there = arrays.indices_where(number[s.sides] == 0)
    triangle, side = there // 3, there % 3
    total = arrays.zeros((len(s.edges), 3), "float64", x)
    arrays.add_at(total, s.sides[triangle, side], _normals(x, s.triangles[triangle]))
    found = total[edges]
    return found / arrays.maximum(arrays.lengths(found, keep=True), 1e-30)


def _normals(x: Array, triangles: Array) -> Array:
    a, b, c = (arrays.as_type(x[triangles[:, k], :3], "float64") for k in range(3))
    n = arrays.cross(b - a, c - a)
    return n / arrays.maximum(arrays.lengths(n, keep=True), 1e-30)
