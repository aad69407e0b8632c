"""Exchange of contact state with a device that computes a frame."""

from __future__ import annotations

from typing import NamedTuple

from .broad_phase.neighbour_lists import NeighbourLists
from .broad_phase.tied_pairs import TieTable
from .ccd.ccd import Ccd
from .constraints.constraints import Constraints
from .constraints.particles import Particles
from .constraints.tables import Array, VertexTable
from .intersections.recovery import IntersectionRecovery
from .results import ContactResults
from .surfaces.collider_tables import PlaneTable
from .surfaces.surfaces import Surfaces


class FoundPairs(NamedTuple):
    """Contacts of pairs at the end of a substep. keys, ascending, (k,) int64, and forces (k, 4) [N]: see `WarmStart`.
    touched: pushed vertices, (n,) bool. deepest: largest deficit of distance [m]. level: of all particles, see
    `Ccd`. pairs: candidates."""

    keys: Array
    forces: Array
    touched: Array
    deepest: float
    level: Array
    pairs: int


class DeviceExchange:
    """Data of the stages of a `Contact` for a device, and its results. speed: of penetration recovery [m/s].
    median_edge: of the bodies [m]."""

    def __init__(
        self, surfaces: Surfaces, lists: NeighbourLists, particles: Particles, constraints: Constraints,
        recovery: IntersectionRecovery, ccd: Ccd, results: ContactResults, speed: float, median_edge: float,
    ) -> None:  # fmt: skip
        self._surfaces, self._lists, self._particles, self._constraints = surfaces, lists, particles, constraints
        self._recovery, self._ccd, self._results = recovery, ccd, results
        self._speed, self._median_edge = speed, median_edge

    def has_pairs(self) -> bool:
        """Return whether surfaces may touch surfaces."""
        s = self._surfaces
        return bool(s.rules[: s.table.bodies].any())

    def plane_tables(self) -> tuple[PlaneTable, VertexTable, Array, float]:
        """Infinite planes; the table of vertices, and which of them have contact, (n,) bool; the largest speed of
        penetration recovery [m/s]."""
        return self._constraints.half_spaces.planes, self._particles.vertices, self._particles.touches, self._speed

    def surface_tables(self) -> tuple[Surfaces, TieTable, Array, float, float]:
        """Surfaces; pairs without contact because of ties and seams; particles of solids, (count,) bool; the largest speed
        of penetration recovery [m/s]; the median edge of the bodies [m]."""
        return self._surfaces, self._lists.ties, self._particles.solid, self._speed, self._median_edge

    def pair_forces(self) -> tuple[Array, Array]:
        """Return the forces of pairs in the last substep, see `FoundPairs`."""
        return self._constraints.warm_start.keys, self._constraints.warm_start.forces

    def plane_forces(self) -> tuple[Array, Array]:
        """Return the normal forces of infinite planes in the last substep, see `HalfSpaceContacts`."""
        return self._constraints.half_spaces.keys, self._constraints.half_spaces.forces[:, 0]

    def is_clear(self, x: Array, collider: Array) -> bool:
        """Return whether no surfaces intersect, and no vertex is on the wrong side of a collider. This remains true while
        continuous collision detection prevents intersections. x: (n, 4), collider: vertices of all, (m, 3) [m]."""
        n, penetration = self._particles.n, self._constraints.penetration
        self._particles.begin(x[:n], x[:n], collider, collider)
        x0 = self._particles.motion.x0
        if not self._particles.finite or (self._recovery.suspect.any() and len(self._recovery.find(x0))):
            return False
        self._recovery.suspect.fill(False)
        slots, at = self._constraints.half_spaces.slots, x0[n:, :3]
        penetration.begin(at, at, x0[:n], self._particles.vertices, x0.dtype.type(0), slots)
        self._constraints.half_spaces.clear()
        return not (penetration.enclosing > 0).any()

    def take_frame(
        self, x0: Array, x_pred: Array, x: Array, colliders: tuple[Array, Array], number: Array | None, rows: Array | None,
        pairs: FoundPairs | None,
    ) -> None:  # fmt: skip
        """Take over the last substep of a frame from another device.

        x0, x_pred, x: at its start, as predicted and at its end [m], (n, 4). colliders: vertices at its start and end [m],
        (m, 3). number, rows: of `SlotTable`, None without planes. pairs: None without pairs.
        """
        n = self._particles.n
        for stage in (self._lists, self._ccd):
            stage.begin_frame()
        self._constraints.clear()
        self._particles.begin(x0[:n], x_pred[:n], *colliders)
        self._constraints.take(number, rows, x[:n], pairs)
        self._particles.end(x[:n])
        self._constraints.end()
        if pairs is not None:
            self._constraints.warm_start.take(pairs.keys, pairs.forces)
            self._ccd.take(pairs.level)
        self._lists.forget()
        self._results.pairs_of_device = 0 if pairs is None else pairs.pairs
