"""Faces of tetrahedra: which are shared, and which bound the body."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

#: Corners of the face opposite corner k, turned so that they run counter-clockwise seen from outside.
OPPOSITE = np.array([(1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)])


def _sorted_faces(tetrahedra: Array) -> tuple[Array, Array]:
    """Order of the 4 t faces (face k of tetrahedron i at 4 i + k) that puts equal ones together; which equal the next."""
    key = np.sort(tetrahedra[:, OPPOSITE].reshape(-1, 3), axis=1)
    order = np.lexsort((key[:, 2], key[:, 1], key[:, 0]))
    key = key[order]
    return order, (key[1:] == key[:-1]).all(1)


def face_links(tetrahedra: Array) -> Array:
    """Pairs of tetrahedra (m, 2) that share a face, for tetrahedra (t, 4)."""
    order, same = _sorted_faces(tetrahedra)
    pair = np.flatnonzero(same)
    return np.stack([order[pair] // 4, order[pair + 1] // 4], axis=1)


def boundary_faces(tetrahedra: Array) -> tuple[Array, Array]:
    """Faces of only one tetrahedron (b, 3), counter-clockwise from outside, and the tetrahedron of each (b,)."""
    order, same = _sorted_faces(tetrahedra)
    alone = ~(np.concatenate([[False], same]) | np.concatenate([same, [False]]))
    face = np.sort(order[alone])
    return tetrahedra[:, OPPOSITE].reshape(-1, 3)[face], face // 4
