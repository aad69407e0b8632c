"""The constraints of contact in a substep: which there are, and the order in which they are projected."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...device.counters import counters
from ...model.rigid_ties import RigidTies
from ...steering import (
    LEAST_TOLERANCE,
    MOST_SWEEPS,
    PAIR_INTERVAL,
    SLIGHT,
    SWEEP_TOLERANCE,
)
from ..broad_phase.neighbour_lists import NeighbourLists
from ..ccd.detection import PairDistances
from ..surfaces.collider_tables import ColliderTables, PlaneTable
from ..surfaces.exclusions import Exclusions
from ..surfaces.surfaces import Surfaces
from .coupled import CoupledContacts
from .coupling import Coupling
from .half_spaces import HalfSpaceContacts
from .linear import LinearContacts
from .pairs import PairContacts
from .particles import Particles, mean_way
from .penetration import PenetrationRecovery
from .pinches import share_room
from .selection import ContactSelection
from .shapes import ShapeContacts
from .tables import Array
from .tied_bodies import TiedBodies


class Constraints:
    """Contacts of pairs, of single vertices with half-spaces, and of coupled vertices.

    count: contacts that push, deepest: largest shortfall of a kept distance [m], at the last `measure`; touched: vertices
    that they push, (n,) bool. pinched: corners of the pairs that have no room for their distance, (k, 4).
    """

    def __init__(
        self,
        surfaces: Surfaces,
        particles: Particles,
        coupling: Coupling,
        planes: PlaneTable,
        shapes: ShapeContacts,
        collider: ColliderTables,
        start: Array,
        pose: Array,
        fixed: Array,
        ties: RigidTies,
    ) -> None:
        """start, pose: of the bodies' (n, 3), of the colliders' vertices (m, 3) in the beginning [m]. fixed: vertices
        that no force moves by themselves, (n,) bool. ties: to rigid bodies."""
        self._surfaces, self._particles, self._coupling = surfaces, particles, coupling
        n, dtype = surfaces.n, particles.motion.x0.dtype
        self.selection, self.pairs = ContactSelection(dtype, bool(surfaces.is_segment.any())), PairContacts(dtype)
        self.warm_start = self.pairs.warm_start
        self.half_spaces, self._shapes = HalfSpaceContacts(n, planes), shapes
        self.penetration = PenetrationRecovery(surfaces, collider, start, pose, fixed, coupling.is_coupled[:n])
        self.coupled = CoupledContacts(coupling, planes)
        self.tied_bodies = TiedBodies(coupling, ties, particles.vertices.distance)
        half = surfaces.half[:n]
        self._thickness = 2 * float(half[half > 0].min(initial=1.0))
        self._way = np.full(1, math.inf, "float64")
        self.touched = np.zeros(n, bool)
        self._none_pinched = np.empty((0, 4), "int32")
        self.count, self.deepest, self.pinched = 0, 0.0, self._none_pinched

    def state(self) -> dict[str, Array]:
        """Return the state for the next substep, by name; a checkpoint keeps these arrays."""
        stages = {**self.penetration.state(), **self.warm_start.state(), **self.half_spaces.state()}
        if self._coupling:
            stages |= self.coupled.state()
        return stages | {"way_of_touched": self._way}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over a `state`."""
        self.penetration.restore(state)
        self.warm_start.restore(state)
        self.half_spaces.restore(state)
        if self._coupling:
            self.coupled.restore(state)
        self._way[...] = state["way_of_touched"]

    @property
    def tolerance(self) -> float:
        """Distance by which a contact of a pair may miss its target without another sweep [m]."""
        resting = max(SLIGHT * float(self._way[0]), LEAST_TOLERANCE * self._thickness)
        return min(resting, SWEEP_TOLERANCE * self._thickness)

    @property
    def idle(self) -> bool:
        """Return whether nothing is near enough in this substep to push."""
        return not (len(self.pairs) or len(self.half_spaces) or len(self.coupled) or len(self.tied_bodies))

    def clear(self) -> None:
        """Remove all constraints, before a substep."""
        self.pairs.clear()
        self.pinched = self._none_pinched
        if len(self.half_spaces):
            self.half_spaces.clear()
        self.coupled.clear()

    def forget(self) -> None:
        """Forget the contacts, in place of `begin` where nothing is near anything."""
        self.warm_start.forget()
        self.touched.fill(False)
        self.count, self.deepest = 0, 0.0

    def begin(
        self, lists: NeighbourLists, measured: PairDistances, exclusions: Exclusions, x_pred: Array, allowance
    ) -> None:
        """Find the contacts of a substep.

        measured: written, see `select`. allowance: way that penetration recovery may go in this substep [m]. x_pred:
        (n, 4) [m], moved by the forces that contacts begin with.
        """
        p, s, pairs = self._particles, self._surfaces, lists.pairs
        x0, n = p.motion.x0, p.n
        self.penetration.begin(x0[n:, :3], p.motion.x1[n:, :3], x0[:n], p.vertices, allowance, self.half_spaces.slots)
        if self._shapes:
            self._shapes.begin(x0[:n], x_pred, p.vertices, allowance, self.half_spaces.slots)
        self.half_spaces.begin(x0[:n], x_pred, p.vertices, allowance)
        counters.contacts += len(self.half_spaces)
        if len(self.tied_bodies):
            self.tied_bodies.begin(x0)
        if not len(lists) and not self._coupling:
            self.warm_start.forget()
            return
        which, selected = self.selection.select(lists, p, exclusions, s.table, measured)
        common = pairs, measured.distance, p.motion
        if self._coupling:
            mine = self._coupling.is_coupled[pairs.corners[which]].any(1)
            points = p.on_surface if len(self.half_spaces.planes.points) else p.on_surface[:0]
            self.coupled.begin(which[mine], selected[mine], points, *common, p.vertices, allowance)
            which, selected = which[~mine], selected[~mine]
        counters.contacts += len(self.coupled) + len(which)
        self.pinched = pairs.corners[which[share_room(which, selected, pairs, p.motion.x0, n)]]
        pulled = exclusions.contour_sides.any(1) if exclusions.any else None
        self.pairs.begin(which, selected, *common, s.friction, allowance, pulled)
        self.warm_start.begin(self.pairs.table, x_pred, self.pairs.settled)

    def take(self, number: Array | None, rows: Array | None, x: Array, pairs) -> None:
        """Take the contacts of another device, in place of `begin` and sweeps, see `Contact.take_frame`."""
        self.warm_start.forget()
        if number is not None and rows is not None:
            self.half_spaces.take(self._particles.motion.x0[: self._particles.n], number, rows)
        self.measure(x)
        if pairs is not None:
            self.touched |= pairs.touched
            self.count, self.deepest = self.count + len(pairs.keys), max(self.deepest, pairs.deepest)

    def near(self) -> Array:
        """The vertices that contacts may push, (n,) bool."""
        is_near = np.zeros(self._particles.n, bool)
        for stage in (self.pairs, self.half_spaces, self.coupled, self.tied_bodies):
            if len(stage):
                is_near[stage.corners()] = True
        return is_near

    def reweigh(self) -> None:
        """Take over weights that the particles have changed."""
        x0 = self._particles.motion.x0
        self.pairs.reweigh(x0)
        self.coupled.reweigh(x0)
        self.tied_bodies.reweigh(x0)

    def sweep(self, x: Array, iterations_left: int, separation) -> None:
        """Project all constraints in place, and again while a contact of nothing that is pulled apart was found to miss its
        target by much.

        x: (n, 4) [m]. iterations_left: that are still to come. separation: constraints of intersection recovery.
        """
        x0, resting = self._particles.motion.x0, self.tolerance < SWEEP_TOLERANCE * self._thickness
        pairs = len(self.pairs) and (resting or iterations_left % PAIR_INTERVAL == 0)
        most = MOST_SWEEPS if resting else MOST_SWEEPS // 2
        if pairs and not (self.pairs.pulled or len(separation) or len(self.coupled) or len(self.tied_bodies)):
            self.pairs.sweep_with(self.half_spaces.table, x0, x, most, self.tolerance)
            return
        for number in range(most):
            missed = 0.0
            if number:
                missed = self.pairs.sweep_settled(x0, x)
            elif pairs:
                missed = self.pairs.sweep(x0, x)
            separation.sweep(x0, x)
            self.coupled.sweep(x0, x, iterations_left == 0)
            self.tied_bodies.sweep(x0, x)
            self.half_spaces.sweep(x0, x)
            if missed <= self.tolerance:
                return

    def end(self, held: Array | None = None) -> None:
        """Store the forces of contacts, and the motion of their particles. held: see `WarmStart.end`."""
        # Below rigid bodies the global step takes less of all forces.
        tolerance = math.inf if len(self.coupled) else self.tolerance
        self.warm_start.end(*self._particles.motion, tolerance, held)
        self.half_spaces.end()
        if self._coupling:
            self.coupled.end()
            self.tied_bodies.end()
        self._way[0] = mean_way(*self._particles.motion, self.touched)

    def measure(self, x: Array) -> None:
        """Count the contacts that push, and mark their particles. x: (n, 4) [m]."""
        x0 = self._particles.motion.x0
        self.touched.fill(False)
        self.tied_bodies.mark(self.touched)
        measures = [stage.measure(x0, x, self.touched) for stage in (self.pairs, self.half_spaces, self.coupled)]
        self.count, self.deepest = sum(count for count, _ in measures), max(float(deepest) for _, deepest in measures)

    def guard(self, x: Array, allowance) -> int:
        """Move vertices that crossed an infinite plane back in front of it, pins too; return how many did. Written: x."""
        x0, vertices = self._particles.motion.x0, self._particles.vertices
        touching = vertices._replace(movable=self._particles.touches)
        held = self.half_spaces.guard(x0, x, touching, allowance)
        if self._shapes:
            held += self._shapes.guard(x0[: self._particles.n], x, touching, allowance)
        return held + self.coupled.guard(x0, x, vertices, allowance) if self._coupling else held

    def stop_separation(self, x0: Array, predicted: Array, inverse_h, v: Array) -> None:
        """Remove the velocities that separation has caused, see `restitution`. Written: v (n, 3) [m/s]."""
        self.pairs.stop_separation(x0, predicted, inverse_h, v)
        self.half_spaces.stop_separation(x0, predicted, inverse_h, v)

    def linear(self) -> tuple[LinearContacts, ...]:
        """Contacts of particles, as linear inequalities."""
        return self.half_spaces, self.pairs
