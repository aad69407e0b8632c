"""Intersection contours: which of the edges that pass through triangles belong together, and on which side each is."""

from __future__ import annotations

import numpy as np

from ...device.cpu import kernel
from ...topology.edges import pair_keys
from ..surfaces.surfaces import Surfaces

Array = np.ndarray


def contours(surfaces: Surfaces, intersections: Array) -> tuple[Array, Array]:
    """Intersections that share a pair of crossing triangles follow each other along a contour.

    intersections: (k, 2) edge and triangle. Returns the number of each one's contour, (k,), and its side, +1 or -1,
    (k,): which of the two surfaces the edge belongs to.
    """
    s, (edge, triangle) = surfaces, intersections.T
    around = _triangles_of_edges(s)[edge]
    there = np.flatnonzero(around >= 0)
    item, column = there // 2, there % 2
    keys = pair_keys(around[item, column], triangle[item])
    order = np.lexsort((item, keys))
    contour, side = np.zeros(len(edge), "int64"), np.full(len(edge), 1.0, "float64")
    _join(keys[order], item[order], around[item[order], column[order]], contour, side)
    return np.searchsorted(np.unique(contour), contour), side


def _triangles_of_edges(s: Surfaces) -> Array:
    """The one or two triangles at each edge, -1 for none, (e, 2)."""
    around = np.full((len(s.edges), 2), -1, "int64")
    order = np.argsort(s.sides.ravel(), kind="stable")
    edge = s.sides.ravel()[order]
    rank = np.arange(len(order), dtype="int64") - np.searchsorted(edge, edge)
    for k in range(2):
        around[edge[rank == k], k] = order[rank == k] // 3
    return around


@kernel
def _join(keys, item, near, contour, side):
    """Join intersections with equal keys. near: triangle at the edge. Two are of one side if theirs is the same.

    Written: contour, a number for each; side, +1 or -1 against the first one of its contour, both (k,).
    """
    parent, parity = np.arange(len(contour)), np.ones(len(contour))
    for q in range(1, len(keys)):
        if keys[q] != keys[q - 1]:
            continue
        i, j = item[q - 1], item[q]
        same = 1.0 if near[q] == near[q - 1] else -1.0
        a, b = i, j
        while parent[a] != a:
            same *= parity[a]
            a = parent[a]
        while parent[b] != b:
            same *= parity[b]
            b = parent[b]
        if a != b:
            low, high = min(a, b), max(a, b)
            parent[high], parity[high] = low, same
    for i in range(len(contour)):
        a, sign = i, 1.0
        while parent[a] != a:
            sign *= parity[a]
            a = parent[a]
        contour[i], side[i] = a, sign
