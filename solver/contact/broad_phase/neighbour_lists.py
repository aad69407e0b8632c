"""Neighbour (Verlet) lists: candidate pairs that stay good for some substeps, so that most are never measured again.

A list is made along the paths that particles are expected to take, for its lifetime (`predicted_paths`). Where a particle
drifts off its path by more than its skin, or is so fast that its path ends before the list does, it gets a new one, and only
the pairs of its elements are searched for anew. Where all there is are smooth sheets, there are no lists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...device.counters import counters
from ...errors import ContactMemoryError
from ...steering import DRIFTED_SHARE, SLIGHT
from ..surfaces.motion import SubstepMotion
from ..surfaces.surfaces import Surfaces
from .candidates import CandidatePairs, CandidateTable
from .lifetime import common_lifetime, lifetimes, renewed_ends, skins
from .pair_limit import PairLimit
from .pair_search import PairSearch, box_growth
from .predicted_paths import (
    DRIFT,
    ElementDrifts,
    SweptBoxes,
    begin_paths,
    expect_ends,
    fell_freely,
    find_beyond,
    fit_skins,
    gather_drifts,
    mean_motion,
    measure_drift,
    measure_travel,
    not_covered,
    unknown_paths,
)
from .query import UNBOUNDED, Forecast
from .room import find_room
from .smooth_ropes import SmoothRopes
from .smooth_sheets import SmoothSheets
from .smooth_windows import SmoothWindows
from .tied_pairs import TieTable
from .tree import Tree

Array = np.ndarray


class NeighbourLists:
    """Pairs of points and triangles, and of edges, that may touch.

    pairs: all of them. paths: predicted, from the beginning of the lists. lifetime: substeps that they are made for; age: of
    the substep that runs. drifts: of particles and elements, the largest in this substep, see `DRIFT`. drift_at_start:
    (count,) [m]. searches, renewals: so far, of all particles and of some. median_edge: of the bodies [m].
    ties: pairs left alone. limit: of the number of pairs. warnings: receives a message when it is reached. smooth: whether
    there are no pairs because all objects are smooth sheets, or ropes, apart from each other, see `smooth_sheets`.
    """

    def __init__(self, surfaces: Surfaces, start: Array, dtype: np.dtype, tied_at: Array | None = None) -> None:
        """start: positions that bodies and colliders begin with [m], (count, 3). tied_at: where ties look for neighbours,
        None for there."""
        s, count = surfaces, surfaces.count
        self._surfaces, self._dtype = s, dtype
        self.ties = TieTable(s.bound, s.tie_distance, (start if tied_at is None else tied_at).astype(dtype))
        self._touching = np.maximum(s.half, s.distance)
        self._least_skin, self.median_edge = skins(s, start.astype(dtype), self._touching, dtype)
        self._skin, self._room = self._least_skin.copy(), np.zeros(count, dtype)
        self.limit, self._short = PairLimit(s), False
        self.warnings: list[str] = []
        ropes, self._windows = SmoothRopes(s), SmoothWindows(s)
        self._smooth = ropes if ropes.is_known else SmoothSheets(s)
        self._search = PairSearch(s, start, dtype, self.limit, self._windows)
        self._most_skin = np.where(self._windows.inside, dtype.type(2), dtype.type(1)) * self._least_skin
        self.smooth, self._expectation = False, (np.zeros(3), np.zeros(3), 1)
        self._table = CandidateTable(dtype)
        self.paths = unknown_paths(count, dtype)
        self._elements = np.arange(count, dtype=np.int32)[:, None], s.edges, s.triangles
        self.drifts = ElementDrifts(*(np.zeros((len(e), DRIFT.width), dtype) for e in self._elements))
        self._drift, self.drift_at_start, self._travel = np.zeros((3, count), dtype)
        self._beyond, self._still, self._falling = np.zeros((3, count), bool)
        self._falling[: s.n] = True
        self._steps = np.zeros((count, 3), dtype)
        self._swept = SweptBoxes(np.zeros(count, bool), *np.zeros((2, count, 3), dtype))
        self.searches = self.renewals = 0
        self._h = 0.0
        self.forget()

    @property
    def pairs(self) -> CandidatePairs:
        return self._table.pairs

    def __len__(self) -> int:
        return len(self._table)

    def forget(self) -> None:
        """Drop the pairs, so that the next substep searches for all."""
        self._table.clear()
        self._listed, self.age, self.lifetime, self._renewed = False, 0, 1, 0

    def set_substep_length(self, h: float) -> None:
        """Drop pairs that were made for substeps of another length. h: [s]."""
        if h != self._h:
            self.forget()
            self._h = h

    def begin_frame(self) -> None:
        """Drop the pairs of lists that were often mended. A restored simulation has no boxes, so none are kept."""
        self._search.forget_boxes()
        self._smooth.begin_frame()
        self._short = False
        if self._renewed > SLIGHT * int(np.count_nonzero(self._surfaces.active)):
            self._listed = False

    def state(self, pairs: bool = True) -> dict[str, Array]:
        """Return the state of the lists, by name; `restore` makes the same ones from it, or none without pairs. Rows of
        "pair_..." are as many as pairs."""
        if not pairs:
            return {"list_falling": self._falling, "list_skin": self._skin}
        numbers = [self._listed, self.age, self.lifetime, self._renewed, self.pairs.split, self._h]
        return self._fixed_state() | {
            "lists": np.array(numbers, np.float64),
            "pair_ids": self.pairs.ids,
            "pair_values": self.pairs.values,
        }

    def _fixed_state(self) -> dict[str, Array]:
        """The arrays whose shapes stay."""
        of_paths = {f"path_{name}": array for name, array in self.paths._asdict().items()}
        of_drifts = {f"drift_of_{name}": array for name, array in self.drifts._asdict().items()}
        group_arrays = {"still": self._still, "travel": self._travel, "falling": self._falling, "skin": self._skin}
        return {f"list_{name}": array for name, array in group_arrays.items()} | of_paths | of_drifts | self._windows.state()

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over a `state`; the number of pairs may be another one."""
        if "lists" not in state:
            self._falling[...] = state["list_falling"]
            self._skin[...] = state["list_skin"]
            self.forget()
            return
        for key, array in self._fixed_state().items():
            array[...] = np.asarray(state[key])
        listed, self.age, self.lifetime, self._renewed, split = state["lists"][:-1].astype(int).tolist()
        self._h = float(state["lists"][-1])
        self._listed = bool(listed)
        self._search.forget_boxes()
        self._windows.restored()
        ids, s = state["pair_ids"], self._surfaces
        vertex = np.concatenate([ids[:split, :1], s.triangles[ids[:split, 1]]], 1)
        edge = np.concatenate([s.edges[ids[split:, 0]], s.edges[ids[split:, 1]]], 1)
        self._table.put(np.concatenate([vertex, edge]), ids, state["pair_values"], split)

    def trees_at(self, positions: Array, which: Array) -> list[list[Tree]]:
        """See `PairSearch.trees_at`."""
        return self._search.trees_at(positions, which)

    def update(self, motion: SubstepMotion, fall: Array, pull: Array, most: int) -> None:
        """Make the pairs good for a predicted motion.

        fall: by which a falling particle moves farther in each substep than in the one before [m], (3,). pull: displacement
        of a prediction by gravity [m], (3,). most: lifetime of new lists where much moves, in substeps.
        """
        x0, x1 = motion
        self.smooth, self._expectation = self._smooth.stay_apart(motion, True), (fall, pull, most)
        if self.smooth:
            self.forget()
            return
        self.age += 1
        self._swept.which.fill(False)
        known = self._listed and self.age < self.lifetime
        for at_work, now in ((self.paths.fall, fall), (self.paths.pull, pull)):
            known = known and not (at_work != now.astype(self._dtype)).any()
            at_work[...] = now
        if not known:
            self._windows.begin()
        steep = self._windows.look(x0, x1)
        if not known:
            self._begin_lists(motion, most)
        elif self._leave_paths(motion, steep):
            ends, mean = self._expect(motion)
            last_age = np.empty(len(ends), np.int64)
            renewed_ends(self._steps, mean, self.median_edge, self.paths.base[:, 3], self.age, last_age)
            self._find_room()
            self._renew(SubstepMotion(x0, ends), last_age)
            self.renewals += 1
            counters.partial_searches += 1
        self._measure_drifts(x1)

    def follow(self, motion: SubstepMotion, *others: Array) -> bool:
        """Make the pairs good for the motion that a substep ended with; false if they were so already.

        others: further ends that they are to be good for [m], (count, 4).
        """
        (x0, x1), s, swept, begun = motion, self._surfaces, self._swept, False
        if self.smooth:
            self.smooth = self._smooth.stay_apart(motion, False)
            if self.smooth:
                return False
            self.update(motion, *self._expectation)
            begun = True
        steep = self._windows.look(x0, *others, x1)
        out = np.zeros(len(x0), bool) if steep is None else steep.copy()
        reach = self._skin + np.minimum(s.half, s.distance)
        for end in (x1, *others):
            if not_covered(end, self.paths, self._dtype.type(self.age + 1), reach, swept, self._beyond):
                out |= self._beyond
        out &= s.active
        if not out.any():
            return begun
        low, high = (x0[out, :3].copy() for _ in range(2))
        for end in (x1, *others):
            low, high = np.minimum(low, end[out, :3]), np.maximum(high, end[out, :3])
        self._beyond[...] = out
        swept.which[out] = True
        swept.low[out], swept.high[out] = low, high
        self._find_room()
        self._renew(motion, np.full(len(x0), self.age + 1, "int64"))
        self.renewals += 1
        counters.partial_searches += 1
        return True

    def finish(self, motion: SubstepMotion, predicted: Array) -> None:
        """Note particles that fell freely in the substep that ends, and their motion beside their paths.

        predicted: where particles were expected to end [m], (count, 4).
        """
        if self.smooth:
            return
        fell_freely(motion, predicted, self.paths.pull, self._surfaces.n, self._falling)
        self.measure_travel(motion, self._travel)

    def measure_travel(self, motion: SubstepMotion, travel: Array) -> None:
        """Measure the motion of particles beside their paths [m]; the rate of a pair holds the rest. Written: travel
        (count,)."""
        measure_travel(motion, self.paths, self._dtype.type(self.age), travel)

    def _begin_lists(self, motion: SubstepMotion, most: int) -> None:
        """New paths for all, and new pairs."""
        x0, active, falls = motion.x0, self._surfaces.active, self.paths.falls
        self._find_room()
        self.age, self._listed, self._renewed = 0, True, 0
        self._still[...] = x0[:, 3] == 0
        moving = active & ~self._still
        many = np.count_nonzero(self._falling & moving) > SLIGHT * int(np.count_nonzero(moving))
        falls[...] = self._falling & many
        self._beyond.fill(True)
        ends, mean = self._expect(motion)
        lifetimes_of_particles = lifetimes(self._steps - mean, self.median_edge, most, bool(falls[active].any()))
        self.lifetime = common_lifetime(lifetimes_of_particles[active])
        self._renew(SubstepMotion(x0, ends), lifetimes_of_particles)
        self.searches += 1
        counters.searches += 1

    def _find_room(self) -> None:
        """Bound the thickness of skins, by the pairs of now; the present one where these are not known."""
        if len(self):
            find_room(self.pairs, self._dtype.type(self.age), self._skin, self._room)
        else:
            self._room[...] = self._skin

    def _leave_paths(self, motion: SubstepMotion, steep: Array | None) -> bool:
        """Mark the particles that need new paths, `steep` ones among them; return whether there are any."""
        if steep is None:
            self._beyond.fill(False)
        else:
            self._beyond[...] = steep
        ages, share = (self._dtype.type(self.age), self._dtype.type(self.lifetime)), self._dtype.type(DRIFTED_SHARE)
        kept = self._surfaces.active, self._skin, self._drift, self.drift_at_start
        return find_beyond(motion, self.paths, *ages, share, *kept, self._beyond)

    def _expect(self, motion: SubstepMotion) -> tuple[Array, Array]:
        """Expected ends of particles, (count, 4), and the mean motion to there of the bodies' particles, (3,) [m]. Written:
        the motion of each, `_steps`."""
        ends = np.empty_like(motion.x1)
        expect_ends(motion, self.paths, ends, self._steps)
        return ends, self._mean_motion(self._steps)[0]

    def _mean_motion(self, steps: Array) -> tuple[Array, bool]:
        """Mean motion a substep of the bodies' particles [m], (3,), and whether most fall."""
        mean = np.empty(3, self._dtype)
        return mean, mean_motion(steps, self._surfaces.active, self._still, self.paths.falls, mean)

    def _mean_step(self) -> tuple[Array, bool]:
        return self._mean_motion(self.paths.step)

    def _renew(self, motion: SubstepMotion, last_age: Array) -> None:
        """New paths for the particles beyond their skin, and new pairs for their elements, up to each one's last age.

        Pairs of swept particles are kept for all ends within their boxes. Where there are too many pairs, those of all
        particles are searched for anew, for this substep and the others of the frame one by one.
        Raises: ContactMemoryError if these are too many.
        """
        shortest = np.full(len(last_age), self.age + 1, "int64")
        try:
            self._find(motion, shortest if self._short else last_age)
        except ContactMemoryError as error:
            if not self._short:
                self._warn(error)
            self._short = True
            self._table.clear()
            self._beyond.fill(True)
            self._find(motion, shortest)

    def _warn(self, error: ContactMemoryError) -> None:
        """Warn once that lists are made for single substeps now."""
        if not any("made for single substeps" in warning for warning in self.warnings):
            self.warnings.append(
                f"{error} Lists of pairs are made for single substeps in such frames, which takes longer; the simulation "
                "ends where there are too many for one."
            )

    def _find(self, motion: SubstepMotion, last_age: Array) -> None:
        """As `_renew`, without a way out."""
        x0, s, dtype = motion.x0, self._surfaces, self._dtype
        age, moved = dtype.type(self.age), self._beyond.copy()
        begin_paths(motion, moved, age, np.minimum(last_age, self.lifetime), self.paths)
        self._renewed += int(np.count_nonzero(moved)) if self.age else 0
        fit_skins(x0, self.paths, moved, self._room, self._least_skin, self._most_skin, self._skin)
        measure_drift(x0, self.paths, age, False, self._skin, self.drift_at_start, self._beyond)
        drop, pull = (dtype.type(math.hypot(*by)) for by in (self.paths.fall, self.paths.pull))
        swept = bool(self._swept.which.any())
        skin = np.where(self._swept.which, dtype.type(UNBOUNDED), self._skin)
        thickness, falls = s.distance + s.half, self.paths.falls.astype(dtype, copy=False)
        marks = np.stack([self.drift_at_start, skin, thickness, falls], 1)
        forecast = Forecast(x0, self.paths.step, marks, self.ties, drop, pull, age)
        growth = box_growth(self._skin, self._touching, self._still, pull)
        boxes = self._swept if swept else None
        near_pairs = self._search.find(moved, self.paths, forecast, growth, self.lifetime, boxes, self._mean_step)
        new = sum(len(part.ids) for parts in near_pairs for part in parts)
        if len(self) + new > self.limit.most:
            where = [part.corners for parts in near_pairs for part in parts]
            self.limit.check(self._table.count_kept(moved) + new, np.concatenate([*where, self.pairs.corners]))
        self._table.replace(moved, *near_pairs)

    def _measure_drifts(self, x1: Array) -> None:
        """Measure the largest drift of each particle and element in this substep, and their travel so far."""
        age = self._dtype.type(self.age + 1)
        measure_drift(x1, self.paths, age, True, self._skin, self._drift, self._beyond)
        self._drift[...] = np.maximum(self._drift, self.drift_at_start)
        if self.age == 0:
            self._travel.fill(0)
            for drifts in self.drifts:
                drifts.fill(0)
        for elements, drifts in zip(self._elements, self.drifts, strict=True):
            gather_drifts(elements, self._drift, self._travel, drifts)
