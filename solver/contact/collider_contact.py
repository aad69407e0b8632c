"""Contact of all bodies with colliders, as the step loop uses it: begin, sweep, end, once a substep each.

Order of a substep: `begin_substep` freezes contact planes for the predicted motion, `sweep` projects them after each sweep
of the energies, `end_substep` puts back what still goes through a collider. Self-contact will be a class beside this one,
with the same three calls; both may use `tree`, `candidates`, `planes` and `distance`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import inside, planes, triangle_contact, vertex_contact
from .candidates import bounds
from .guard import guard
from .lists import Lists
from .shapes import ColliderShape, ColliderTables, PlaneShape, plane_arrays
from .threads import run

__all__ = ["ColliderContact", "ColliderShape", "PlaneShape"]


class ColliderContact:
    """Contacts of the vertices and triangles of all bodies with collider meshes and planes.

    count: contacts that pushed in the last substep. deepest: largest shortfall of a kept distance after it [m].
    failures: vertices that the last `end_substep` could not keep outside. lists.rebuilds: candidate searches so far.
    inside: (n,) int32, 0 outside, -1 not yet known, k + 1 inside collider k. Vertices inside are found in the first
    substep and remembered until they are out; a checkpoint that keeps this array continues with the same bits.
    """

    def __init__(
        self,
        dtype: np.dtype | type | str,
        vertex_distance: np.ndarray,
        vertex_friction: np.ndarray,
        vertex_active: np.ndarray,
        triangles: np.ndarray,
        colliders: Sequence[ColliderShape],
        planes: Sequence[PlaneShape],
        depenetration_speed: float = 0.5,
    ) -> None:
        """Sets up the tables; kernels are compiled at the first substep.

        vertex_distance: share of each body vertex in the distance kept [m], (n,); the collider's thickness is added.
        vertex_friction: (n,); the friction of a pair is the geometric mean. vertex_active: (n,) bool, false for
        vertices without contact (the interior of soft bodies). triangles: body surface, (t, 3).
        depenetration_speed: [m/s], how fast a vertex that is too close is moved away.
        Raises: SceneError if colliders share vertices.
        """
        self.dtype = np.dtype(dtype)
        self.own = np.ascontiguousarray(vertex_distance, self.dtype)
        self.mu = np.ascontiguousarray(vertex_friction, self.dtype)
        self.active = np.ascontiguousarray(vertex_active, bool)
        surface = np.asarray(triangles, np.int32).reshape(-1, 3)
        self.surface = np.ascontiguousarray(surface[self.active[surface].all(1)])
        self.speed = float(depenetration_speed)
        self.collider = ColliderTables(colliders, self.dtype)
        self.planes, self.no_planes = plane_arrays(planes, self.dtype), plane_arrays([], self.dtype)
        self.lists = Lists(self.collider, self.surface, self.own, self.active)
        n, m, t = len(self.own), self.collider.vertices, len(self.surface)
        self.vertex_planes = _Planes(n, self.dtype)
        self.corner_planes = _Planes(m, self.dtype)
        self.normals, self.pointed = np.zeros((m, 3), self.dtype), np.zeros(m, bool)
        self.body_own = self.own[self.surface].max(1) if t else np.zeros(0, self.dtype)
        self.two_sided = np.zeros(t, self.dtype)
        self.number, self.hot = np.zeros(n, np.int32), np.zeros(0, np.int64)
        self.slots = np.zeros((n * vertex_contact.SLOTS, vertex_contact.COLUMNS), self.dtype)
        self.contacts = triangle_contact.Contacts(1024, self.dtype)
        self.moved = np.zeros(n, np.int8)
        self.inside = np.full(n, -1, np.int32)
        self.count, self.deepest, self.failures = 0, 0.0, 0

    def reset(self) -> None:
        """Forgets candidates and which vertices are inside, as after a jump to another state."""
        self.lists.forget()
        self.inside[:] = -1

    def begin_substep(
        self, x0: np.ndarray, x_pred: np.ndarray, collider_start: np.ndarray, collider_end: np.ndarray, h: float
    ) -> None:
        """Finds the contacts of a substep.

        x0, x_pred: positions at the start and predicted for the end [m], h^2/m in the last column, (n, 4); x0 must stay
        as it is until `end_substep`. collider_start, collider_end: vertices of all colliders [m], (m, 3). h: [s].
        """
        self.x0 = x0
        self.movable = self.active & (x0[:, 3] > 0)
        self.allowance = self.dtype.type(self.speed * h)
        self.A = np.ascontiguousarray(collider_start, self.dtype)[: self.collider.vertices]
        self.B = np.ascontiguousarray(collider_end, self.dtype)[: self.collider.vertices]
        lists = self.lists
        step = lists.update(x0, x_pred, self.movable, self.A, self.B)
        self.near_planes = self._planes_near(planes.ACTIVE * lists.distance + 0.5 * step)
        self.hot, self.contacts.count = self.hot[:0], 0
        self.vertex_planes.number[:] = 0
        if not lists.listed:
            self.inside[:] = 0
        elif self.inside.any():
            self._settle_inside(x0)
        if len(lists.vertex_pairs.ids):
            skip = np.maximum(self.inside - 1, -1)
            self._choose(x0, x_pred, skip)
        if self.vertex_planes.number.any() or len(self.near_planes[0]):
            self._fill_vertices(x0, x_pred)
        if len(lists.triangle_pairs.ids):
            self._fill_triangles(x0, x_pred)

    def sweep(self, x: np.ndarray) -> None:
        """Projects every contact once, in place. x: (n, 4) [m]. The same bits for any number of threads."""
        c = self.contacts
        if c.count:
            triangle_contact.sweep(c.count, c.corners, c.weights, c.spread, self.movable, c.slots, self.x0, x)
        if len(self.hot):
            vertex_contact.sweep(self.hot, self.number, self.slots, self.x0, x)

    def end_substep(self, x0: np.ndarray, x: np.ndarray) -> int:
        """Puts back vertices whose path x0 -> x goes through a collider; returns how many. Updates the statistics."""
        pushing, deepest = self.contacts.measure(x0, x)
        if len(self.hot):
            more, deeper = vertex_contact.measure(self.hot, self.number, self.slots, x0, x)
            pushing, deepest = pushing + int(more), max(deepest, float(deeper))
        self.count, self.deepest, self.failures = pushing, deepest, 0
        lists, everywhere = self.lists, False
        if not lists.listed:
            bounds(x0, x, self.active, lists.box)
            self.near_planes = self._planes_near(0.0)
            everywhere = len(self.collider.triangles) > 0 and not lists.apart(0.0)
            if everywhere:
                lists.refit(self.A, self.B - self.A, 1, 0.0)
            elif not len(self.near_planes[0]):
                return 0
        self._guard(x0, x, everywhere)
        lists.age += 1
        self.failures = int(np.count_nonzero(self.inside == -1))
        return int(np.count_nonzero(self.moved))

    @property
    def touched(self) -> np.ndarray:
        """Vertices that a contact pushed in the last substep, (n,) bool."""
        touched = np.zeros(len(self.own), bool)
        force = self.slots[:, vertex_contact.LAMBDA].reshape(len(self.own), -1)[self.hot]
        pushed = (force > 0) & (np.arange(vertex_contact.SLOTS) < self.number[self.hot, None])
        touched[self.hot[pushed.any(1)]] = True
        c = self.contacts
        touched[c.corners[: c.count][c.slots[: c.count, vertex_contact.LAMBDA] > 0]] = True
        return touched

    def _planes_near(self, margin: float) -> tuple[np.ndarray, ...]:
        """The infinite planes if any of them comes within a margin of the bodies' box; else none."""
        points, normals, reserve, _ = self.planes
        if len(points):
            box = self.lists.box
            closest = np.where(normals > 0, box[:3], box[3:])
            if (np.einsum("ij,ij->i", normals, closest - points) - planes.ACTIVE * reserve).min() < margin:
                return self.planes
        return self.no_planes

    def _mesh(self) -> tuple[np.ndarray, ...]:
        c = self.collider
        return (c.triangles, c.shape, c.outward, c.reserve)

    def _settle_inside(self, x0: np.ndarray) -> None:
        tree, chosen = self.lists.tree, self.vertex_planes
        run(
            inside.settle, len(x0), x0, self.movable, self.own, self.allowance, self.collider.closed_shapes,
            self.collider.closed_boxes(self.A), *self._mesh(), self.A, self.B, tree.order, tree.leaves, tree.nodes,
            self.inside, chosen.planes, chosen.kept, chosen.number,
        )  # fmt: skip

    def _choose(self, x0: np.ndarray, x_pred: np.ndarray, skip: np.ndarray) -> None:
        lists, chosen = self.lists, self.vertex_planes
        pairs = lists.vertex_pairs
        run(
            planes.choose, len(x0), x0, x_pred, lists.base, self.movable, self.own, self.allowance, skip, lists.moves,
            lists.reach, pairs.starts, pairs.stops, pairs.ids, pairs.keys, *self._mesh(), self.A, self.B,
            chosen.planes, chosen.kept, chosen.number,
        )  # fmt: skip

    def _fill_vertices(self, x0: np.ndarray, x_pred: np.ndarray) -> None:
        chosen = self.vertex_planes
        run(
            vertex_contact.fill, len(x0), x0, x_pred, self.movable, self.own, self.mu, self.allowance,
            self.collider.triangles, self.collider.friction, self.A, self.B, chosen.planes, chosen.kept, chosen.number,
            *self.near_planes, self.number, self.slots,
        )  # fmt: skip
        self.hot = np.flatnonzero(self.number)

    def _fill_triangles(self, x0: np.ndarray, x_pred: np.ndarray) -> None:
        lists, c, chosen = self.lists, self.collider, self.corner_planes
        pairs = lists.triangle_pairs
        triangle_contact.corner_normals(
            pairs.starts, pairs.stops, c.around_offsets, c.around, c.triangles, c.outward, self.A, self.normals, self.pointed
        )
        if not self.pointed.any():
            return
        chosen.number[:] = 0
        run(
            planes.choose, c.vertices, self.A, self.B, lists.pose, self.pointed, c.vertex_reserve, self.allowance,
            chosen.none, lists.body_motion, lists.body_reach, pairs.starts, pairs.stops, pairs.ids, pairs.keys,
            self.surface, lists.blocks, self.two_sided, self.body_own, x0, x_pred, chosen.planes, chosen.kept, chosen.number,
        )  # fmt: skip
        while True:
            k = self.contacts
            k.count = triangle_contact.fill(
                x0, self.movable, self.mu, self.surface, c.vertex_friction, self.normals, self.A, self.B, chosen.planes,
                chosen.kept, chosen.number, k.corners, k.weights, k.spread, k.slots,
            )  # fmt: skip
            if k.count <= len(k.corners):
                break
            self.contacts = triangle_contact.Contacts(k.count * 5 // 4, self.dtype)

    def _guard(self, x0: np.ndarray, x: np.ndarray, everywhere: bool) -> None:
        lists, tree, scalar = self.lists, self.lists.tree, self.dtype.type
        pairs = lists.vertex_pairs
        run(
            guard, len(x0), x0, lists.base, lists.path, scalar(lists.age + 1), scalar(lists.slack), lists.listed,
            everywhere, self.movable, self.own, self.inside, self.allowance, lists.reach, pairs.starts, pairs.stops,
            pairs.ids, pairs.keys, *self._mesh(), self.A, self.B, tree.order, tree.leaves, tree.bounds, tree.nodes,
            *self.near_planes[:3], self.moved, x,
        )  # fmt: skip


class _Planes:
    """Room for the planes chosen for `rows` vertices; none: a group to skip for each, namely no one."""

    def __init__(self, rows: int, dtype: np.dtype) -> None:
        self.planes = np.zeros((rows, planes.MOST, planes.COLUMNS), dtype)
        self.kept = np.zeros((rows, planes.MOST), np.int32)
        self.number = np.zeros(rows, np.int32)
        self.none = np.full(rows, -1, np.int32)
