"""The candidate pairs of a world, kept good from substep to substep: most pairs are never measured again.

A list is made along the paths that particles are expected to take, for some substeps (`paths`). Where a particle leaves its
path by more than its slack, it gets a new one, and only the pairs of its elements are searched for anew.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..surfaces.surfaces import Surfaces
from . import predicted_paths as paths
from .candidates import Found, Pairs
from .search import ACTIVE, ALL, OTHERS, WIDE, WITHIN, Search
from .tree import Tree

Array = np.ndarray

#: Slack, as a share of an object's thickness and of its median edge, whichever is larger.
SLACK = 0.35
EDGE_SLACK = 0.08
#: Median edges that particles may move against each other until lists are made anew.
FAR = 4.0
#: Where all is quiet lists are made for more than a frame: until particles move this share of the median edge against each
#: other, and for so many substeps at most.
QUIET = 0.25
LONG = 64
#: Share of particles that fall up to which none is expected to.
FEW = 0.02
#: Share of particles with new paths from which on a new frame makes new lists.
MANY = 0.1
#: Share of its slack from which on a particle gets a new path when others do.
HALF_WAY = 0.5
#: Share of particles up to which only their boxes are made anew.
PARTLY = 0.1
#: Substeps that pairs of particles that left their paths are searched for: their motion is hard to foresee.
SOON = 2


class Candidates:
    """Pairs of points and triangles, and of edges, that may touch.

    found: all pairs. horizon: substeps they are made for; age: of the substep that runs. renewed: particles with new paths
    since then. falling: (count,) bool, particles that fell freely in the last substep; a checkpoint keeps it. searches,
    renewals: so far, of all and of some.
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
        self.particles = np.arange(s.count, dtype=np.int32)[:, None]
        self.way = np.zeros(s.count, dtype)
        self.ways = tuple(np.zeros((len(e), 2), dtype) for e in (self.particles, s.edges, s.triangles))
        self.found, self.fitted, self.frame = Pairs(dtype), False, (np.zeros(3, dtype), False)
        self.searches = self.renewals = 0
        self.h = 0.0
        self.active = np.zeros(s.count, bool)
        self.active[s.points.ravel()] = True
        self.forget()

    def forget(self) -> None:
        """Drops the pairs, so that the next substep searches for all."""
        self.found.clear()
        self.listed, self.age, self.horizon, self.renewed = False, 0, 1, 0

    def pace(self, h: float) -> None:
        """Drops pairs that were made for substeps of another length. h: [s]."""
        if h != self.h:
            self.forget()
            self.h = h

    def begin_frame(self) -> None:
        """Drops the pairs of lists that were often mended. A restored simulation has no boxes, so none are kept."""
        self.fitted = False
        if self.renewed > MANY * self.active.sum():
            self.forget()

    @property
    def memory(self) -> dict[str, Array]:
        """What tells the lists, by name; `recall` makes the same ones from it."""
        numbers = np.array([self.listed, self.age, self.horizon, self.renewed, self.found.split, self.h])
        return {
            "falling": self.falling,
            "path_base": self.base,
            "path_step": self.step,
            "path_falls": self.falls,
            "path_fall": self.fall,
            "path_until": self.until,
            "path_still": self.still,
            "path_way": self.way,
            "ways_of_particles": self.ways[0],
            "ways_of_edges": self.ways[1],
            "ways_of_triangles": self.ways[2],
            "lists": numbers,
            "pair_ids": self.found.ids,
            "pair_values": self.found.values,
        }

    def recall(self, memory: Mapping[str, Array]) -> None:
        """Takes over a `memory`; the number of pairs may be another one."""
        for key, array in self.memory.items():
            if not key.startswith("pair") and key != "lists":
                array[:] = memory[key]
        listed, self.age, self.horizon, self.renewed, split = memory["lists"][:-1].astype(int).tolist()
        self.h = float(memory["lists"][-1])
        self.listed, self.fitted = bool(listed), False
        ids, s = memory["pair_ids"], self.surfaces
        vertex = np.concatenate([ids[:split, :1], s.triangles[ids[:split, 1]]], 1)
        edge = np.concatenate([s.edges[ids[split:, 0]], s.edges[ids[split:, 1]]], 1)
        self.found.put(np.concatenate([vertex, edge]), ids, memory["pair_values"], split)

    def update(self, x0: Array, x1: Array, fall: Array, horizon: int) -> None:
        """Makes the pairs good for a substep that is predicted to go from x0 to x1, (count, 4) [m].

        fall: what gravity moves a particle by in a substep [m], (3,). horizon: substeps to make new lists for, at most.
        """
        scalar = self.dtype.type
        self.age += 1
        self.wide[:] = False
        if not self.listed or self.age >= self.horizon or (self.fall != fall.astype(self.dtype)).any():
            self.age, self.listed, self.renewed = 0, True, 0
            self.fall[:] = fall
            self.still[:] = x0[:, 3] == 0
            moving = self.active & ~self.still
            self.falls[:] = self.falling & (np.count_nonzero(self.falling & moving) > FEW * np.count_nonzero(moving))
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
                # Those that soon would be follow at once.
                self.beyond |= self.active & (np.maximum(self.off, self.before) > HALF_WAY * self.slack)
                ends = self._ahead(x1)
                soon = max(SOON, self._quiet((ends[:, :3] - x0[:, :3])[self.beyond]))
                self._renew(x0, ends, min(self.horizon, self.age + soon))
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
        """Notes which particles fell freely in the substep that ends, and what they moved beside their paths."""
        paths.fell_freely(x0, predicted, x1, self.fall, self.surfaces.n, self.falling)
        paths.ways(x0, x1, self.step, self.falls, self.fall, self.dtype.type(self.age), self.way)

    def _ahead(self, x1: Array) -> Array:
        """Where particles are expected after the substep: the prediction, without the fall of those that something holds."""
        ends = x1.copy()
        held = ~self.falls & (x1[:, 3] > 0)
        ends[held, :3] -= self.fall
        return ends

    def _horizon(self, step: Array, most: int) -> int:
        """Substeps that a list pays for: fewer where particles move far against each other."""
        drift, _ = self._drift(step)
        steps = step[self.active] - drift
        # What falls beside what does not soon is anywhere between.
        quiet = 0 if self.falls[self.active].any() else min(LONG, self._quiet(steps))
        return max(1, quiet, min(most, int(FAR / QUIET * self._quiet(steps))))

    def _quiet(self, steps: Array) -> int:
        """Substeps in which particles with these steps (k, 3) [m] do not move far."""
        fastest = float(np.linalg.norm(steps, axis=1).max(initial=0))
        return int(QUIET * self.edge / max(fastest, QUIET * self.edge / LONG))

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
        count = int(np.count_nonzero(moved))
        self.renewed += count if self.age else 0
        paths.deviations(x0, *arrays, age, False, self.slack, self.before, self.beyond)
        (points, edges, triangles), (far_points, far_edges, far_triangles) = self.trees
        drop = self.dtype.type(np.linalg.norm(self.fall))
        common = x0, self.step, self._marks(), drop, age, self.dtype.type(horizon)

        def both(vertex: bool, one: Tree, other: Tree) -> list[Found]:
            return [*self.search(ALL, vertex, one, other, *common), *self.search(OTHERS, vertex, other, one, *common)]

        # The boxes of what did not move hold for as long as the lists.
        partly = self.fitted and not self.wide.any() and count < PARTLY * len(moved)
        if not partly:
            # Bodies are searched for among each other in a frame that moves with them.
            drift = (np.zeros(3, self.dtype), False) if self.wide.any() else self._drift(self.step[:, :3])
            until = horizon if self.wide.any() else self.horizon
            self._refit(moved, until, *drift, self.trees[:1])
        else:
            self._refit(moved, horizon, *self.frame, self.trees, partly)
        vertex = both(True, points, triangles)
        edge = self.search(WITHIN, False, edges, edges, *common)
        if len(far_points):
            if not partly:
                self._refit(moved, until, np.zeros(3, self.dtype), False, self.trees)
            vertex += self._numbered(both(True, points, far_triangles), 0, self.offsets[1])
            vertex += both(True, far_points, triangles)
            edge += self._numbered(self.search(ALL, False, edges, far_edges, *common), 0, self.offsets[0])
            edge += self._turned(self.search(OTHERS, False, far_edges, edges, *common))
        self.fitted = not self.wide.any()
        self.found.replace(moved, vertex, edge)

    def _refit(self, moved: Array, horizon: int, drift: Array, falls: bool, sets: list, partly: bool = False) -> None:
        """Fits trees to the paths up to a horizon, in a frame that drifts; elements of particles that moved are fresh."""
        age, end, growth = self.dtype.type(self.age), self.dtype.type(horizon), self._growth()
        which = moved if partly else np.ones(len(moved), bool)
        arrays = self.base, self.step, self.falls, self.fall
        paths.boxes(*arrays, age, end, drift, falls, growth, which, self.low, self.high)
        self.frame = drift, falls
        for tree in (tree for trees in sets for tree in trees):
            tree.fit(self.low, self.high, moved, partly)

    def _marks(self) -> Array:
        """What a search has to know of each particle, (count, 4)."""
        s = self.surfaces
        slack = np.where(self.wide, self.dtype.type(WIDE), self.slack)
        return np.stack([self.before, slack, s.distance + s.half, self.falls.astype(self.dtype)], 1)

    def _numbered(self, parts: list[Found], first: int, second: int) -> list[Found]:
        for part in parts:
            part.ids += np.array([first, second], np.int32)
        return parts

    def _turned(self, parts: list[Found]) -> list[Found]:
        """Pairs of edges found from the collider's side, turned so that the body comes first."""
        for part in parts:
            part.corners, part.ids = part.corners[:, [2, 3, 0, 1]], part.ids[:, ::-1].copy()
        return self._numbered(parts, 0, self.offsets[0])

    def _growth(self) -> Array:
        """What boxes are grown by [m]: slack, half of what is kept, and a fall where predictions fall and this does not."""
        growth = self.slack + self.touching * self.dtype.type(ACTIVE)
        growth[self.still] += np.linalg.norm(self.fall)
        return growth

    def _measure(self, x1: Array) -> None:
        """The largest deviation of each particle and element in this substep, and their ways so far."""
        arrays, s = (self.base, self.step, self.falls, self.fall), self.surfaces
        paths.deviations(x1, *arrays, self.dtype.type(self.age + 1), True, self.slack, self.off, self.beyond)
        np.maximum(self.off, self.before, out=self.off)
        if self.age == 0:
            self.way[:] = 0
            for ways in self.ways:
                ways[:] = 0
        for elements, ways in zip((self.particles, s.edges, s.triangles), self.ways, strict=True):
            paths.gather_ways(elements, self.off, self.way, ways)

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
