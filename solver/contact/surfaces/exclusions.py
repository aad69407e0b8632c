"""Pairs that contact leaves alone for a substep: sides of one intersection contour, and what is inside a collider."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.inner import inner


class Exclusions(NamedTuple):
    """any: whether there are any of these. inside: of each body vertex, collider + 1 that it is in, else 0 or less, (n,)
    int32. tangled: bits of the contours that a particle is on the first and on the second side of, (count, 2) uint64.
    """

    any: bool
    inside: np.ndarray
    tangled: np.ndarray


@inner
def is_excluded(i, j, k, m, vertex, surfaces, exclusions):
    """Is a pair left alone: on the two sides of one contour, or one inside the collider that the other belongs to?

    vertex: i is a point and j k m a triangle; else i j and k m are edges. surfaces: `SurfaceTable`.
    """
    n, owner, bodies = surfaces.n, surfaces.owner, surfaces.bodies
    inside, tangled = exclusions.inside, exclusions.tangled
    one, other = tangled[i, 0], tangled[i, 1]
    first, second = tangled[k, 0] | tangled[m, 0], tangled[k, 1] | tangled[m, 1]
    if vertex:
        first, second = first | tangled[j, 0], second | tangled[j, 1]
        split = j
    else:
        one, other = one | tangled[j, 0], other | tangled[j, 1]
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
