"""Keeps the candidate lists of a world good: when they are made anew, with how much slack, and when none are needed."""

from __future__ import annotations

import numpy as np

from . import candidates
from .candidates import HORIZON, Search, bounds, deviation
from .planes import ACTIVE
from .shapes import ColliderTables
from .tree import Tree, refit


class Lists:
    """Candidate lists of all bodies against all collider meshes.

    listed: there are lists; without, bodies and colliders are too far apart to touch in this substep.
    vertex_pairs: collider triangles of each body vertex. triangle_pairs: body triangles of each collider vertex.
    base, path, pose, pose_path: vertices and their motion a substep when the lists were made [m]. age: substeps since.
    moves: motion of each collider in this substep [m]. reach, body_reach: of each collider and of the bodies since the
    lists were made [m]. rebuilds: how often lists were made.
    """

    def __init__(self, collider: ColliderTables, surface: np.ndarray, own: np.ndarray, active: np.ndarray) -> None:
        self.collider, self.own, self.active, self.dtype = collider, own, active, own.dtype
        self.surface = surface
        self.distance = float(own[active].max(initial=0)) + float(collider.reserve.max(initial=0))
        self.tree = Tree(np.zeros((max(1, len(collider.triangles)), 3)), self.dtype)
        self.oriented = False
        self.search = Search(len(own), surface)
        self.box, self.collider_box = np.zeros(6, self.dtype), np.zeros(6, self.dtype)
        count = max(1, len(collider.names))
        self.moves, self.reach = np.zeros(count, self.dtype), np.zeros(count, self.dtype)
        self.all_vertices = np.ones(collider.vertices, bool)
        self.nothing = candidates.none(len(own), self.dtype), candidates.none(collider.vertices, self.dtype)
        self.slack, self.rebuilds = 0.0, 0
        self.forget()

    def forget(self) -> None:
        """Drops the lists."""
        self.listed, self.age = False, 0
        self.vertex_pairs, self.triangle_pairs = self.nothing
        self.base = self.path = np.zeros((len(self.own), 3), self.dtype)
        self.pose = self.pose_path = np.zeros((self.collider.vertices, 3), self.dtype)
        self.reach[:] = 0
        self.body_reach = np.zeros(1, self.dtype)

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
            self.slack = self._least_slack()
            self.oriented = True
        moved = float(bounds(A, B, self.all_vertices, self.collider_box))
        if self.apart(ACTIVE * self.distance + 0.5 * (step + moved)):
            self.forget()
            return step
        for s, (start, stop) in enumerate(collider.rows):
            self.moves[s] = bounds(A[start:stop], B[start:stop], self.all_vertices[start:stop], np.empty(6, self.dtype))
        if self.listed and self._still_good(x0, x1, A, B):
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

    def _least_slack(self) -> float:
        size = float(np.abs(self.box[3:] - self.box[:3]).max())
        return max(0.5 * self.distance, 1e-4 * size, 1e-7)

    def _still_good(self, x0, x1, A, B) -> bool:
        """Is every vertex still near the path that the lists were made for? Measures how far all have come."""
        now, then = self.dtype.type(self.age), self.dtype.type(self.age + 1)
        off, self.body_reach[0] = deviation(x0, x1, self.base, self.path, now, then, self.active)
        for s, (start, stop) in enumerate(self.collider.rows):
            rows = slice(start, stop)
            shift, self.reach[s] = deviation(
                A[rows], B[rows], self.pose[rows], self.pose_path[rows], now, then, self.all_vertices[rows]
            )
            off = max(off, shift)
        if self.age < HORIZON and off <= self.slack:
            return True
        # Lists that did not last want more slack, those that hardly used it less. No result depends on it.
        if self.age < HORIZON:
            self.slack = min(1.5 * self.slack, 32 * self._least_slack())
        elif off < 0.25 * self.slack:
            self.slack = max(0.75 * self.slack, self._least_slack())
        return False

    def _rebuild(self, x0, x1, movable, A, B) -> None:
        self.base, self.path = x0[:, :3].copy(), x1[:, :3] - x0[:, :3]
        self.pose, self.pose_path = A, B - A
        self.listed, self.age = True, 0
        self.body_reach[0] = bounds(x0, x1, self.active, self.box)
        self.reach[:] = self.moves
        self.refit(A, self.pose_path, HORIZON, self.slack)
        found = [
            self.search(
                by_vertex, x0, self.path, self.slack, movable, self.own, self.moves, self.collider, A, self.pose_path, self.tree
            )
            for by_vertex in (False, True)
        ]
        self.vertex_pairs, self.triangle_pairs = found
        self.rebuilds += 1
