"""Continuous collision detection, at the end of a substep: no pair passes through another on the way there.

Pairs are tested on the straight motion from start to end (`detection`); what belongs to pairs that fail goes less far
(`clamp`). All pairs are tested again after each change, until none fails.
"""

from __future__ import annotations

from typing import Protocol

from ...device import arrays
from ...device.threads import CHUNK, run
from ..broad_phase.candidates import CandidatePairs
from ..broad_phase.neighbour_lists import NeighbourLists
from ..surfaces.exclusions import Exclusions
from ..surfaces.motion import SubstepMotion
from ..surfaces.surfaces import Surfaces
from ..tolerances import CCD_PASSES, STALL_COUNT, STALL_SHARE
from .clamp import bounds, clamp_ends, common_motion, escalate
from .detection import PairDistances, check, remeasure

__all__ = ["Ccd", "CoupledClamp", "PairDistances"]

Array = arrays.Array


class CoupledClamp(Protocol):
    """What the clamp has to know of coupled vertices, which something else moves; false where there are none."""

    def __bool__(self) -> bool: ...

    def begin(self) -> None:
        """Notes where what moves coupled vertices wants to go."""

    def lead_by_bodies(
        self, pairs: CandidatePairs, distance: Array, motion: SubstepMotion, room: Array, lead: Array
    ) -> None:
        """Lets particles beside a rigid body be held to its motion, as to a collider's. Written: lead."""

    def release(self, corners: Array, x0: Array, before: Array, level: Array) -> None:
        """Takes back the levels of rigid bodies that something lighter beside them can still make room for."""

    def spread(self, level: Array, share: Array, room: Array, lead: Array, nearest: Array) -> None:
        """Gives what moves a particle its level and its bounds, in place."""

    def clamp(self, x0: Array, wanted: Array, clamp: tuple, x: Array) -> None:
        """Puts what moves coupled vertices where its level lets it be, and these with it. Written: x."""


class Ccd:
    """Continuous collision detection of one world.

    clamped: particles that the last `clamp` let go less far. failures: pairs that it could not keep apart, unresolved: those
    of this frame. level: that of each particle in the last `clamp`, 0 (free) to CCD_LEVELS, (count,) int8.
    """

    def __init__(self, lists: NeighbourLists, surfaces: Surfaces, coupled: CoupledClamp, like: Array, fixed: bool) -> None:
        """like: an array of the type and device of positions. fixed: whether there are colliders or planes."""
        self._lists, self._surfaces, self._coupled, self._fixed = lists, surfaces, coupled, fixed
        count, dtype = surfaces.count, like.dtype
        self.level, self._hit = arrays.zeros(count, "int8", like), arrays.zeros(count, bool, like)
        self._room, self._nearest, self._travel, self._share = arrays.zeros((4, count), dtype, like)
        self._lead = arrays.zeros((count, 3), dtype, like)
        self._per_pair = arrays.empty((2, 0), dtype, like)
        self.clamped = self.failures = self.unresolved = 0
        self._failed: list[Array] = []
        self.begin()

    def begin_frame(self) -> None:
        """Goes before the first substep of a frame."""
        self.clamped = self.unresolved = 0
        self._failed.clear()

    def begin(self) -> PairDistances:
        """Room for the distances of the pairs of this substep, which `clamp` wants to know."""
        pairs = len(self._lists)
        if pairs > self._per_pair.shape[1]:  # kept from substep to substep: new memory is slow at first
            self._per_pair = arrays.empty((2, pairs * 5 // 4), self._per_pair.dtype, self._per_pair)
        margin = arrays.empty(-(-pairs // CHUNK), self._per_pair.dtype, self._per_pair)
        self._safe = self._per_pair[1, :pairs]
        self._measured = PairDistances(self._per_pair[0, :pairs], margin)
        return self._measured

    def unresolved_corners(self) -> Array:
        """Corners of the pairs that substeps of this frame could not keep apart, (k, 4)."""
        return arrays.concatenate([arrays.empty((0, 4), "int32", self.level), *self._failed])

    def is_stalled(self, start: int, stop: int) -> bool:
        """Whether the last substep clamped more than a few of the vertices start..stop."""
        least = max(STALL_COUNT, STALL_SHARE * (stop - start))
        return self.clamped > STALL_COUNT and arrays.count(self.level[start:stop]) > least

    def clamp(self, motion: SubstepMotion, exclusions: Exclusions) -> None:
        """Lets particles go less far until no pair fails, or no level is left. Written: motion.x1."""
        lists, x0, failures, wanted = self._lists, motion.x0, 0, motion
        bounded = False
        if self._coupled:
            self._coupled.begin()
        arrays.fill(self.level, 0)
        for _ in range(CCD_PASSES):
            if lists.follow(motion):
                self._remeasure(x0, exclusions)
                bounded = False
            pairs, safe = lists.pairs, self._safe
            if not len(lists):
                failures = 0
                break
            failures = self._detect(pairs, motion)
            if not failures:
                break
            if not bounded:
                if wanted is motion:
                    wanted = SubstepMotion(x0, arrays.copy(motion.x1))
                self._bound(pairs, wanted)
                bounded = True
            before, failed = arrays.copy(self.level), pairs.corners[safe <= 1]
            if not escalate(pairs.corners, safe, x0, self.level, self._hit, self._share):
                break
            if self._coupled:
                self._coupled.release(failed, x0, before, self.level)
                self._coupled.spread(self.level, self._share, self._room, self._lead, self._nearest)
            self._clamp_ends(wanted, failed, motion)
        if failures:
            self._failed.append(lists.pairs.corners[self._safe <= 1])
        self.clamped, self.failures = arrays.count(self.level), failures
        self.unresolved += failures

    def _detect(self, pairs: CandidatePairs, motion: SubstepMotion) -> int:
        """How many pairs fail."""
        self._lists.measure_travel(motion, self._travel)
        farthest = arrays.largest(self._travel, 0)
        run(check, len(pairs.ids), pairs, self._measured, motion, self._travel, farthest, self._safe)
        return arrays.count(self._safe <= 1)

    def _bound(self, pairs: CandidatePairs, wanted: SubstepMotion) -> None:
        bounds(pairs, self._measured.distance, wanted, self._room, self._lead, self._nearest)
        if self._coupled:
            self._coupled.lead_by_bodies(pairs, self._measured.distance, wanted, self._room, self._lead)

    def _clamp_ends(self, wanted: SubstepMotion, failed: Array, motion: SubstepMotion) -> None:
        x0, n = motion.x0, self._surfaces.n
        still = self._fixed or arrays.any(x0[:n, 3] == 0)
        common = common_motion(motion, failed, still, self._surfaces.active[:n])
        clamp = self.level, self._share, self._room, self._lead, common
        clamp_ends(wanted, *clamp, motion.x1)
        if self._coupled:
            self._coupled.clamp(x0, wanted.x1, clamp, motion.x1)

    def _remeasure(self, x0: Array, exclusions: Exclusions) -> None:
        """Distances of pairs that are new since the selection of contacts."""
        lists, (distance, margin) = self._lists, self.begin()
        arrays.fill(margin, -1)
        age = x0.dtype.type(lists.age)
        run(
            remeasure, len(lists), lists.pairs, age, lists.drift_at_start, x0, exclusions, self._surfaces.table, distance
        )  # fmt: skip
