"""Exchange of contact state with a device that does a frame."""

from __future__ import annotations

from typing import NamedTuple

from .broad_phase.neighbour_lists import NeighbourLists
from .broad_phase.tied_pairs import TieTable
from .ccd.ccd import Ccd
from .constraints.constraints import Constraints
from .constraints.particles import Particles
from .constraints.tables import Array, VertexTable
from .intersections.recovery import IntersectionRecovery
from .surfaces.collider_tables import PlaneTable
from .surfaces.surfaces import Surfaces


class FoundPairs(NamedTuple):
    """Contacts of pairs at the end of a substep. keys, ascending, (k,) int64, and forces (k, 4) [N]: see `WarmStart`.
    touched: vertices that they push, (n,) bool. deepest: largest distance that is missing [m]. level: of all particles, see
    `Ccd`. pairs: candidates."""

    keys: Array
    forces: Array
    touched: Array
    deepest: float
    level: Array
    pairs: int


class DeviceExchange:
    """Methods of `Contact`, which makes the stages. _elsewhere: candidate pairs of another device."""

    surfaces: Surfaces
    lists: NeighbourLists
    particles: Particles
    constraints: Constraints
    recovery: IntersectionRecovery
    ccd: Ccd
    median_edge: float
    _speed: float
    _elsewhere: int = 0

    def has_planes(self) -> bool:
        """Return whether there are infinite planes."""
        return len(self.constraints.half_spaces.planes.points) > 0

    def has_pairs(self) -> bool:
        """Return whether surfaces may touch surfaces."""
        s = self.surfaces
        return bool(bool(s.rules[: s.table.bodies].any()))

    def plane_tables(self) -> tuple[PlaneTable, VertexTable, Array, float]:
        """Infinite planes; of vertices what kernels know, and which touch, (n,) bool; and how fast penetration recovery may
        be [m/s]."""
        return self.constraints.half_spaces.planes, self.particles.vertices, self.particles.touches, self._speed

    def surface_tables(self) -> tuple[Surfaces, TieTable, Array, float, float]:
        """Surfaces; what ties and seams make contact leave alone; which particles are of solids, (count,) bool; how fast
        penetration recovery may be [m/s]; and the median edge of the bodies [m]."""
        return self.surfaces, self.lists.ties, self.particles.solid, self._speed, self.median_edge

    def pair_forces(self) -> tuple[Array, Array]:
        """Return the forces of pairs in the last substep, see `FoundPairs`."""
        return self.constraints.warm_start.keys, self.constraints.warm_start.forces

    def plane_forces(self) -> tuple[Array, Array]:
        """Return the normal forces of infinite planes in the last substep, see `HalfSpaceContacts`."""
        return self.constraints.half_spaces.keys, self.constraints.half_spaces.forces[:, 0]

    def is_clear(self, x: Array, collider: Array) -> bool:
        """Return whether surfaces are apart, and no vertex is on the wrong side of a collider: then nothing has to be
        separated, and stays so while nothing passes through anything. x: (n, 4), collider: vertices of all, (m, 3) [m]."""
        n, penetration = self.particles.n, self.constraints.penetration
        self.particles.begin(x[:n], x[:n], collider, collider)
        x0 = self.particles.motion.x0
        if not self.particles.finite or (self.recovery.suspect.any() and len(self.recovery.find(x0))):
            return False
        self.recovery.suspect.fill(False)
        slots, at = self.constraints.half_spaces.slots, x0[n:, :3]
        penetration.begin(at, at, x0[:n], self.particles.vertices, x0.dtype.type(0), slots)
        self.constraints.half_spaces.clear()
        return not (penetration.enclosing > 0).any()

    def take_frame(
        self, x0: Array, x_pred: Array, x: Array, colliders: tuple[Array, Array], number: Array | None, rows: Array | None,
        found: FoundPairs | None,
    ) -> None:  # fmt: skip
        """Take over the last substep of a frame that another device has done.

        x0, x_pred, x: at its start, as predicted and at its end [m], (n, 4). colliders: vertices at its start and end [m],
        (m, 3). number, rows: of `SlotTable`, None without planes. found: None without pairs.
        """
        n = self.particles.n
        for stage in (self.lists, self.ccd):
            stage.begin_frame()
        self.constraints.clear()
        self.particles.begin(x0[:n], x_pred[:n], *colliders)
        self.constraints.take(number, rows, x[:n], found)
        self.particles.end(x[:n])
        self.constraints.end()
        if found is not None:
            kept = self.constraints.warm_start
            kept.keys, kept.forces = found.keys, found.forces
            self.ccd.take(found.level)
        self.lists.forget()
        self._elsewhere = 0 if found is None else found.pairs
