"""The surfaces that may touch: vertices, edges and triangles of all bodies and colliders, as one set of particles.

Bodies come first, in the order of the solver's arrays, then the vertices of all collider meshes, which are particles that
no force moves. So vertex against triangle and edge against edge are the same for any two of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...steering import EDGE_END, SHORTEST_EDGE_SHARE
from ...topology.edges import half_edges, pair_keys, pairs_of_keys, vertex_edges
from .collider_tables import ColliderTables

Array = np.ndarray


@dataclass
class BodySurface:
    """The surface of one body.

    triangles: (t, 3), rows of the body vertices; a segment of a rope is one whose last two corners are the same. first,
    stop: rows of the body. distance: kept from colliders [m], thickness: kept from bodies [m], friction: of all or of each
    row. itself: whether it may touch itself. loose: (k,) rows that are in no triangle and touch all the same. excluded:
    (k,) rows without any contact. layer: see `layers.py`; 0 for none. tied: (k,) rows that ties bind to another body.
    """

    name: str
    triangles: Array
    first: int
    stop: int
    distance: float | Array
    thickness: float | Array
    friction: float | Array
    itself: bool = True
    loose: Array | Sequence[int] = ()
    excluded: Array | Sequence[int] = ()
    layer: int = 0
    tied: Array | Sequence[int] = ()


class SurfaceTable(NamedTuple):
    """Arrays of `Surfaces` for kernels.

    n, bodies: body particles, and bodies; colliders follow them. neighbour_first, neighbours: the other ends of the edges
    at particle i are neighbours[neighbour_first[i] : neighbour_first[i + 1]].
    """

    n: int
    bodies: int
    owner: Array
    rules: Array
    distance: Array
    half: Array
    friction: Array
    rest: Array
    reach: Array
    features: Array
    sides: Array
    opposite: Array
    neighbour_first: Array
    neighbours: Array


class Surfaces:
    """Tables of the particles and of the elements of their surfaces.

    n, count: body particles, and all. names: of the objects, by number. triangles (t, 3), edges (e, 2), points (p, 1):
    elements that may touch, those of bodies first; body_triangles, body_edges, body_points: how many these are. rest:
    (count, 3) positions at rest [m].
    distance, half: kept from colliders, and half of the distance kept from bodies [m], of `dtype`, (count,); of a collider
    both are its thickness. friction: (count,). owner: body or collider of each particle, (count,). rules: whether two
    objects touch, (objects, objects) bool. layer: of each object, 0 for none, (objects,). lengths, reach: rest length of
    each edge, and of the longest one at each particle [m]. sides: the edge of each side of each triangle, side k from
    corner k to k + 1, (t, 3). opposite: the far corners of the one or two triangles at each edge, -1 where there is
    none, (e, 2). is_segment: triangles that stand for a segment of a rope, (t,) bool. at_vertex_first, at_vertex,
    neighbours: edges at each particle, and their other ends. features: (t, 7) bool, whether the triangle stands for its
    face, its three sides, its three corners: each side and corner is some one triangle's, so that no contact is found
    twice. active: whether a particle is a corner of an element that may touch, (count,) bool. bound, tie_distance: see
    `TieTable`. table: input of kernels.
    """

    def __init__(
        self,
        bodies: Sequence[BodySurface],
        n: int,
        rest: Array,
        collider: ColliderTables,
        dtype: np.dtype,
        rules: Array | None = None,
        ties: Array | None = None,
    ) -> None:
        """rest: of the bodies [m], (n, 3). rules: which bodies (rows) touch which objects (columns); None: all do. ties:
        distances of the ties between bodies [m], (bodies, bodies), negative where there is none; None: there are none."""
        self.n, self.count = n, n + collider.vertices
        parts = [_without_excluded(body) for body in bodies]
        none = np.zeros((0, 3), np.int64)
        self.body_triangles = sum(len(p) for p in parts)
        self.triangles = np.concatenate([none, *parts, collider.triangles.astype(np.int64) + n]).astype(np.int32)
        self.is_segment = self.triangles[:, 1] == self.triangles[:, 2]
        self.owner = np.full(self.count, -1, np.int32)
        self.distance, self.half, self.friction = np.zeros((3, self.count), dtype)
        for number, body in enumerate(bodies):
            rows = slice(body.first, body.stop)
            self.owner[rows] = number
            self.distance[rows], self.half[rows], self.friction[rows] = body.distance, 0.5 * body.thickness, body.friction
        self.owner[n + collider.triangles] = (len(bodies) + collider.shape)[:, None]
        self.distance[n:] = self.half[n:] = collider.vertex_reserve
        self.friction[n:] = collider.vertex_friction
        self.rules = np.ones((len(bodies) + len(collider.names),) * 2, bool)
        if rules is not None:
            mine = self.rules[: len(bodies)]
            mine[:] = rules[:, : len(self.rules)]
            self.rules[:, : len(bodies)] = mine.T
        self.names = [*(body.name for body in bodies), *collider.names]
        self.layer = np.array([body.layer for body in bodies] + [0] * len(collider.names), np.int64)
        self.bound, self.tie_distance = np.zeros(self.count, bool), np.full(self.rules.shape, -1, dtype)
        if ties is not None:
            self.tie_distance[: len(bodies), : len(bodies)] = ties
        for number, body in enumerate(bodies):
            self.rules[number, number] = body.itself
            self.bound[np.asarray(body.tied, np.int64)] = True
        self.rest = np.concatenate([rest, np.zeros((collider.vertices, 3))]).astype(dtype)
        self._edges()
        self.lengths = np.linalg.norm(self.rest[self.edges[:, 0]] - self.rest[self.edges[:, 1]], axis=1)
        self.reach = np.zeros(self.count, dtype)
        for k in range(2):
            np.maximum.at(self.reach, self.edges[:, k], self.lengths)
        self._points([np.asarray(body.loose, np.int64) for body in bodies])
        self._features()
        self.active = np.zeros(self.count, bool)
        self.active[self.points[:, 0]] = True
        self.table = SurfaceTable(
            n, len(bodies), self.owner, self.rules, self.distance, self.half, self.friction, self.rest, self.reach,
            self.features, self.sides, self.opposite, self.at_vertex_first, self.neighbours,
        )  # fmt: skip

    def cap_thickness(self) -> Array:
        """Lower `half` where edges of faces are short; return the particles where it did. Segments of a rope may be shorter
        than it is thick."""
        shortest = np.full(self.count, np.inf)
        of_faces = np.flatnonzero(self.opposite[: self.body_edges, 0] >= 0)
        for k in range(2):
            np.minimum.at(shortest, self.edges[of_faces, k], self.lengths[of_faces])
        most = (0.5 * SHORTEST_EDGE_SHARE * shortest).astype(self.half.dtype)
        capped = np.flatnonzero(self.half > most * (1 + EDGE_END))
        np.minimum(self.half, most, out=self.half)
        return capped

    def _edges(self) -> None:
        tail, head, far = half_edges(self.triangles)
        is_segment = np.repeat(self.is_segment, 3)
        keys = pair_keys(tail, head)
        keys[is_segment] = np.repeat(keys[is_segment][::3], 3)  # all sides of a segment are one edge
        unique = np.unique(keys)
        self.edges = pairs_of_keys(unique)
        of_half = np.searchsorted(unique, keys)
        self.sides = of_half.reshape(-1, 3).astype(np.int32)
        self.body_edges = int(np.count_nonzero(self.edges[:, 1] < self.n))
        self.opposite = np.full((len(unique), 2), -1, np.int32)
        order = np.argsort(of_half, kind="stable")
        order = order[~is_segment[order]]
        rank = np.arange(len(order)) - np.searchsorted(of_half[order], of_half[order])
        for k in range(2):
            mine = order[rank == k]
            self.opposite[of_half[mine], k] = far[mine]
        self.at_vertex_first, self.at_vertex = vertex_edges(self.edges, self.count)
        ends = self.edges[self.at_vertex].sum(1)
        self.neighbours = (ends - np.repeat(np.arange(self.count), np.diff(self.at_vertex_first))).astype(np.int32)

    def _points(self, loose: list[Array]) -> None:
        used = np.unique(np.concatenate([self.triangles.ravel(), *loose])).astype(np.int32)
        self.body_points = int(np.count_nonzero(used < self.n))
        self.points = used[:, None]

    def _features(self) -> None:
        self.features = np.zeros((len(self.triangles), 7), bool)
        self.features[:, 0] = ~self.is_segment
        for first, values in ((1, self.sides), (4, self.triangles)):
            _, owning = np.unique(values, return_index=True)
            flags = np.zeros(values.size, bool)
            flags[owning] = True
            self.features[:, first : first + 3] = flags.reshape(-1, 3)


def _without_excluded(body: BodySurface) -> Array:
    triangles = np.asarray(body.triangles, np.int64).reshape(-1, 3)
    if not len(body.excluded):
        return triangles
    gone = np.zeros(body.stop, bool)
    gone[np.asarray(body.excluded, np.int64)] = True
    return triangles[~gone[triangles].any(1)]
