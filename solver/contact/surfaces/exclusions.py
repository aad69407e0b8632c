"""Pairs that contact leaves alone for a substep: sides of one intersection contour, and vertices inside a collider."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.uncounted import inline


class Exclusions(NamedTuple):
    """any: whether there are any of these. enclosing: of each body vertex, collider + 1 that it is in, else 0 or less, (n,)
    int32. contour_sides: bits of the contours that a particle is on the first and on the second side of, (count, 2) uint64.
    """

    any: bool
    enclosing: np.ndarray
    contour_sides: np.ndarray


@inline
def is_excluded(i, j, k, m, vertex, surfaces, exclusions):
    """Return whether a pair is left alone: on two sides of one contour, or one inside the collider of the other.

    vertex: i is a point and j k m a triangle; else i j and k m are edges. surfaces: `SurfaceTable`.
    """
    n, owner, bodies = surfaces.n, surfaces.owner, surfaces.bodies
    inside, sides = exclusions.enclosing, exclusions.contour_sides
    one, other = sides[i, 0], sides[i, 1]
    first, second = sides[k, 0] | sides[m, 0], sides[k, 1] | sides[m, 1]
    if vertex:
        first, second = first | sides[j, 0], second | sides[j, 1]
        split = j
    else:
        one, other = one | sides[j, 0], other | sides[j, 1]
        split = k
    if (one & second) | (other & first):
        return True
    if i >= n:
        s = owner[i] - bodies + 1
        return inside[j] == s or inside[k] == s or inside[m] == s
    if split >= n:
        s = owner[split] - bodies + 1
        return inside[i] == s or (not vertex and inside[j] == s)
    return False
