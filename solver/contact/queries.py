"""Results of contact for callers: of the substep that has ended, and of the frame so far."""

from __future__ import annotations

import numpy as np

from .constraints.coupled import CoupledContacts
from .constraints.linear import LinearContacts
from .constraints.pairs import PairContacts
from .constraints.tables import Array
from .device_exchange import DeviceExchange
from .intersections.incidents import Incidents
from .statistics import Statistics


class Queries(DeviceExchange):
    """Queries to the stages of `Contact`, which makes them, without changes."""

    def near(self) -> Array:
        """The vertices that the contacts of this substep may push, (n,) bool. After `begin_substep`."""
        return self.constraints.near()

    def touched(self) -> Array:
        """The vertices that contacts pushed when they were measured last, (n,) bool."""
        return self.constraints.touched

    def moved(self) -> Array:
        """The vertices that contact has moved in the last substep, by force or by the CCD clamp, (n,) bool."""
        return self.constraints.touched | (self.ccd.level[: self.particles.n] > 0)

    def forces(self) -> Array:
        """Return the forces between surfaces that both move beyond the warm start, or beyond those already returned, on each
        vertex, (n, 3) [N]; of rigid bodies and embedded points nothing."""
        return self.constraints.warm_start.forces_since(self.particles.n)

    @property
    def pushes_rigid(self) -> bool:
        """Return whether there are contacts of rigid bodies or embedded points in this substep."""
        return len(self.constraints.coupled) > 0

    def linear_contacts(self) -> tuple[LinearContacts, ...]:
        """The contacts of this substep as linear inequalities; of coupled vertices there are none."""
        return self.constraints.linear()

    def pair_contacts(self) -> PairContacts:
        """Return the contacts of pairs in this substep."""
        return self.constraints.pairs

    def coupled_contacts(self) -> CoupledContacts:
        """Return the contacts of coupled vertices in this substep."""
        return self.constraints.coupled

    @property
    def failures(self) -> int:
        """Pairs that the last substep could not keep apart."""
        return self.ccd.failures

    @property
    def clamped(self) -> int:
        """Particles that the last substep let go less far."""
        return self.ccd.clamped

    def is_stalled(self, start: int, stop: int, way: float, any_of_them: bool = False) -> bool:
        """Return whether the last substep shortened the motion of more than a few of the vertices start..stop by more than a
        way [m], or any of them."""
        return self.ccd.is_stalled(start, stop, way, any_of_them)

    def held(self, vertices: Array) -> Array | None:
        """Return how much the CCD clamp has held some vertices in the last substeps, each 0 to 1; None for nowhere."""
        held = self.ccd.held[vertices]
        return held if held.any() else None

    @property
    def separates(self) -> bool:
        """Return whether anything is pulled out of an intersection in this substep."""
        return self.recovery.active

    def is_separating(self, start: int, stop: int) -> bool:
        """Return whether any of the vertices start..stop is pulled out of an intersection in this substep."""
        return self.recovery.is_active(start, stop)

    def statistics(self) -> Statistics:
        """Numbers of the last substep, and of the frame so far."""
        c, ccd = self.constraints, self.ccd
        pairs, crossing = len(self.lists) or self._elsewhere, self.recovery.count
        unresolved = ccd.unresolved + len(c.pinched)
        return Statistics(c.count, pairs, c.deepest, ccd.clamped, ccd.failures, unresolved, crossing)

    def intersections(self) -> Incidents:
        """Edges that pass through triangles at the end of the last substep; looks only where there may be any."""
        return self.recovery.incidents(self.particles.motion.x1)

    def unresolved(self) -> Incidents:
        """Pairs that substeps of this frame could not keep apart, and those that the last one had no room for."""
        s, corners = self.surfaces, np.concatenate([self.ccd.unresolved_corners(), self.constraints.pinched])
        return Incidents(s.owner[corners[:, 0]], s.owner[corners[:, 3]], self.particles.motion.x1[corners, :3].mean(1))
