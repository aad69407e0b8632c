"""Penetration recovery: vertices inside a collider, or behind a one-sided one, and the contacts that lead them out.

Of a body that belongs inside (see `sides`) the outer part is led back in. An open surface has no inside. Behind a one-sided
one are corners of crossing elements, and neighbours of these behind it, up to its depth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...device.row_kernels import row_kernel
from ...device.threads import run
from ...mathlib.vec3 import dot, scale, sub
from ..broad_phase.nearest_surface import nearest_surface
from ..broad_phase.tree import STACK, Tree
from ..narrow_phase.distance import blend, closest_on_triangle, row, triangle_normal
from ..surfaces.collider_tables import ColliderTables
from ..surfaces.surfaces import Surfaces
from .half_spaces import fill_slot
from .law import friction_between, target_distance
from .sides import Sides, collider_table
from .tables import Array, PoseTable, SlotTable, VertexTable

#: States of a vertex beside 0, outside, and k + 1, inside collider k.
UNKNOWN, CROSSING = -1, -2


class InteriorTable(NamedTuple):
    """Colliders that have an inside. shapes: their numbers. depths: depth behind the surface up to which a one-sided one
    acts [m], 0 for a closed one, (s,). rules: bodies that touch them, contained: bodies that belong inside, (bodies, s)
    bool. signs:
    see `Sides`. boxes: bounds at the start [m], (s, 6).
    """

    shapes: Array
    depths: Array
    rules: Array
    contained: Array
    signs: Array
    boxes: Array


class PenetrationRecovery:
    """enclosing: of each body vertex, (n,) int32: the collider whose wrong side it is on, number + 1, 0 for none, or
    `UNKNOWN`, `CROSSING`. No rows where no collider has an inside. Such vertices are found in the first substep, and where
    something passes through a collider, and remembered until they are back. sides: on which each body belongs.
    """

    def __init__(
        self, surfaces: Surfaces, collider: ColliderTables, start: Array, pose: Array, fixed: Array, coupled: Array
    ) -> None:
        """start, pose: of the bodies' (n, 3), of the colliders' vertices (m, 3) in the beginning [m]. fixed, coupled: see
        `Sides`."""
        n, c = surfaces.n, collider
        self._collider = c
        self._tree = Tree(c.triangles, np.zeros(len(pose), "int32"), pose, c.reserve.dtype)
        self._table = collider_table(c)
        self._surfaces, self.bodies = surfaces, len(surfaces.rules) - len(c.names)
        self.sides = Sides(surfaces, c, self._tree, start, pose, fixed, coupled)
        self._rules = surfaces.rules[: self.bodies, self.bodies + c.sided].copy()
        self._contained = self.sides.contained[:, c.sided].copy()
        self.enclosing = np.full(n if len(c.sided) else 0, UNKNOWN, "int32")

    def state(self) -> dict[str, Array]:
        """Return the state for the next substep, by name; a checkpoint keeps these arrays."""
        return {"enclosing": self.enclosing}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over a `state`."""
        self.enclosing[...] = state["enclosing"]

    def by_vertex(self, n: int) -> Array:
        """The state of each of n vertices, (n,) int32: also where no collider has an inside."""
        return self.enclosing if len(self.enclosing) else np.zeros(n, "int32")

    @property
    def active(self) -> bool:
        """Return whether a vertex may be inside a collider."""
        return bool(self.enclosing.any())

    def begin(self, start: Array, end: Array, x0: Array, vertices: VertexTable, allowance, slots: SlotTable) -> None:
        """Find out which vertices are inside, and give each a half-space in its first slot.

        start, end: vertices of all colliders [m], (m, 3). x0: (n, 4) [m]. allowance: way that penetration recovery
        may go in this substep [m]. Written: slots.
        """
        if not self.active:
            return
        c, tree = self._collider, self._tree
        start, end = start.copy(), end.copy()
        tree.fit(start, start, np.zeros(len(start), bool))
        interiors = InteriorTable(c.sided, c.depths, self._rules, self._contained, self.sides.signs, c.sided_boxes(start))
        poses = PoseTable(start, end, tree.table.order, tree.table.leaves, tree.table.nodes)
        run(find_inside, len(x0), x0, vertices, interiors, self._table, poses, allowance, self.enclosing, slots)

    def follow_crossings(self, intersections: Array) -> None:
        """Mark vertices that may be behind a collider: corners of crossing elements, and neighbours of vertices behind it.

        intersections: edges and triangles that pass through each other, (k, 2).
        """
        if not len(self.enclosing):
            return
        s, n, inside = self._surfaces, len(self.enclosing), self.enclosing
        none = np.zeros(self.bodies, bool)
        sided = np.concatenate([none, self._collider.has_inside])[s.owner]
        is_inside = np.zeros(n, bool)
        edges, triangles = s.edges[intersections[:, 0]], s.triangles[intersections[:, 1]]
        is_inside[edges[sided[triangles[:, 0]] & (edges[:, 0] < n)]] = True
        is_inside[triangles[sided[edges[:, 0]] & (triangles[:, 0] < n)]] = True
        if (inside > 0).any():
            mine = s.edges[: s.body_edges]
            behind = inside[mine] > 0
            is_inside[mine[behind.any(1)]] = True
        inside[is_inside & (inside <= 0)] = CROSSING


@row_kernel
def find_inside(begin, finish, x0, vertices, interiors, colliders, poses, allowance, inside, slots):
    """Settle the vertices begin..finish that are on the wrong side of a collider, or not known to be on the right one.

    Each that is gets a half-space: at the nearest surface point, facing the right side, at most `allowance` [m] further that
    way than the vertex starts. Read and written: inside, see `PenetrationRecovery`. Written: slots.
    """
    movable, thickness, mu, owner = vertices
    shapes, depths, rules, contained, signs, boxes = interiors
    triangles, groups, parts, outward, front, reserve, friction = colliders
    A, B, order, leaves, nodes = poses
    number, rows = slots
    one = A.dtype.type(1)
    stack = np.empty(STACK, np.int32)
    for i in range(begin, finish):
        if inside[i] == 0 or not movable[i]:
            continue
        p = row(x0, i)
        before = inside[i]
        inside[i] = 0
        for s in range(len(shapes)):
            b = boxes[s]
            one_sided = depths[s] > 0 and (before == CROSSING or before == shapes[s] + 1)
            if not rules[owner[i], s]:
                continue
            clear = p[0] < b[0] or p[1] < b[1] or p[2] < b[2] or p[0] > b[3] or p[1] > b[4] or p[2] > b[5]
            if clear and not contained[owner[i], s]:
                continue
            facing = front if one_sided else outward
            t, depth, side = nearest_surface(p, shapes[s], groups, facing, triangles, A, order, leaves, nodes, stack)
            if t < 0:
                continue
            mine = signs[owner[i], parts[t]]
            if side * mine > 0 or (one_sided and depth > depths[s]):
                continue
            inside[i] = shapes[s] + 1
            j, k, m = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            face, valid = triangle_normal(row(B, j), row(B, k), row(B, m), one)
            if valid:
                weights, _ = closest_on_triangle(p, row(A, j), row(A, k), row(A, m), one)
                full = thickness[i] + reserve[t]
                target = target_distance(full, -depth, allowance)
                n = scale(mine * facing[t], face)
                q = blend(weights, row(B, j), row(B, k), row(B, m))
                drift = sub(q, blend(weights, row(A, j), row(A, k), row(A, m)))
                both = friction_between(mu[i], friction[t])
                fill_slot(rows[i, 0], n, dot(n, sub(p, q)) - target, both, drift, full - target)
                number[i] = 1
            break
