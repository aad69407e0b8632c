"""Intersection recovery: finds surfaces that pass through each other, and takes them apart over some substeps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...steering import SEPARATION_SHARE, SEPARATION_STEP
from ..broad_phase.neighbour_lists import NeighbourLists
from ..constraints.coupling import Coupling
from ..constraints.penetration import PenetrationRecovery
from ..constraints.tables import Array
from ..surfaces.exclusions import Exclusions
from ..surfaces.surfaces import Surfaces
from .edge_triangle import edge_triangle_intersections
from .incidents import Incidents
from .intersections import Intersections
from .separation import SeparationConstraints


class IntersectionRecovery:
    """Recovery of intersecting surfaces, from the start on or after something was pinched.

    suspect: (count,) bool, where surfaces may pass through each other, all at first. sides: (count, 2) uint64, see
    `Intersections.sides`. direction: (count, 3), in which each particle was pulled. constraints: those of this substep.
    count: edges that passed through triangles when they were looked for last.
    """

    def __init__(self, surfaces: Surfaces, lists: NeighbourLists, dtype: np.dtype) -> None:
        """dtype: type of positions."""
        self._surfaces, self._lists = surfaces, lists
        count = surfaces.count
        self.suspect = np.full(count, True, bool)
        self.sides = np.zeros((count, 2), "uint64")
        self.direction = np.zeros((count, 3), "float64")
        self.constraints = SeparationConstraints(dtype)
        self.count, self._found = 0, False

    def state(self) -> dict[str, Array]:
        """Return the state for the next substep, by name; a checkpoint keeps these arrays."""
        return {"suspect": self.suspect, "untangling_direction": self.direction}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over a `state`."""
        self.suspect[...] = state["suspect"]
        self.direction[...] = state["untangling_direction"]
        self.sides.fill(0)  # found anew from the suspects
        self._found = False

    @property
    def active(self) -> bool:
        """Return whether anything is pulled apart in this substep."""
        return len(self.constraints) > 0

    def exclusions(self, penetration: PenetrationRecovery) -> Exclusions:
        """The pairs that contact leaves alone: on two sides of a contour, and inside a collider."""
        some = penetration.active or self._found
        return Exclusions(some, penetration.by_vertex(self._surfaces.n), self.sides)

    def is_active(self, start: int, stop: int) -> bool:
        """Return whether any of the vertices start..stop is pulled apart in this substep."""
        return self.active and bool(self.sides[start:stop].any())

    def find(self, x: Array) -> Array:
        """Edge-triangle intersections in regions where they are possible, (k, 2). x: (count, 4) [m]. Counts them."""
        crossings = edge_triangle_intersections(self._lists, self._surfaces, x, self.suspect)
        self.count = len(crossings)
        return crossings

    def suspect_all(self) -> None:
        """Suspect all elements: some may have been pinched through, anywhere."""
        self.suspect.fill(True)

    def suspect_inside(self, penetration: PenetrationRecovery) -> None:
        """Suspect elements inside a collider, which contact leaves alone there: they may have left it in part."""
        inside = penetration.enclosing > 0
        self.suspect[: len(inside)] |= inside

    def incidents(self, x: Array) -> Incidents:
        """Return the incidents of edges that pass through triangles. x: (count, 4) [m]. Counts them."""
        s, self.count = self._surfaces, 0
        pairs = np.zeros((0, 2), "int32")
        if self.suspect.any() and np.isfinite(x[:, :3]).all():
            pairs = self.find(x)
        edge, triangle = pairs.T
        points = x[s.triangles[triangle], :3].mean(1)
        return Incidents(s.owner[s.edges[edge, 0]], s.owner[s.triangles[triangle, 0]], points)

    def begin(
        self, x0: Array, x1: Array, x_pred: Array, allowance: float, penetration: PenetrationRecovery, coupling: Coupling
    ) -> None:
        """Find where surfaces pass through each other, exclude these from contact, and start to pull them apart.

        x0, x1: all particles at the start and predicted [m], (count, 4). allowance: way that penetration recovery
        may go in this substep [m]. Written: x_pred (n, 4) and x1, where coupled vertices are displaced;
        the state of `penetration`.
        """
        self.constraints.clear()
        if not self.suspect.any():
            return
        crossings = self.find(x0)
        self.sides.fill(0)
        self.suspect.fill(False)
        self._found = len(crossings) > 0
        if not self._found:
            return
        intersections = Intersections(self._surfaces, crossings)
        self.sides |= intersections.sides()
        self.suspect |= self.sides.any(1)
        penetration.follow_crossings(crossings)
        size = min(SEPARATION_STEP * float(allowance), SEPARATION_SHARE * self._lists.median_edge)
        direction, start = intersections.directions(x0, self.direction), x0
        if coupling:  # displaced at once: none of their vertices could be pulled alone
            p, start, n = coupling.particles, x0.copy(), len(x_pred)
            move, start[p, 3] = np.zeros((n, 3), x0.dtype), 0
            move[p] = 0.5 * size * self.direction[p]
            coupling.displace(move, x_pred)
            x1[:n, :3] = x_pred[:, :3]
        self.constraints.begin(self._surfaces, crossings, direction, intersections.strength(x0), size, start, x1)
