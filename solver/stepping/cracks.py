"""Paths of cracks, from the most overloaded edge of each overloaded part along a sheet's edges.

A crack begins where the mean tension over a length l = 2 E G / (pi s^2), the reach, equals the strength s, with Young's
modulus E and the fracture energy G. At the end of a tear, the tension grows without bound under refinement; its mean over l
does not. For an edge longer than l at the end of a tear, its own tension gives the mean over l.
Source: Taylor 2007, "The Theory of Critical Distances", line method; with Irwin's field K sqrt(2 / (pi r)) and K^2 = E G.
"""

from __future__ import annotations

import numpy as np

from ..model.tearing_edges import TearingEdges
from ..topology.components import label_components
from ..topology.edges import vertex_edges

Array = np.ndarray

#: Least cosine between an edge of a crack and the next one.
TURN = -0.2


class Cracks:
    """One set of cracks. broken: numbers of the broken edges, in order."""

    def __init__(
        self, edges: TearingEdges, ends: Array, whole: Array, ratio: Array, reach: Array, rim: Array, x: Array
    ) -> None:
        """ends: vertices of each edge, (e, 2). whole: edges that are not broken, (e,) bool. ratio: tension over strength
        (e,). reach: [m], (e,). rim: vertices where a crack ends, (n,) bool. x: (n, 3) [m]."""
        self._ends, self._free, self._ratio, self._length, self._rim, self._x = (
            ends,
            whole.copy(),
            ratio,
            edges.length,
            rim,
            x,
        )
        self._faces = edges.faces
        self._joints = edges.held + np.bincount(edges.faces[whole].ravel(), minlength=len(edges.held))
        self.broken: list[int] = []
        over = np.flatnonzero(whole & (ratio >= 1))
        if not len(over):
            return
        self._first, self._at = vertex_edges(ends, len(rim))
        is_at = np.zeros(len(rim), bool)
        is_at[ends[over]] = True
        part = label_components(ends[whole & is_at[ends].all(1)], len(rim))[ends[over, 0]]
        for number in np.unique(part):
            mine = self._breakable(over[part == number])
            if len(mine):
                seed = int(mine[np.argmax(ratio[mine])])
                self.broken += self._crack(seed, float(reach[seed]))

    def _crack(self, seed: int, reach: float) -> list[int]:
        """Return the edges of a crack; none if the mean tension over its first length is too small."""
        path: list[int] = []
        self._add(seed, path)
        open_ends = [(int(self._ends[seed, k]), int(self._ends[seed, 1 - k])) for k in range(2)]
        length = float(self._length[seed])
        load = length * float(self._ratio[seed])
        while True:
            steps = [self._next(*end) for end in open_ends]
            side = int(np.argmax([-1.0 if edge < 0 else self._ratio[edge] for edge in steps]))
            edge = steps[side]
            if length >= reach and load < length:
                break
            if edge < 0 or (length >= reach and self._ratio[edge] < 1):
                break
            at = open_ends[side][0]
            open_ends[side] = int(self._ends[edge].sum()) - at, at
            self._add(edge, path)
            more = float(self._length[edge])
            if length < reach:
                more = min(more, reach - length)
            length, load = length + more, load + more * float(self._ratio[edge])
        if load >= length:
            return path
        self._free[path] = True
        np.add.at(self._joints, self._faces[path], 1)
        return []

    def _add(self, edge: int, path: list[int]) -> None:
        path.append(edge)
        self._free[edge] = False
        self._joints[self._faces[edge]] -= 1

    def _breakable(self, edges: Array) -> Array:
        """Return the intact edges that are no face's last one: a single face would be a sliver of the mesh."""
        return edges[self._free[edges] & (self._joints[self._faces[edges]] > 1).all(1)]

    def _next(self, at: int, before: int) -> int:
        """Return the next edge of a crack from one vertex to another, -1 for none."""
        if self._rim[at]:
            return -1
        edges = self._at[self._first[at] : self._first[at + 1]]
        edges = self._breakable(edges)
        if not len(edges):
            return -1
        along, going = self._x[at] - self._x[before], self._x[self._ends[edges].sum(1) - at] - self._x[at]
        size = np.linalg.norm(along) * np.linalg.norm(going, axis=1)
        edges = edges[going @ along >= TURN * size]
        return int(edges[np.argmax(self._ratio[edges])]) if len(edges) else -1
