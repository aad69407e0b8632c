"""Forces of contacts between host and device: by the key of a pair there, in the rows of both of its elements here."""

from __future__ import annotations

import numpy as np

from .pair_selection import FORCE
from .surface_arrays import EDGE, POINT, TRIANGLE, SurfaceArrays

#: Bits of the second number of a key (`contact/constraints/pairs.py`, `fill`); the bit that says that it is of edges.
SHIFT, OF_EDGES = 31, 62


def forces_by_key(
    surfaces: SurfaceArrays, first: np.ndarray, partners: np.ndarray, forces: np.ndarray, missing: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return keys of pairs, ascending, (k,), their forces (k, 4) [N], and the largest shortfall of distance [m].

    first: rows of the contacts of each element, (e + 1,). partners: (c,). forces: see `pair_selection.FORCE`, (4, c).
    missing: shortfall of each contact [m], (c,).
    """
    owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
    pushing = forces[FORCE.normal] > 0
    owner, partner, forces = owner[pushing], partners[pushing], forces[:, pushing]
    kind, ids = surfaces.kind[owner], surfaces.ids.astype(np.int64)
    turned = (kind == TRIANGLE) | ((kind == EDGE) & (partner < owner))
    one, other = ids[np.where(turned, partner, owner)], ids[np.where(turned, owner, partner)]
    keys, rows = np.unique(((kind == EDGE).astype(np.int64) << OF_EDGES) | (one << SHIFT) | other, return_index=True)
    return keys, np.ascontiguousarray(forces[:, rows].T), float(missing[pushing].max(initial=0.0))


def rows_of_forces(
    surfaces: SurfaceArrays, keys: np.ndarray, forces: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows of each element, (e + 1,), their partners (c,), and forces (c, 4) [N]: the inverse of `forces_by_key`.

    The tangential force on the first of two edges changes sign if the host stores the edges in the other order.
    """
    of_edges, low, high = keys >> OF_EDGES, (keys >> SHIFT) & ((1 << SHIFT) - 1), keys & ((1 << SHIFT) - 1)
    place = [np.full(surfaces.ids[surfaces.kind == kind].max(initial=0) + 1, -1) for kind in (POINT, TRIANGLE, EDGE)]
    for kind, row_of_id in enumerate(place):
        mine = np.flatnonzero((surfaces.kind == kind) & (surfaces.ids >= 0))
        row_of_id[surfaces.ids[mine]] = mine
    points, triangles, edges = place
    vertex, edge = of_edges == 0, of_edges != 0
    one, other = np.zeros(len(keys), int), np.zeros(len(keys), int)
    one[vertex], other[vertex] = points[low[vertex]], triangles[high[vertex]]
    one[edge], other[edge] = edges[low[edge]], edges[high[edge]]
    signs = np.where((edge & (other < one))[:, None], [1.0, -1.0, -1.0, -1.0], 1.0)
    forces = signs * forces
    owner, partner, both = np.concatenate([one, other]), np.concatenate([other, one]), np.concatenate([forces, forces])
    order = np.argsort(owner, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(surfaces.ids)))])
    return first.astype(np.int32), partner[order].astype(np.int32), both[order].astype(np.float32)
