"""Results of contact: of the substep that has ended, and of the frame so far."""

from __future__ import annotations

import numpy as np

from .broad_phase.neighbour_lists import NeighbourLists
from .ccd.ccd import Ccd
from .constraints.constraints import Constraints
from .constraints.particles import Particles
from .constraints.tables import Array
from .intersections.incidents import Incidents
from .intersections.recovery import IntersectionRecovery
from .statistics import Statistics
from .surfaces.surfaces import Surfaces


class ContactResults:
    """Queries to the stages of a `Contact`, without changes. pairs_of_device: candidate pairs of a device that has computed
    the substep."""

    def __init__(
        self, surfaces: Surfaces, lists: NeighbourLists, particles: Particles, constraints: Constraints,
        recovery: IntersectionRecovery, ccd: Ccd,
    ) -> None:  # fmt: skip
        self._surfaces, self._lists, self._particles = surfaces, lists, particles
        self._constraints, self._recovery, self._ccd = constraints, recovery, ccd
        self.pairs_of_device = 0

    def touched(self) -> Array:
        """The vertices that contacts pushed when they were measured last, (n,) bool."""
        return self._constraints.touched

    def moved(self) -> Array:
        """The vertices that contact has moved in the last substep, by force or by the CCD clamp, (n,) bool."""
        return self._constraints.touched | (self._ccd.level[: self._particles.n] > 0)

    @property
    def failures(self) -> int:
        """Pairs that the last substep could not keep apart."""
        return self._ccd.failures

    @property
    def clamped(self) -> int:
        """Particles that the last substep let go less far."""
        return self._ccd.clamped

    def is_stalled(self, start: int, stop: int, distance: float, any_of_them: bool = False) -> bool:
        """Return whether the last substep shortened the motion of more than a few of the vertices start..stop by more than a
        distance [m], or any of them."""
        return self._ccd.is_stalled(start, stop, distance, any_of_them)

    def held(self, vertices: Array) -> Array | None:
        """Return how much the CCD clamp has held some vertices in the last substeps, each 0 to 1; None for nowhere."""
        held = self._ccd.held[vertices]
        return held if held.any() else None

    @property
    def separates(self) -> bool:
        """Return whether anything is pulled out of an intersection in this substep."""
        return self._recovery.active

    def is_separating(self, start: int, stop: int) -> bool:
        """Return whether any of the vertices start..stop is pulled out of an intersection in this substep."""
        return self._recovery.is_active(start, stop)

    def statistics(self) -> Statistics:
        """Numbers of the last substep, and of the frame so far."""
        c, ccd = self._constraints, self._ccd
        pairs, crossing = len(self._lists) or self.pairs_of_device, self._recovery.count
        unresolved = ccd.unresolved + len(c.pinched)
        return Statistics(c.count, pairs, c.deepest, ccd.clamped, ccd.failures, unresolved, crossing)

    def intersections(self) -> Incidents:
        """Edges that pass through triangles at the end of the last substep; looks only where there may be any."""
        return self._recovery.incidents(self._particles.motion.x1)

    def unresolved(self) -> Incidents:
        """Pairs that substeps of this frame could not keep apart, and those that the last one had no room for."""
        owner, corners = self._surfaces.owner, np.concatenate([self._ccd.unresolved_corners(), self._constraints.pinched])
        return Incidents(owner[corners[:, 0]], owner[corners[:, 3]], self._particles.motion.x1[corners, :3].mean(1))
