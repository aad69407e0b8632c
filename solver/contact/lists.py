"""Keeps the candidate lists of a world good: when they are made anew, with how much slack, and when none are needed."""

from __future__ import annotations

import numpy as np

from . import candidates
from .candidates import BLOCK, HORIZON, Search, bounds, deviation
from .planes import ACTIVE
from .shapes import ColliderTables
from .tree import Tree, morton_order, refit


class Lists:
    """Candidate lists of all bodies against all collider meshes.

    listed: there are lists; without, bodies and colliders are too far apart to touch in this substep.
    vertex_pairs: collider triangles of each body vertex. triangle_pairs: body triangles of each collider vertex.
    base, path: body vertices and their motion a substep as their lists were made for [m], such that base + age path is
    where a vertex should be now. pose, pose_path: the same of collider vertices. age: substeps since the last search of all.
    moves, body_motion: motion of each collider and of each block of body triangles in this substep [m]. reach, body_reach:
    how far they are from `pose` and `base` [m]. rebuilds: searches of all so far; renewed: vertices searched for alone.
    """

    def __init__(self, collider: ColliderTables, surface: np.ndarray, own: np.ndarray, active: np.ndarray) -> None:
        self.collider, self.own, self.active, self.dtype = collider, own, active, own.dtype
        self.surface = surface
        self.distance = float(own[active].max(initial=0)) + float(collider.reserve.max(initial=0))
        self.tree = Tree(np.zeros((max(1, len(collider.triangles)), 3)), self.dtype)
        self.oriented = False
        self.search = Search()
        self.vertices = np.arange(len(own), dtype=np.int32)[:, None]
        self.box, self.collider_box = np.zeros(6, self.dtype), np.zeros(6, self.dtype)
        count = max(1, len(collider.names))
        self.moves, self.reach = np.zeros(count, self.dtype), np.zeros(count, self.dtype)
        self.all_vertices = np.ones(collider.vertices, bool)
        self.nothing = candidates.none(len(own), self.dtype), candidates.none(collider.vertices, self.dtype)
        self.slack, self.rebuilds, self.renewed = 0.0, 0, 0
        self.off, self.vertex_reach = np.zeros(len(own), bool), np.zeros(len(own), self.dtype)
        self.shift = np.zeros(collider.vertices, bool), np.zeros(collider.vertices, self.dtype)
        self.blocks = (np.arange(len(surface)) // BLOCK).astype(np.int32)
        self.forget()

    def forget(self) -> None:
        """Drops the lists."""
        self.listed, self.age, self.horizon = False, 0, 4
        self.vertex_pairs, self.triangle_pairs = self.nothing
        self.base = self.path = np.zeros((len(self.own), 3), self.dtype)
        self.pose = self.pose_path = np.zeros((self.collider.vertices, 3), self.dtype)
        self.reach[:] = 0
        self.body_reach, self.body_motion = np.zeros((2, -(-len(self.surface) // BLOCK)), self.dtype)

    def update(self, x0, x1, movable, A, B) -> float:
        """Makes the lists good for a substep; returns the longest predicted motion of a body vertex [m].

        x0, x1: (n, 4) start and prediction [m]; movable: (n,) bool; A, B: collider vertices at start and end [m], (m, 3).
        """
        step = float(bounds(x0, x1, self.active, self.box))
        collider = self.collider
        if not len(collider.triangles):
            return step
        if not self.oriented:
            collider.orient(A)
            self.tree = Tree(A[collider.triangles].mean(1), self.dtype)
            size = float(np.abs(self.box[3:] - self.box[:3]).max())
            self.slack = max(0.5 * self.distance, 1e-4 * size, 1e-7)
            # Neighbours in space are searched for together; the order never decides a result.
            self.vertex_order = morton_order(x0[:, :3])
            self.triangle_order = morton_order(x0[self.surface, :3].mean(1)) if len(self.surface) else self.vertex_order[:0]
            self.oriented = True
        moved = float(bounds(A, B, self.all_vertices, self.collider_box))
        if self.apart(ACTIVE * self.distance + 0.5 * (step + moved)):
            self.forget()
            return step
        for s, (start, stop) in enumerate(collider.rows):
            self.moves[s] = bounds(A[start:stop], B[start:stop], self.all_vertices[start:stop], np.empty(6, self.dtype))
        if self.listed and self._still_good(x0, x1, movable, A, B):
            return step
        self._rebuild(x0, x1, movable, A, B)
        return step

    def apart(self, margin: float) -> bool:
        """Are the boxes of bodies and collider meshes further apart than a margin [m]?"""
        low, high = self.collider_box[:3] - margin, self.collider_box[3:] + margin
        return bool((self.box[:3] > high).any() or (self.box[3:] < low).any())

    def refit(self, A: np.ndarray, path: np.ndarray, horizon: float, slack: float) -> None:
        """Fits the tree to collider triangles that move from A along path for `horizon` substeps, grown by slack [m]."""
        tree, collider, scalar = self.tree, self.collider, self.dtype.type
        grow = (ACTIVE * collider.reserve + slack).astype(self.dtype)
        refit(collider.triangles, A, path, scalar(horizon), grow, tree.order, tree.leaves, tree.bounds, tree.nodes)

    def _still_good(self, x0, x1, movable, A, B) -> bool:
        """Can the lists be used again, after a search for the few that left their path? Measures how far all came."""
        now, then, slack = (self.dtype.type(k) for k in (self.age, self.age + 1, self.slack))
        count, _ = deviation(x0, x1, self.base, self.path, now, then, self.active, slack, self.off, self.vertex_reach)
        shifted = 0
        for s, (start, stop) in enumerate(self.collider.rows):
            rows = slice(start, stop)
            more, self.reach[s] = deviation(
                A[rows], B[rows], self.pose[rows], self.pose_path[rows], now, then, self.all_vertices[rows], slack,
                self.shift[0][rows], self.shift[1][rows],
            )  # fmt: skip
            shifted += more
        self.left += count
        many = len(self.own) // 4
        # Searching for all is due. How often pays depends on how straight all move; no result depends on it.
        if shifted or count > many:
            self.horizon = max(HORIZON[0], min(self.age, self.horizon - 1))
            return False
        if self.age >= self.horizon:
            if self.left < many:
                self.horizon = min(HORIZON[1], self.horizon + 1)
            return False
        if count:
            self._renew(x0, x1, movable, A)
        candidates.block_motion(self.surface, x0, x1, self.vertex_reach, self.body_reach, self.body_motion)
        return True

    def _rebuild(self, x0, x1, movable, A, B) -> None:
        """Searches for all."""
        self.base, self.path = x0[:, :3].copy(), x1[:, :3] - x0[:, :3]
        self.pose, self.pose_path = A, B - A
        self.listed, self.age, self.left = True, 0, 0
        self.search_moves = self.moves.copy()
        zero, one = self.dtype.type(0), self.dtype.type(1)
        deviation(x0, x1, self.base, self.path, zero, one, self.active, one, self.off, self.vertex_reach)
        candidates.block_motion(self.surface, x0, x1, self.vertex_reach, self.body_reach, self.body_motion)
        self.reach[:] = self.moves
        self.refit(A, self.pose_path, self.horizon, self.slack)
        self.vertex_pairs, self.triangle_pairs = self.nothing
        self._search(self.vertex_order, self.triangle_order, x0, movable, A)
        self.rebuilds += 1

    def _renew(self, x0, x1, movable, A) -> None:
        """Searches for the vertices that are off their path, and the triangles at these."""
        rows = np.flatnonzero(self.off)
        self.path[rows] = x1[rows, :3] - x0[rows, :3]
        self.base[rows] = x0[rows, :3] - self.dtype.type(self.age) * self.path[rows]
        # Their distances are measured now, from x0; base lies further back, so the reach from it is on the safe side.
        self.vertex_reach[rows] = (self.age + 1) * np.linalg.norm(self.path[rows], axis=1)
        stale = self.off[self.surface].any(1)
        order = self.triangle_order
        self._search(self.vertex_order[self.off[self.vertex_order]], order[stale[order]], x0, movable, A, stale)
        self.renewed += len(rows)

    def _search(self, vertices, triangles, x0, movable, A, stale=None) -> None:
        """Puts new lists of some body vertices and triangles in the place of theirs; stale marks the latter, (t,)."""
        found = self._find(False, self.vertices[vertices], x0, movable, A)
        self.vertex_pairs = candidates.replace_rows(self.vertex_pairs, vertices, *found)
        if len(triangles):
            number, ids, keys = self._find(True, self.surface[triangles], x0, movable, A)
            rows = np.repeat(triangles, number)
            self.triangle_pairs = candidates.add_pairs(self.triangle_pairs, len(self.surface), stale, rows, ids, keys)

    def _find(self, by_vertex: bool, rows: np.ndarray, x0, movable, A):
        return self.search(
            by_vertex, rows, x0, self.path, self.horizon - self.age, self.slack, movable, self.own, self.search_moves,
            self.collider, A, self.pose_path, self.tree,
        )  # fmt: skip
