"""Continuous collision detection, at the end of a substep: no pair passes through another on the way there.

Pairs are tested on the straight motion from start to end (`detection`); the motion of failed pairs is shortened (`clamp`).
Changed pairs are tested again, until no pair fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from ...device.threads import CHUNK, run
from ...steering import MOST_PASSES, SLIGHT, STALL_COUNT, STALL_SHARE, WARM_START_SHARE, ZONE_PASSES
from ..broad_phase.candidates import CANDIDATE, CandidatePairs
from ..broad_phase.neighbour_lists import NeighbourLists
from ..surfaces.collider_tables import PlaneTable
from ..surfaces.exclusions import Exclusions
from ..surfaces.motion import SubstepMotion
from ..surfaces.surfaces import Surfaces
from .boards import clamp_boards
from .clamp import IN_ZONE, bounds, clamp_ends, common_motion, escalate, held_ends
from .detection import PairDistances, check, note_ends, remeasure
from .impact_zones import ImpactZones
from .planes import PlaneGuard

__all__ = ["Ccd", "CoupledClamp", "PairDistances"]

Array = np.ndarray


class CoupledClamp(Protocol):
    """Clamp of coupled vertices, which something else moves; false where there are none."""

    def __bool__(self) -> bool: ...

    def begin(self) -> None:
        """Store the target motion of the carriers of coupled vertices."""

    def lead_by_bodies(
        self, pairs: CandidatePairs, distance: Array, motion: SubstepMotion, room: Array, lead: Array
    ) -> None:
        """Let particles beside a rigid body be held to its motion, as to a collider's. Written: lead."""

    def release(self, corners: Array, x0: Array, before: Array, level: Array) -> None:
        """Take back the levels of rigid bodies that something lighter beside them can still make room for."""

    def spread(self, level: Array, share: Array, room: Array, lead: Array, nearest: Array) -> None:
        """Transfer the level and the bounds of a particle to its carrier, in place."""

    def clamp(self, x0: Array, wanted: Array, clamp: tuple, x: Array) -> None:
        """Move the carriers of coupled vertices as far as their level permits, with these vertices. Written: x."""

    def push_back(self, motion: SubstepMotion, wanted: SubstepMotion, level: Array) -> None:
        """Take the momentum that particles were given by being held to a rigid body's motion from that body."""

    def share_masses(self, mass: Array) -> None:
        """Give each vertex of a rigid body its share of the mass, and embedded points none, in place."""

    def bonds(self, particles: Array) -> Array:
        """Pairs of particles that must be in one zone since one of these is, (k, 2)."""

    def move_zones(self, level: Array, displacement: Array, x: Array) -> None:
        """Move the carriers of coupled vertices with their zone, and these vertices. Written: x."""


class Ccd:
    """Continuous collision detection of one world.

    clamped: particles with a motion that the last `clamp` shortened. lost: by how much [m], (count,), 0 of pinned ones,
    whose motion is lost in substeps of any length. failures: pairs that remained in collision. level: of each particle in
    the last `clamp`, 0 (free) to CCD_LEVELS, or IN_ZONE, (count,) int8. held: 1 at clamped particles, decaying afterwards,
    (count,).
    """

    def __init__(
        self, lists: NeighbourLists, surfaces: Surfaces, coupled: CoupledClamp, dtype: np.dtype, fixed: bool, touches: Array,
        planes: PlaneTable,
    ) -> None:  # fmt: skip
        """dtype: type of positions. fixed: whether there are colliders or planes. touches: which
        particles of bodies do, (n,) bool."""
        self._lists, self._surfaces, self._coupled, self._fixed = lists, surfaces, coupled, fixed
        self._planes = PlaneGuard(touches, surfaces.owner, planes)
        count = surfaces.count
        self.level, self._hit = np.zeros(count, "int8"), np.zeros(count, bool)
        self._room, self._nearest, self._travel, self._share = np.zeros((4, count), dtype)
        self._lead, self._ends = np.zeros((count, 3), dtype), np.zeros((count, 4), dtype)
        self._changed = np.zeros(count, bool)
        self.lost = np.zeros(count, dtype)
        self.held = np.zeros(count, "float32")
        self._per_pair = np.empty((2, 0), dtype)
        self.clamped = self.failures = 0
        self._failed: list[Array] = []
        self._boards = np.zeros((0, 2), "int64")
        self.begin()

    def state(self) -> dict[str, Array]:
        """Return the state for the next substep, by name; a checkpoint keeps these arrays."""
        return {"held_by_ccd": self.held, "pair_failed": self.unresolved_corners()}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over a `state`."""
        self.held[...] = state["held_by_ccd"]
        self._failed = [np.asarray(state["pair_failed"])]

    def begin_frame(self) -> None:
        """Prepare the first substep of a frame."""
        self.clamped = 0
        self._failed.clear()

    def begin(self) -> PairDistances:
        """Room for the distances of the pairs of this substep, which `clamp` wants to know."""
        pairs = len(self._lists)
        if pairs > self._per_pair.shape[1]:  # kept from substep to substep: new memory is slow at first
            self._per_pair = np.empty((2, pairs * 5 // 4), self._per_pair.dtype)
        margin = np.empty(-(-pairs // CHUNK), self._per_pair.dtype)
        self._safe = self._per_pair[1, :pairs]
        self._checked = False  # whether `safe` is of these pairs, for the motion that ended at `_ends`
        self._measured = PairDistances(self._per_pair[0, :pairs], margin)
        return self._measured

    def unresolved_corners(self) -> Array:
        """Corners of the pairs that substeps of this frame could not keep apart, (k, 4)."""
        return np.concatenate([np.empty((0, 4), "int32"), *self._failed])

    @property
    def unresolved(self) -> int:
        """Pairs that substeps of this frame could not keep apart."""
        return sum(len(corners) for corners in self._failed)

    def is_stalled(self, start: int, stop: int, distance: float, any_of_them: bool = False) -> bool:
        """Return whether the last substep shortened the motion of more than a few of the vertices start..stop by more than a
        distance [m], or any of them."""
        least = 0 if any_of_them else max(STALL_COUNT, STALL_SHARE * (stop - start))
        return bool(self.clamped > least and np.count_nonzero(self.lost[start:stop] > distance) > least)

    def on_held_boards(self) -> Array | None:
        """Return particles of stiff sheets that the last clamp has shortened, (count,) bool; None for none."""
        held = [(start, stop) for start, stop in self._boards.tolist() if bool((self.level[start:stop] > 0).any())]
        if not held:
            return None
        is_held = np.zeros(len(self.level), bool)
        for start, stop in held:
            is_held[start:stop] = True
        return is_held

    def clamp(self, motion: SubstepMotion, exclusions: Exclusions, boards: Array, new: bool = False) -> None:
        """Shorten motions of particles until no pair fails, or only colliders are left to yield. Written: motion.x1.

        `boards`: see `clamp_boards`. new: whether the pairs are of the end of the substep, and were never measured.
        """
        self._boards = boards
        if new:
            self._remeasure(motion.x0, exclusions)
        if self._coupled:
            self._coupled.begin()
        self.level.fill(0)
        wanted, failed = self._clamp_by_levels(motion, exclusions)
        zones = ImpactZones(self._surfaces.count, self._surfaces.n, bool(self._planes)) if len(failed) else None
        if zones is not None:
            failed = self._move_in_zones(zones, wanted, failed, motion, exclusions)
        if self._coupled:
            self._coupled.push_back(motion, wanted, self.level)
        if len(failed):
            self._failed.append(failed)
        self.clamped, self.failures = int(np.count_nonzero(self.level)), len(failed)
        self.lost.fill(0)
        if self.clamped:
            self.lost[:] = np.linalg.norm(wanted.x1[:, :3] - motion.x1[:, :3], axis=-1)
        if zones is not None:
            self.lost[zones.with_pins(motion.x0)] = 0
        self._note_held()

    def rest(self) -> None:
        """Set the state in place of `clamp` where nothing is near anything."""
        self.level.fill(0)
        self.lost.fill(0)
        self.clamped = self.failures = 0
        self._note_held()

    def take(self, level: Array) -> None:
        """Take levels that another device has found, (count,), in place of `clamp`. Earlier clamps are not known of it."""
        self.rest()
        self.level[...] = level
        self.clamped = int(np.count_nonzero(self.level))
        self.held.fill(0)
        self._note_held()

    def _note_held(self) -> None:
        if self.clamped or self.held.any():
            self.held *= WARM_START_SHARE
            self.held[self.held < SLIGHT] = 0
            self.held[self.level > 0] = 1

    def _clamp_by_levels(self, motion: SubstepMotion, exclusions: Exclusions) -> tuple[SubstepMotion, Array]:
        """Raise levels until no pair fails or none can be raised. Returns the motion as it was wanted, and the corners of
        the pairs that fail, (k, 4). Written: motion.x1."""
        lists, x0, wanted, bounded = self._lists, motion.x0, motion, False
        failed = np.empty((0, 4), "int32")
        if self.clamped and len(lists):  # as it is likely to be again
            self._bound(lists.pairs, motion)
            self._follow(motion, exclusions, self._held_ends(motion))
        for _ in range(MOST_PASSES):
            if self._follow(motion, exclusions):
                bounded = False
            failed = self._detect(motion)
            if not len(failed):
                break
            pairs = lists.pairs
            if not bounded:
                if wanted is motion:
                    wanted = SubstepMotion(x0, motion.x1.copy())
                self._bound(pairs, wanted)
                if self._follow(motion, exclusions, self._held_ends(wanted)):
                    continue
                bounded = True
            before = self.level.copy()
            if not escalate(*self._failing(pairs), x0, self.level, self._hit, self._share):
                break
            if self._coupled:
                self._coupled.release(failed, x0, before, self.level)
                self._coupled.spread(self.level, self._share, self._room, self._lead, self._nearest)
            self._clamp_ends(wanted, failed, motion)
        return wanted, failed

    def _move_in_zones(
        self, zones: ImpactZones, wanted: SubstepMotion, failed: Array, motion: SubstepMotion, exclusions: Exclusions
    ) -> Array:
        """Move particles that still fail as one, with all that they then hit, until no pair fails or nothing more can be
        done. Returns the corners of the pairs that fail then, (k, 4). Written: zones, motion.x1."""
        x0 = motion.x0
        mass = np.where(x0[:, 3] > 0, 1.0 / np.maximum(x0[:, 3], 1e-30), 0.0)
        if self._coupled:
            self._coupled.share_masses(mass)
        passes = 0
        while len(failed):
            changed = zones.take(failed)
            if passes >= ZONE_PASSES:  # else one ring of elements a pass
                changed += zones.take(self._beside(zones.zone))
            if self._coupled:
                changed += zones.link(self._coupled.bonds(zones.members))
            changed += zones.link(zones.of_boards(self._boards))
            if not changed and not zones.halt(failed):
                break
            members = zones.members
            self.level[members], self._lead[members] = IN_ZONE, zones.displacements(wanted, mass)
            motion.x1[members, :3] = x0[members, :3] + self._lead[members]
            if self._coupled:
                self._coupled.move_zones(self.level, self._lead, motion.x1)
            self._follow(motion, exclusions)
            failed = self._detect(motion)
            passes += 1
        return failed

    def _beside(self, zone: Array) -> Array:
        """Corners of the pairs nearer than they are to keep of which one is in a zone, (k, 4)."""
        pairs = self._lists.pairs
        near = pairs.corners[self._measured.distance < pairs.values[:, CANDIDATE.thickness]]
        return near[(zone[near] >= 0).any(1)]

    def _held_ends(self, wanted: SubstepMotion) -> Array:
        """Return the ends of particles that the clamp lets go nowhere beside their nearest neighbours, (count, 4) [m]."""
        ends = wanted.x1.copy()
        held_ends(wanted, self._room, self._lead, ends)
        return ends

    def _follow(self, motion: SubstepMotion, exclusions: Exclusions, *others: Array) -> bool:
        """Make the pairs good for a motion, and for other ends; false if they were so already."""
        new = self._lists.follow(motion, *others)
        if new:
            self._remeasure(motion.x0, exclusions)
        return new

    def _detect(self, motion: SubstepMotion) -> Array:
        """Corners of the pairs that fail, (k, 4). Of pairs checked before only those with a new end are checked again."""
        pairs = self._lists.pairs
        if not len(pairs.ids):
            return pairs.corners
        self._lists.measure_travel(motion, self._travel)
        farthest = self._travel.max(initial=0)
        if self._checked:
            note_ends(motion.x1, self._ends, self._changed)
        else:
            self._changed.fill(True)
        run(check, len(pairs.ids), pairs, self._measured, motion, self._travel, farthest, self._changed, self._safe)
        failed = pairs.corners[self._safe <= 1]
        if len(failed) and not self._checked:
            self._ends[...] = motion.x1
            self._checked = True
        if self._planes:
            rows, self._safe_of_passing = self._planes.passing(motion)
            self._passing = np.repeat(rows, 4).reshape(-1, 4).astype(failed.dtype, copy=False)
            failed = np.concatenate([failed, self._passing])
        return failed

    def _failing(self, pairs: CandidatePairs) -> tuple[Array, Array]:
        """Corners of the pairs, and of particles that pass planes, and the share of each one's motion that is safe; above 1
        for those that stay apart."""
        if not self._planes or not len(self._passing):
            return pairs.corners, self._safe
        return np.concatenate([pairs.corners, self._passing]), np.concatenate([self._safe, self._safe_of_passing])

    def _bound(self, pairs: CandidatePairs, wanted: SubstepMotion) -> None:
        bounds(pairs, self._measured.distance, wanted, self._room, self._lead, self._nearest)
        if self._planes:
            self._planes.bound(wanted.x0, self._room, self._lead, self._nearest)
        if self._coupled:
            self._coupled.lead_by_bodies(pairs, self._measured.distance, wanted, self._room, self._lead)

    def _clamp_ends(self, wanted: SubstepMotion, failed: Array, motion: SubstepMotion) -> None:
        x0, n = motion.x0, self._surfaces.n
        still = self._fixed or bool((x0[:n, 3] == 0).any())
        common = common_motion(motion, failed, still, self._surfaces.active[:n])
        clamp = self.level, self._share, self._room, self._lead, common
        clamp_ends(wanted, *clamp, motion.x1)
        if self._coupled:
            self._coupled.clamp(x0, wanted.x1, clamp, motion.x1)
        if len(self._boards):
            clamp_boards(self._boards, wanted, *clamp, motion.x1)

    def _remeasure(self, x0: Array, exclusions: Exclusions) -> None:
        """Distances of pairs that are new since the selection of contacts."""
        lists, (distance, margin) = self._lists, self.begin()
        margin.fill(-1)
        age = x0.dtype.type(lists.age)
        run(
            remeasure, len(lists), lists.pairs, age, lists.drift_at_start, x0, exclusions, self._surfaces.table, distance
        )  # fmt: skip
