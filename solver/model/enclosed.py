"""Volume enclosed by a cloth, with holes closed, and the force of a pressure on its faces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..topology.components import label_components
from ..topology.edges import half_edges, pair_keys

Array = np.ndarray


class Faces(NamedTuple):
    """Surface of one cloth: faces (f, 3); rims: edges of one face alone, (r, 2), which a fan joins to the mean of their
    hole, number hole (r,); first, loop: vertices of each hole, (holes + 1,) and (k,)."""

    faces: Array
    rims: Array
    hole: Array
    first: Array
    loop: Array


class Enclosed:
    """Volume within the faces of one cloth whose corners all have a weight.

    Positions are of the cloth's vertices [m], (n, 3) float64; the weights of these, (n,), are of every call, and select the
    faces once, at the start.
    """

    def __init__(self, triangles: Array, weights: Array) -> None:
        """triangles: (t, 3). weights: 0 to 1, (n,)."""
        self._n = len(weights)
        self._faces = triangles[(weights[triangles] > 0).all(1)].astype(np.int64)
        self._rims, self._loop_of, self._loop, self._share = _loops(self._faces, self._n)

    @property
    def tables(self) -> Faces:
        """The faces and holes of the volume."""
        order = np.argsort(self._loop_of, kind="stable")
        first = np.concatenate([[0], np.cumsum(self._share)]).astype(np.int32)
        hole = self._rim_loop if len(self._rims) else np.zeros(0, np.int64)
        return Faces(self._faces, self._rims, hole, first, self._loop[order])

    def volume(self, x: Array) -> float:
        """[m^3]; each hole is closed by a fan to the mean of its corners."""
        return float(self.volumes(x, np.zeros_like(x))[0])

    def volumes(self, x: Array, displacement: Array) -> Array:
        """Return the coefficients (4,) of the volume [m^3] at x + s d, a polynomial of s, lowest first. displacement: d,
        (n, 3)."""
        centre = x[self._faces].mean((0, 1)) if len(self._faces) else 0.0
        a, b, c = self._corners(x - centre)
        p, q, r = self._corners(displacement)
        return np.array(
            [
                _determinants(a, b, c),
                _determinants(p, b, c) + _determinants(a, q, c) + _determinants(a, b, r),
                _determinants(p, q, c) + _determinants(p, b, r) + _determinants(a, q, r),
                _determinants(p, q, r),
            ]
        ) / 6.0  # fmt: skip

    def push(self, x: Array, pressure: Array) -> Array:
        """Force on each vertex [N], (n, 3), of a pressure that is linear on each face. pressure: at vertices [Pa], (n,)."""
        f = self._faces
        normal = np.cross(x[f[:, 1]] - x[f[:, 0]], x[f[:, 2]] - x[f[:, 0]])
        at = pressure[f]
        share = (at + at.sum(1, keepdims=True)) / 24.0
        corners = f.ravel()
        return np.stack([np.bincount(corners, (share * normal[:, k, None]).ravel(), self._n) for k in range(3)], 1)

    def _corners(self, x: Array) -> tuple[Array, Array, Array]:
        """Return the corners of the faces and of the fans, (k, 3) each."""
        f, rims = self._faces, self._rims
        if not len(rims):
            return x[f[:, 0]], x[f[:, 1]], x[f[:, 2]]
        means = np.zeros((len(self._share), 3))
        np.add.at(means, self._loop_of, x[self._loop])
        means /= self._share[:, None]
        of_rim = means[self._rim_loop]
        both = (np.concatenate([x[f[:, k]], fan]) for k, fan in enumerate((x[rims[:, 1]], x[rims[:, 0]], of_rim)))
        a, b, c = both
        return a, b, c

    @property
    def _rim_loop(self) -> Array:
        """The hole of each rim edge."""
        place = np.zeros(self._n, np.int64)
        place[self._loop] = self._loop_of
        return place[self._rims[:, 0]]


def _loops(faces: Array, n: int) -> tuple[Array, Array, Array, Array]:
    """Edges of one face alone, as that runs along them, (k, 2); the hole of each vertex there, that vertex, and how many
    each hole has."""
    tail, head, _ = half_edges(faces)
    keys = pair_keys(tail, head)
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    rim = count[place] == 1
    edges = np.stack([tail[rim], head[rim]], 1).astype(np.int64)
    vertices = np.unique(edges)
    label = label_components(edges, n)[vertices]
    _, hole = np.unique(label, return_inverse=True)
    return edges, hole, vertices, np.bincount(hole) if len(hole) else np.zeros(0)


def _determinants(a: Array, b: Array, c: Array) -> float:
    """Return the sum of the determinants of the rows."""
    return float((a * np.cross(b, c)).sum())
