"""The candidate pairs of a world, kept good from substep to substep: most pairs are never measured again.

A list is made along the paths that particles are expected to take, for some substeps (`paths`). Where a particle leaves its
path by more than its slack, it gets a new one, and only the pairs of its elements are searched for anew.
"""

from __future__ import annotations

import numpy as np

from . import paths
from .search import ACTIVE, ALL, OTHERS, WITHIN, Found, Search, joined
from .surfaces import Surfaces
from .tree import Tree, refit

Array = np.ndarray

#: Slack, as a share of an object's thickness and of its median edge, whichever is larger.
SLACK = 0.35
EDGE_SLACK = 0.08
#: Median edges that particles may move against each other until lists are made anew.
FAR = 4.0
#: Substeps that pairs of particles that left their paths are searched for: their motion is hard to foresee.
SOON = 2


class Candidates:
    """Pairs of points and triangles, and of edges, that may touch.

    found: all pairs, the first `vertex_pairs` of them points and triangles. horizon: substeps they are made for; age: of the
    substep that runs. falling: (count,) bool, particles that fell freely in the last substep; a checkpoint keeps it.
    searches, renewals: so far, of all and of some.
    """

    def __init__(self, surfaces: Surfaces, start: Array, dtype: np.dtype) -> None:
        """start: positions that bodies and colliders begin with [m], (count, 3)."""
        s = self.surfaces = surfaces
        self.dtype = dtype
        self.start = start.astype(dtype)
        place = start.copy()
        place[: s.n] = s.rest[: s.n]
        self.search = Search(s, self.start)
        body = s.points[: s.body_points], s.edges[: s.body_edges], s.triangles[: s.body_triangles]
        other = s.points[s.body_points :], s.edges[s.body_edges :], s.triangles[s.body_triangles :]
        self.trees = [[Tree(e, s.owner, place, dtype) for e in elements] for elements in (body, other)]
        self.offsets = (s.body_edges, s.body_triangles)
        self.base, self.step = paths.none(s.count, dtype)
        self.off, self.before = np.zeros((2, s.count), dtype)
        self.beyond = np.zeros(s.count, bool)
        self.falls = np.zeros(s.count, bool)
        self.falling = np.zeros(s.count, bool)
        self.falling[: s.n] = True
        self.wide, self.until = np.zeros(s.count, bool), np.zeros(s.count, np.int32)
        self.wide_low, self.wide_high = np.zeros((2, s.count, 3), dtype)
        self.fall = np.zeros(3, dtype)
        self.low, self.high = np.empty((2, s.count, 3), dtype)
        self.still = np.zeros(s.count, bool)
        self.touching = np.maximum(s.half, s.distance)
        self.slack = self._slacks()
        self.edge_off, self.triangle_off = np.zeros(len(s.edges), dtype), np.zeros(len(s.triangles), dtype)
        self.searches = self.renewals = 0
        self.active = np.zeros(s.count, bool)
        self.active[s.points.ravel()] = True
        self.forget()

    def forget(self) -> None:
        """Drops the pairs, so that the next substep searches for all."""
        self.found, self.vertex_pairs = joined([], self.dtype), 0
        self.listed, self.age, self.horizon = False, 0, 1

    def update(self, x0: Array, x1: Array, fall: Array, horizon: int) -> None:
        """Makes the pairs good for a substep that is predicted to go from x0 to x1, (count, 4) [m].

        fall: what gravity moves a particle by in a substep [m], (3,). horizon: substeps to make new lists for, at most.
        """
        scalar = self.dtype.type
        self.age += 1
        self.wide[:] = False
        if not self.listed or self.age >= self.horizon:
            self.age, self.listed = 0, True
            self.fall[:] = fall
            self.still[:] = x0[:, 3] == 0
            self.falls[:] = self.falling
            self.beyond[:] = True
            ends = self._ahead(x1)
            self.horizon = self._horizon(ends[:, :3] - x0[:, :3], horizon)
            self._renew(x0, ends, self.horizon)
            self.searches += 1
        else:
            arrays = self.base, self.step, self.falls, self.fall
            paths.deviations(x0, *arrays, scalar(self.age), False, self.slack, self.before, self.beyond)
            behind = self.beyond | (self.until <= self.age)
            paths.deviations(x1, *arrays, scalar(self.age + 1), True, self.slack, self.off, self.beyond)
            self.beyond |= behind
            self.beyond &= self.active
            if self.beyond.any():
                self._renew(x0, self._ahead(x1), min(self.horizon, self.age + SOON))
                self.renewals += 1
        self._measure(x1)

    def follow(self, x0: Array, x1: Array) -> bool:
        """Makes the pairs good for the motion that a substep ended with; false if they were so already."""
        s = self.surfaces
        reach = self.slack + np.minimum(s.half, s.distance)
        arrays = self.base, self.step, self.falls, self.fall, self.dtype.type(self.age + 1)
        if not paths.outside(x1, *arrays, reach, self.wide, self.wide_low, self.wide_high, self.beyond):
            return False
        self.beyond &= self.active
        if not self.beyond.any():
            return False
        off = self.beyond
        self.wide |= off
        self.wide_low[off], self.wide_high[off] = np.minimum(x0, x1)[off, :3], np.maximum(x0, x1)[off, :3]
        self._renew(x0, x1, self.age + 1)
        self.renewals += 1
        return True

    def finish(self, x0: Array, predicted: Array, x1: Array) -> None:
        """Notes which particles fell freely in the substep that ends."""
        paths.fell_freely(x0, predicted, x1, self.fall, self.surfaces.n, self.falling)

    def _ahead(self, x1: Array) -> Array:
        """Where particles are expected after the substep: the prediction, without the fall of those that something holds."""
        ends = x1.copy()
        held = ~self.falls & (x1[:, 3] > 0)
        ends[held, :3] -= self.fall
        return ends

    def _horizon(self, step: Array, most: int) -> int:
        """Substeps that a list pays for: fewer where particles move far against each other."""
        drift, _ = self._drift(step)
        apart = np.linalg.norm(step - drift, axis=1)[self.active].max(initial=0)
        return max(1, min(most, int(FAR * self.edge / max(float(apart), 1e-12))))

    def _drift(self, step: Array) -> tuple[Array, bool]:
        """Mean motion a substep of the bodies' particles [m], (3,), and whether most fall."""
        moving = self.active & ~self.still
        if not moving.any():
            return np.zeros(3, self.dtype), False
        return step[moving].mean(0, dtype=float).astype(self.dtype), bool(self.falls[moving].mean() > 0.5)

    def _renew(self, x0: Array, x1: Array, horizon: int) -> None:
        """New paths for the particles beyond their slack, and new pairs for their elements, up to a horizon.

        Pairs of `wide` particles are kept for all ends within their boxes.
        """
        age = self.dtype.type(self.age)
        arrays = self.base, self.step, self.falls, self.fall
        paths.renew(x0, x1, self.beyond, self.falls, self.fall, age, self.base, self.step)
        moved = self.beyond.copy()
        self.until[moved] = horizon
        paths.deviations(x0, *arrays, age, False, self.slack, self.before, self.beyond)
        (points, edges, triangles), (far_points, far_edges, far_triangles) = self.trees
        common = x0, (self.step, self.falls, self.fall, self.before), age, self.dtype.type(horizon), self.slack, self.wide

        def both(vertex: bool, one: Tree, other: Tree) -> list[Found]:
            return [self.search(ALL, vertex, one, other, *common), self.search(OTHERS, vertex, other, one, *common)]

        # Bodies are searched for among each other in a frame that moves with them.
        drift = (np.zeros(3, self.dtype), False) if self.wide.any() else self._drift(self.step)
        self._refit(moved, horizon, *drift, self.trees[:1])
        vertex = self._numbered(both(True, points, triangles), 0, 0)
        edge = [self.search(WITHIN, False, edges, edges, *common)]
        if len(far_points):
            self._refit(moved, horizon, np.zeros(3, self.dtype), False, self.trees)
            vertex += self._numbered(both(True, points, far_triangles), 0, self.offsets[1])
            vertex += both(True, far_points, triangles)
            edge += self._edges_numbered(both(False, edges, far_edges))
        self._replace(moved, vertex, edge)

    def _refit(self, moved: Array, horizon: int, drift: Array, falls: bool, sets: list[list[Tree]]) -> None:
        """Fits trees to the paths up to a horizon, in a frame that drifts; elements of particles that moved are fresh."""
        age, end, growth = self.dtype.type(self.age), self.dtype.type(horizon), self._growth()
        paths.boxes(self.base, self.step, self.falls, self.fall, age, end, drift, falls, growth, self.low, self.high)
        for tree in (tree for trees in sets for tree in trees):
            refit(tree.items, self.low, self.high, moved, tree.leaves, tree.bounds, tree.nodes, tree.fresh, tree.fresh_nodes)

    def _numbered(self, parts: list[Found], first: int, second: int) -> list[Found]:
        for part in parts:
            part.ids += np.array([first, second], np.int32)
        return parts

    def _edges_numbered(self, parts: list[Found]) -> list[Found]:
        """The second part was found from the collider's side: its pairs are turned, so that the body comes first."""
        one, other = parts
        other.corners, other.ids = other.corners[:, [2, 3, 0, 1]], other.ids[:, ::-1].copy()
        return self._numbered([one, other], 0, self.offsets[0])

    def _growth(self) -> Array:
        """What boxes are grown by [m]: slack, half of what is kept, and a fall where predictions fall and this does not."""
        growth = self.slack + self.touching * self.dtype.type(ACTIVE)
        growth[self.still] += np.linalg.norm(self.fall)
        return growth

    def _replace(self, moved: Array, vertex: list[Found], edge: list[Found]) -> None:
        """Puts new pairs in the place of those of elements that moved."""
        split = self.vertex_pairs
        kept = self.found.kept(0, split, moved), self.found.kept(split, len(self.found), moved)
        first = joined([kept[0], *vertex], self.dtype)
        self.found = joined([first, kept[1], *edge], self.dtype)
        self.vertex_pairs = len(first)

    def _measure(self, x1: Array) -> None:
        """The largest deviation of each particle and element in this substep."""
        arrays = self.base, self.step, self.falls, self.fall
        paths.deviations(x1, *arrays, self.dtype.type(self.age + 1), True, self.slack, self.off, self.beyond)
        np.maximum(self.off, self.before, out=self.off)
        paths.largest(self.surfaces.edges, self.off, self.edge_off)
        paths.largest(self.surfaces.triangles, self.off, self.triangle_off)

    def _slacks(self) -> Array:
        """Slack of each particle [m]; of colliders the largest of the bodies'."""
        s = self.surfaces
        slack = np.zeros(s.count)
        mine = s.edges[: s.body_edges]
        lengths = np.linalg.norm(self.start[mine[:, 0]] - self.start[mine[:, 1]], axis=1)
        self.edge = float(np.median(lengths)) if len(lengths) else float(self.touching.max(initial=1e-3))
        for number in range(len(s.rules)):
            of_object = s.owner == number
            edges = lengths[s.owner[mine[:, 0]] == number]
            thick = max(2 * float(s.half[of_object].max(initial=0)), float(self.touching[of_object].max(initial=0)))
            slack[of_object] = max(SLACK * thick, EDGE_SLACK * float(np.median(edges)) if len(edges) else 0.0)
        slack[s.n :] = slack[: s.n].max(initial=0)
        slack[slack == 0] = slack.max(initial=0) or 1e-4
        return slack.astype(self.dtype)
