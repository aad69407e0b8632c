"""Side of each closed part of a collider on which a body belongs, by its start.

A closed part divides space in two. Penetrating vertices are moved to its `outward` side, unless the body starts entirely on
the other one: then the collider is a container, and escaped vertices are moved back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...device.row_kernels import row_kernel
from ...device.threads import run
from ..broad_phase.nearest_surface import nearest_surface
from ..broad_phase.tree import STACK, Tree
from ..narrow_phase.distance import row
from ..surfaces.collider_tables import ColliderTables
from ..surfaces.surfaces import Surfaces
from .tables import Array, ColliderTable, PoseTable


@dataclass(frozen=True)
class InsideStart:
    """A body of which something starts inside closed parts of a collider. body, collider: numbers. inside: its vertices that
    do, beyond the distance kept, of all that decide, count. wholly: whether no other is outside one of these parts. stays:
    whether it belongs inside. coupled: whether rigid bodies or tetrahedra move these vertices: penetration recovery does
    not. chosen: whether the collider's side is no default."""

    body: int
    collider: int
    inside: int
    count: int
    wholly: bool
    stays: bool
    coupled: bool
    chosen: bool


class Sides:
    """signs: of each body and closed part, +1 where the body belongs on the part's `outward` side, else -1; the last column
    is of open triangles, (bodies, parts + 1). contained: whether a body belongs inside a collider, (bodies, colliders) bool.
    starts: bodies and vertices that start inside."""

    def __init__(
        self,
        surfaces: Surfaces,
        collider: ColliderTables,
        tree: Tree,
        start: Array,
        pose: Array,
        fixed: Array,
        coupled: Array,
    ) -> None:
        """Decide by the vertices that may touch and can be moved; those within the distance kept are on no side.

        tree: of the colliders' triangles. start: (n, 3), pose: of the colliders' vertices (m, 3) [m]. fixed: vertices that
        no force moves by themselves, coupled: see `InsideStart`, (n,) bool.
        """
        s, dtype = surfaces, collider.reserve.dtype
        self.bodies = len(s.rules) - len(collider.names)
        self.signs = np.ones((self.bodies, len(collider.solid) + 1), dtype)
        self.contained = np.zeros((self.bodies, len(collider.names)), bool)
        self.starts: list[InsideStart] = []
        parts = _ClosedParts(collider, tree, pose.astype(dtype))
        for body in range(self.bodies if len(collider.solid) else 0):
            rows = np.flatnonzero(s.active[: s.n] & (s.owner[: s.n] == body) & (coupled | ~fixed))
            if len(rows):
                touched = s.rules[body, self.bodies :]
                self._decide(body, parts, touched, start[rows].astype(dtype), s.distance[rows], bool(coupled[rows].any()))

    def _decide(
        self, body: int, parts: _ClosedParts, touched: Array, x: Array, kept_distances: Array, coupled: bool
    ) -> None:
        """Decide for one body. touched: by it, (colliders,) bool. x (k, 3): its vertices [m], which keep these distances
        (k,)."""
        c = parts.collider
        side_of_part: dict[int, tuple[int, bool]] = {}
        for part in parts.around(x, touched):
            shape, side = int(parts.shape[part]), c.side[parts.shape[part]]
            inside, outside = parts.count(int(part), x, kept_distances)
            wholly = inside > 0 and not outside
            if (wholly and side != "outside") or (side == "inside" and (inside > 0 or not outside)):
                self.signs[body, part], self.contained[body, shape] = -1, True
            if inside:
                before = side_of_part.get(shape, (0, False))
                side_of_part[shape] = before[0] + inside, before[1] or wholly
        for shape, (inside, wholly) in side_of_part.items():
            stays = bool(self.contained[body, shape])
            self.starts.append(
                InsideStart(body, shape, inside, len(x), wholly, stays, coupled, c.side[shape] != "automatic")
            )
        for part in np.flatnonzero(self.contained[body, parts.shape] & ~c.solid):
            inside, outside = parts.count(int(part), x, kept_distances)
            self.signs[body, part] = -1 if inside and not outside else 1


class _ClosedParts:
    """The closed parts of all colliders. shape: collider, reserve: thickness of each [m], (parts,). low, high: boxes."""

    def __init__(self, collider: ColliderTables, tree: Tree, pose: Array) -> None:
        self.collider, self._tree, self._pose, self._fitted = collider, tree, pose, False
        parts, first = np.unique(collider.part, return_index=True)
        first = first[parts < len(collider.solid)]
        self.shape, self.reserve = collider.shape[first], collider.reserve[first]
        self.low, self.high = np.full((2, len(first), 3), np.inf, pose.dtype) * np.array([1, -1], pose.dtype)[:, None, None]
        part_of_triangle = collider.part[collider.closed]
        for k in range(3):
            corners = pose[collider.triangles[collider.closed, k]]
            np.minimum.at(self.low, part_of_triangle, corners)
            np.maximum.at(self.high, part_of_triangle, corners)

    def around(self, x: Array, touched: Array) -> Array:
        """Return the solid parts of touched colliders whose boxes meet that of the vertices: of others these are outside."""
        apart = (self.low > x.max(0)).any(1) | (self.high < x.min(0)).any(1)
        return np.flatnonzero(~apart & self.collider.solid & touched[self.shape])

    def count(self, part: int, x: Array, kept_distances: Array) -> tuple[int, int]:
        """Count vertices behind a part's `outward` side, and in front of it, further away than the kept distance [m]."""
        least = (kept_distances + self.reserve[part])[:, None]
        near = ((x >= self.low[part] - least) & (x <= self.high[part] + least)).all(1)
        side = np.full(len(x), 1 if self.collider.solid[part] else -1, "int8")
        near_sides = side[near]
        if len(near_sides):
            if not self._fitted:
                self._tree.fit(self._pose, self._pose, np.zeros(len(self._pose), bool))
                self._fitted = True
            t = self._tree.table
            poses = PoseTable(self._pose, self._pose, t.order, t.leaves, t.nodes)
            run(find_sides, len(near_sides), x[near], least[near, 0], part, collider_table(self.collider), poses, near_sides)
            side[near] = near_sides
        return int((side < 0).sum()), int((side > 0).sum())


def collider_table(c: ColliderTables) -> ColliderTable:
    """The triangles of all colliders, for kernels."""
    return ColliderTable(c.triangles, c.shape, c.part, c.outward, c.front, c.reserve, c.friction)


@row_kernel
def find_sides(begin, finish, points, kept_distances, part, colliders, poses, side):
    """Find the side of a closed part that the points begin..finish are on: +1 where `outward` is, -1 behind, 0 within
    `kept_distances` of it.

    points: (k, 3), kept_distances: (k,) [m]. Written: side (k,).
    """
    A, _, order, leaves, nodes = poses
    stack = np.empty(STACK, np.int32)
    for i in range(begin, finish):
        _, distance, direction = nearest_surface(
            row(points, i), part, colliders.part, colliders.outward, colliders.triangles, A, order, leaves, nodes, stack
        )
        side[i] = 0 if distance <= kept_distances[i] else (1 if direction > 0 else -1)
