"""Contact of all bodies with each other, with themselves and with colliders, as the step loop uses it: begin, sweep, end.

Order of a substep: `begin_substep` keeps the neighbour lists good, pulls intersections apart and selects the contacts,
`sweep` projects these after each sweep of the energies, `end_substep` makes sure that nothing passes through anything on the
straight way from start to end, and clamps the rest. Each stage owns its arrays; callers use its methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..model.model import Embedded
from ..model.rigid_motion import RigidMotion
from ..model.rigid_ties import RigidTies
from ..steering import RECOVERY_SPEED
from .broad_phase.neighbour_lists import NeighbourLists
from .ccd.ccd import Ccd
from .constraints.constraints import Constraints
from .constraints.coupled_clamp import CoupledClamp
from .constraints.coupling import Coupling
from .constraints.half_spaces import plane_table
from .constraints.particles import Particles
from .constraints.shapes import NO_SHAPES, ShapeContacts
from .constraints.tables import Array
from .device_exchange import DeviceExchange
from .forces import ContactForces
from .intersections.recovery import IntersectionRecovery
from .results import ContactResults
from .surfaces.collider_tables import ColliderShape, ColliderTables, PlaneShape
from .surfaces.surfaces import BodySurface, Surfaces

__all__ = ["BodySurface", "ColliderShape", "Contact", "PlaneShape"]

NO_BOARDS = np.zeros((0, 2), np.int64)
NO_RIGID_TIES = RigidTies()


class Contact:
    """Contacts of the surfaces of one world. names: of the objects, by number. median_edge: of the bodies [m].

    forces: of the contacts of a substep. results: after it. exchange: with a device that does frames.
    """

    def __init__(
        self, dtype: np.dtype | type | str, bodies: Sequence[BodySurface], rest: Array, start: Array,
        colliders: Sequence[ColliderShape] = (), pose: Array | None = None, planes: Sequence[PlaneShape] = (),
        recovery_speed: float = RECOVERY_SPEED, rules: Array | None = None,
        rigid: RigidMotion | None = None, embedded: Embedded | None = None, fixed: Array | None = None,
        ties: Array | None = None, tied_at: Array | None = None, shapes: ShapeContacts = NO_SHAPES,
        rigid_ties: RigidTies = NO_RIGID_TIES,
    ) -> None:  # fmt: skip
        """Set up the stages. Kernels compile at the first substep, those of starts inside closed colliders here.

        rest, start: body positions at rest and in the beginning [m], (n, 3). pose: collider vertices in the beginning [m],
        (m, 3). recovery_speed: [m/s]. rules: which bodies (rows) touch which bodies, colliders and planes (columns),
        bool; None: all do. fixed: vertices that no force moves by themselves, (n,) bool; None: none. rigid,
        embedded: drivers of these. ties: see `Surfaces`; tied_at: where they look for neighbours, (n, 3) [m], None for the
        start. rigid_ties: of vertices to rigid bodies. Raises: SceneError if colliders share vertices.
        """
        self.dtype, self._speed, self._allowance = np.dtype(dtype), float(recovery_speed), 0.0
        collider = ColliderTables(colliders, self.dtype)
        pose = np.asarray(() if pose is None else pose, float).reshape(-1, 3)[: collider.vertices]
        fixed = np.zeros(len(start), bool) if fixed is None else fixed
        self.surfaces = Surfaces(bodies, len(start), np.asarray(rest, float), collider, self.dtype, rules, ties)
        self.capped = self.surfaces.cap_thickness()
        at_ties = np.concatenate([np.asarray(start if tied_at is None else tied_at, float), pose])
        self.lists = NeighbourLists(self.surfaces, np.concatenate([np.asarray(start, float), pose]), self.dtype, at_ties)
        collider.orient(pose)
        self.names = self.surfaces.names
        self.median_edge, self.inside_out = self.lists.median_edge, collider.inside_out
        of_planes = plane_table(planes, len(bodies), None if rules is None else rules[:, len(self.names) :], self.dtype)
        self.coupling = Coupling(len(start), self.surfaces.count, self.dtype, rigid, embedded)
        self.particles = Particles(self.surfaces, self.coupling, self.dtype)
        begun = np.asarray(start, float), pose, fixed, rigid_ties
        self.constraints = Constraints(self.surfaces, self.particles, self.coupling, of_planes, shapes, collider, *begun)
        self.inside_starts = self.constraints.penetration.sides.starts
        still, touches = len(planes) > 0 or collider.vertices > 0, self.particles.touches
        self.recovery = IntersectionRecovery(self.surfaces, self.lists, self.dtype)
        self.ccd = Ccd(self.lists, self.surfaces, CoupledClamp(self.coupling), self.dtype, still, touches, of_planes)
        self._pairs_only, self._apart = not self.coupling and not len(planes) and not shapes, False
        self.forces = ContactForces(self.constraints, len(start))
        stages = self.surfaces, self.lists, self.particles, self.constraints, self.recovery, self.ccd
        self.results = ContactResults(*stages)
        self.exchange = DeviceExchange(*stages, self.results, self._speed, self.median_edge)

    def state(self, lists: bool = True) -> dict[str, Array]:
        """Return the state for the next substep, by name; a checkpoint keeps these arrays. Those whose names begin with
        "pair_" may have any number of rows. Without lists, which are large, the next substep searches for all pairs."""
        return {**self.constraints.state(), **self.recovery.state(), **self.lists.state(lists), **self.ccd.state()}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over a `state`: the next substep has the same bits as after the one that it was taken at."""
        for stage in (self.constraints, self.recovery, self.lists, self.ccd):
            stage.restore(state)

    @property
    def idle(self) -> bool:
        """Return whether nothing is near enough in this substep to push."""
        return self.constraints.idle and not self.recovery.active

    def forget_pairs(self) -> None:
        """Forget the pairs after a change of the moving bodies: the next substep searches for all pairs."""
        self.lists.forget()

    def begin_frame(self) -> None:
        """Prepare the first substep of a frame."""
        for stage in (self.lists, self.ccd):
            stage.begin_frame()

    def begin_substep(
        self, x0: Array, x_pred: Array, collider_start: Array, collider_end: Array, h: float,
        gravity: Array | None = None, substeps_left: int = 1, share: float = 1.0,
    ) -> None:  # fmt: skip
        """Find the contacts of a substep.

        x0, x_pred: positions at the start and predicted [m], h^2/m in the last column, (n, 4); x0 must stay as it is until
        `end_substep`; x_pred is moved by the warm start. collider_start, collider_end: vertices of all colliders [m],
        (m, 3). h: [s]. gravity: [m/s^2], (3,), moves a prediction by this share of h^2. substeps_left: of this frame.
        """
        self.constraints.clear()
        self._apart, self.results.pairs_of_device = False, 0
        self.particles.begin(x0, x_pred, collider_start, collider_end)
        self._allowance = self.dtype.type(self._speed * h)
        self.lists.set_substep_length(float(h))
        if not self.particles.finite:  # the simulation says so at the end of the frame
            self.recovery.constraints.clear()
            return
        motion, penetration = self.particles.motion, self.constraints.penetration
        self.recovery.begin(*motion, x_pred, self._allowance, penetration, self.coupling)
        fall = np.asarray(np.zeros(3) if gravity is None else np.asarray(gravity, float) * float(h) ** 2)
        self.lists.update(motion, fall, float(share) * fall, substeps_left)
        self._apart = self.lists.smooth and self._pairs_only
        if self._apart:
            self.constraints.forget()
            return
        measured = self.ccd.begin()
        self.constraints.begin(self.lists, measured, self.recovery.exclusions(penetration), x_pred, self._allowance)

    def reweigh(self, x0: Array) -> None:
        """Take over weights that have changed since `begin_substep`. x0: h^2/m in the last column, (n, 4)."""
        self.particles.reweigh(x0)
        self.constraints.reweigh()
        self.recovery.constraints.reweigh(self.particles.motion.x0)

    def sweep(self, x: Array, iterations_left: int = 0) -> None:
        """Project every constraint in place, and again while a contact misses its target by much: so a pile hands down
        its weight. x: (n, 4) [m]. iterations_left: that are still to come."""
        self.constraints.sweep(x, iterations_left, self.recovery.constraints)

    def end_substep(self, x: Array, boards: Array = NO_BOARDS) -> int:
        """Clamp motion to x that would pass through a surface; return how many particles. Measures the contacts.
        `boards`: bodies clamped as a whole, see `clamp_boards`."""
        if not self._apart:
            self.pushed(x)
        if self.coupling:
            self.coupling.place(x)
        if not (self.particles.finite and np.isfinite(x).all()):
            self.lists.forget()
            return 0
        held = 0 if self._apart else self.constraints.guard(x, self._allowance)
        predicted, motion = self.particles.end(x), self.particles.motion
        if self._apart and not self.lists.follow(motion):
            self.ccd.rest()
            return 0
        self.ccd.clamp(motion, self.recovery.exclusions(self.constraints.penetration), boards, self._apart)
        if self.ccd.failures:
            self.recovery.suspect_all()
        self.recovery.suspect_inside(self.constraints.penetration)
        if self.ccd.clamped:
            x[:, :3] = motion.x1[: len(x), :3]
        self.lists.finish(motion, predicted)
        self.constraints.end(self.ccd.on_held_boards())
        return held + self.ccd.clamped

    def pushed(self, x: Array) -> Array:
        """Measure the contacts after a sweep: the vertices that they push, (n,) bool. x: (n, 4) [m]."""
        self.constraints.measure(x)
        return self.results.touched()

    def stop_separation(self, x0: Array, predicted: Array, v: Array, h: float) -> None:
        """Remove the velocities that separation has caused, see `restitution`. After `end_substep`.

        x0, predicted: positions at the start and as predicted [m], (n, 4). Written: v (n, 3) [m/s].
        """
        if self.particles.finite:
            self.constraints.stop_separation(x0, predicted, self.dtype.type(1.0 / h), v)
            self.recovery.constraints.slow(v)
