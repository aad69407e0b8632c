"""Pairs at a tie, which contact leaves alone: a tie closes the gap that contact would keep.

Elements with a tied corner leave those of the other body alone that start nearer than the tie's distance and the distance
that the two keep; all else they touch. What contact leaves alone may pass through each other, and is not taken apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.uncounted import inline, uncounted_kernel
from ..surfaces.surfaces import Array, Surfaces, SurfaceTable
from .thickness import pair_distance, pair_thickness


class TieTable(NamedTuple):
    """bound: particles that ties hold to another body, (count,) bool. distance: of the tie between two objects [m], negative
    where there is none, (objects, objects). start: positions that the objects begin with [m], (count, 3)."""

    bound: Array
    distance: Array
    start: Array


@inline
def is_tied(i, j, k, m, vertex, surfaces, ties, thick, one):
    """Return whether a pair is left alone. i is a point and j k m a triangle, else i j and k m are edges. thick: distance it
    keeps [m]."""
    reach = ties.distance[surfaces.owner[i], surfaces.owner[j if vertex else k]]
    if reach < 0 or not (ties.bound[i] or ties.bound[j] or ties.bound[k] or ties.bound[m]):
        return False
    return pair_distance(ties.start, i, j, k, m, vertex, one) <= reach + thick


@inline
def _is_left_alone(i, j, k, m, vertex, surfaces, ties):
    """As `is_tied`."""
    one = ties.start.dtype.type(1)
    thick = pair_thickness(i, j, k, m, vertex, surfaces, ties.start, one)
    return is_tied(i, j, k, m, vertex, surfaces, ties, thick, one)


@uncounted_kernel
def find_guarded(corners, surfaces, ties, guarded):
    """Test whether contact keeps edges and triangles apart: none of the pairs of their parts is left alone.

    corners: ends of the edge, then those of the triangle, (k, 5). Written: guarded (k,) bool.
    """
    for p in range(len(corners)):
        a, b, i, j, k = corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3], corners[p, 4]
        alone = _is_left_alone(a, i, j, k, True, surfaces, ties) or _is_left_alone(b, i, j, k, True, surfaces, ties)
        alone = alone or _is_left_alone(a, b, i, j, False, surfaces, ties)
        alone = alone or _is_left_alone(a, b, j, k, False, surfaces, ties)
        guarded[p] = not (alone or _is_left_alone(a, b, k, i, False, surfaces, ties))


def without_tied(pairs: Array, surfaces: Surfaces, ties: TieTable) -> Array:
    """Return those of the edges that pass through triangles which no tie excuses. pairs: numbers of both, (k, 2)."""
    if not len(pairs) or not ties.bound.any():
        return pairs
    table: SurfaceTable = surfaces.table
    corners = np.concatenate([surfaces.edges[pairs[:, 0]], surfaces.triangles[pairs[:, 1]]], axis=1)
    guarded = np.zeros(len(pairs), bool)
    find_guarded(corners, table, ties, guarded)
    return pairs[guarded]
