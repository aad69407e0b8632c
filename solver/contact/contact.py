"""Contact of all bodies with each other, with themselves and with colliders, as the step loop uses it: begin, sweep, end.

Order of a substep: `begin_substep` finds the pairs that are near and freezes their planes, `sweep` projects these after each
sweep of the energies, `end_substep` certifies that nothing passes through anything on the straight way from start to end,
and holds back what would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..device.threads import CHUNK, run
from ..model.model import Embedded
from ..model.rigid_motion import RigidMotion
from .broad_phase import predicted_paths as paths
from .broad_phase.neighbour_lists import Candidates
from .broad_phase.tree import Tree
from .ccd.ccd import bounds, check, common_motion, escalate, hold_back, remeasure
from .constraints import half_spaces as ground
from .constraints import pairs as contacts
from .constraints import penetration as inside
from .constraints import restitution as rebound
from .constraints import selection as choice
from .constraints.coupled import Carried
from .constraints.warm_start import Lasting
from .intersections import separation as pulls
from .intersections.edge_triangle import piercing
from .intersections.intersections import Tangles
from .surfaces.collider_tables import ColliderShape, ColliderTables, PlaneShape, plane_arrays
from .surfaces.surfaces import BodySurface, Surfaces

__all__ = ["BodySurface", "ColliderShape", "Contact", "PlaneShape"]

#: Checks of the motion of one substep; each holds back more, and all levels are used up before.
CHECKS = 40
#: Contacts between surfaces converge in fewer sweeps than the energies around them.
EVERY = 2
#: Times that contacts are swept for a sweep of the energies, at most, and share of the thickness that they may miss.
AGAIN, TOLERANCE = 8, 0.015
#: Vertices of a body, and their share, up to which being held back is no sign of a jam.
FEW, HELD = 3, 1e-3
#: A tangle is pulled by so many times as far as surfaces are moved apart in a substep (short substeps left the X crossing of
#: two sheets standing), at most by a share of the median edge.
PULL, UNTANGLE = 1.5, 0.3


class Contact:
    """Contacts of the surfaces of one world.

    count: contacts that pushed in the last substep. pairs: candidate pairs. deepest: largest shortfall of a kept
    distance [m]. failures: pairs that the last `end_substep` could not keep apart. held: particles that it held back.
    tangled: (count, 2), the tangles that particles are in, see `Tangles.sides`. suspicious: (count,) bool, where surfaces
    may pass through each other, all at first.
    inside: (n,) int32, see `inside.settle`. Vertices inside colliders are found in the first substep, and where something
    passes through a collider, and remembered until they are out; a checkpoint that keeps this array continues with the
    same bits.
    """

    def __init__(
        self,
        dtype: np.dtype | type | str,
        bodies: Sequence[BodySurface],
        rest: np.ndarray,
        start: np.ndarray,
        colliders: Sequence[ColliderShape] = (),
        pose: np.ndarray | None = None,
        planes: Sequence[PlaneShape] = (),
        depenetration_speed: float = 0.5,
        rules: np.ndarray | None = None,
        rigid: RigidMotion | None = None,
        embedded: Embedded | None = None,
    ) -> None:
        """Sets up the tables; kernels are compiled at the first substep.

        rest, start: body positions at rest and in the beginning [m], (n, 3). pose: collider vertices in the beginning [m],
        (m, 3). depenetration_speed: [m/s], how fast surfaces that are too close are moved apart. rules: which bodies (rows)
        touch which bodies, colliders and planes (columns), bool; None: all do. rigid, embedded: what carries vertices
        that no force moves by themselves.
        Raises: SceneError if colliders share vertices.
        """
        self.dtype = np.dtype(dtype)
        self.n = n = len(start)
        self.collider = ColliderTables(colliders, self.dtype)
        m = self.collider.vertices
        pose = np.zeros((0, 3)) if pose is None else np.asarray(pose, float)[:m]
        self.surfaces = Surfaces(bodies, n, np.asarray(rest, float), self.collider, self.dtype, rules)
        self.capped = self.surfaces.cap_thickness()
        begin = np.concatenate([np.asarray(start, float), pose])
        self.candidates = Candidates(self.surfaces, begin, self.dtype)
        self.collider.orient(pose)
        self.shell = Tree(self.collider.triangles, np.zeros(m, np.int32), pose, self.dtype)
        self.speed = float(depenetration_speed)
        self.tolerance = 2 * TOLERANCE * float(self.surfaces.half[:n][self.surfaces.half[:n] > 0].min(initial=1.0))
        self.planes = plane_arrays(planes, self.dtype)
        last = len(bodies) + len(self.collider.names)
        self.plane_rules = np.ones((len(bodies), len(planes)), bool) if rules is None else rules[:, last:]
        self.bodies = len(bodies)
        self.active = np.zeros(n, bool)
        self.active[self.surfaces.points[: self.surfaces.body_points]] = True
        count = self.surfaces.count
        self.carried = Carried(count, self.dtype, rigid, embedded or Embedded())
        self.solid = self.carried.body >= 0
        self.solid[n:] = True
        self.on_surface = self.carried.particles[self.active[self.carried.particles]]
        self.x0, self.x1 = np.zeros((2, count, 4), self.dtype)
        self.number, self.hot = np.zeros(n, np.int32), np.zeros(0, np.int64)
        self.slots = np.zeros((n, ground.SLOTS, ground.COLUMNS), self.dtype)
        self.corners = np.empty((1024, 4), np.int32)
        self.rows = np.empty((1024, contacts.COLUMNS), self.dtype)
        self.keys, self.lasting = np.empty(1024, np.int64), Lasting(self.dtype)
        self.rows_used = self.pulls_used = 0
        self.choose, self.per_pair = choice.Chooser(self.dtype), np.empty((2, 0), self.dtype)
        self.distance = self.when = np.empty(0, self.dtype)
        self.inside = np.full(n if len(self.collider.sided) else 0, inside.UNKNOWN, np.int32)
        self.tangled = np.zeros((count, 2), np.uint64)
        self.suspicious = np.ones(count, bool)
        self.lean = np.zeros((count, 3))
        self.touched = np.zeros(n, bool)
        self.level, self.hit = np.zeros(count, np.int8), np.zeros(count, bool)
        self.room, self.nearest, self.way, self.share = np.zeros((4, count), self.dtype)
        self.lead = np.zeros((count, 3), self.dtype)
        self.count = self.failures = self.held = self.intersections = self.unresolved = 0
        self.deepest = 0.0
        self.names = [*(body.name for body in bodies), *self.collider.names]
        self.pinched: list[np.ndarray] = []

    @property
    def memory(self) -> dict[str, np.ndarray]:
        """What a substep needs to know of the last one, by name; a checkpoint keeps these arrays."""
        own = {"inside": self.inside, "suspicious": self.suspicious, "lean": self.lean}
        return {**own, **self.candidates.memory, **self.lasting.memory}

    def recall(self, memory: Mapping[str, np.ndarray]) -> None:
        """Takes over a `memory`. Arrays whose names begin with "pair" may have any number of rows."""
        self.inside[:], self.suspicious[:], self.lean[:] = memory["inside"], memory["suspicious"], memory["lean"]
        self.candidates.recall(memory)
        self.lasting.recall(memory)

    @property
    def pairs(self) -> int:
        return len(self.candidates.found)

    @property
    def _used(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Corners, rows and keys of the contacts of this substep."""
        return self.corners[: self.rows_used], self.rows[: self.rows_used], self.keys[: self.rows_used]

    @property
    def idle(self) -> bool:
        """Whether nothing is near enough in this substep to push."""
        return not self.rows_used and not self.pulls_used and not len(self.hot) and not self.carried.count

    def begin_frame(self) -> None:
        """Goes before the first substep of a frame."""
        self.candidates.begin_frame()
        self.unresolved = self.held = 0
        self.pinched.clear()
        if not self.suspicious.any():  # in a restored simulation it may be of an attempt that is done again
            self.tangled[:] = 0

    def begin_substep(
        self,
        x0: np.ndarray,
        x_pred: np.ndarray,
        collider_start: np.ndarray,
        collider_end: np.ndarray,
        h: float,
        gravity: np.ndarray | None = None,
        left: int = 1,
    ) -> None:
        """Finds the contacts of a substep.

        x0, x_pred: positions at the start and predicted for the end [m], h^2/m in the last column, (n, 4); x0 must stay
        as it is until `end_substep`; x_pred is moved by forces that last. collider_start, collider_end: vertices of all
        colliders [m], (m, 3). h: [s]. gravity: [m/s^2], (3,). left: substeps of this frame that are left, with this one.
        """
        n, m = self.n, self.collider.vertices
        self.x0[:n], self.x1[:n] = x0, x_pred
        self._lend_weights()
        self.x0[n:, :3], self.x1[n:, :3] = collider_start[:m], collider_end[:m]
        self.allowance = self.dtype.type(self.speed * h)
        self.candidates.pace(float(h))
        fall = np.zeros(3) if gravity is None else np.asarray(gravity, float) * float(h) ** 2
        self.movable = self.active & (x0[:, 3] > 0)
        self.rows_used, self.pulls_used, self.hot, self.carried.count = 0, 0, self.hot[:0], 0
        self.finite = bool(np.isfinite(self.x1).all())
        if not self.finite:  # the simulation says so at the end of the frame
            return
        if self.suspicious.any():
            self._untangle(x_pred)
        self.candidates.update(self.x0, self.x1, fall, left)
        self._begin_vertices(x0, x_pred)
        self._begin_pairs()
        corners, rows, keys = self._used
        self.lasting.begin(keys, corners, rows, x_pred, not self.pulls_used)  # it would hold a tangle as it is

    def sweep(self, x: np.ndarray, left: int = 0) -> None:
        """Projects every contact in place, and again while one misses its target by much: so a pile hands its weight down.

        x: (n, 4) [m]. The same bits for any number of threads. left: iterations that are still to come. Contacts between
        surfaces act in every `EVERY`th and the last one. Where tangles are pulled apart, contacts that are swept again only
        hold them back.
        """
        pairs = (self.rows_used, self.corners, self.rows, self.x0, x) if self.rows_used and left % EVERY == 0 else None
        for _ in range(AGAIN):
            if pairs:
                contacts.sweep(*pairs)
            if self.pulls_used:
                pulls.sweep(self.pulls_used, self.pull_corners, self.pull_rows, self.x0, x)
            if self.carried.count:
                self.carried.sweep(self.x0, x, left == 0)
            if len(self.hot):
                ground.sweep(self.hot, self.whole, self.vertex_packs, self.x0, x)
            if not pairs or self.pulls_used or contacts.missed(*pairs) <= self.tolerance:
                return

    def forces(self) -> np.ndarray:
        """What surfaces that both move push each other with beyond what they began with, on each vertex, (n, 3) [N]."""
        return self.lasting.since(*self._used[:2], self.n)

    def pushed(self, x: np.ndarray) -> np.ndarray:
        """The vertices that contacts push after the last sweep, `touched`, (n,) bool. x: (n, 4) [m]. Counts the contacts."""
        self.touched[:] = False
        self.count, self.deepest = contacts.measure(self.rows_used, self.corners, self.rows, self.x0, x, self.touched)
        if len(self.hot):
            more, deeper = ground.measure(self.hot, self.vertex_packs, self.x0, x, self.touched)
            self.count, self.deepest = self.count + more, max(self.deepest, deeper)
        if self.carried:
            more, deeper = self.carried.measure(self.x0, x, self.touched)
            self.count, self.deepest = self.count + more, max(self.deepest, deeper)
        return self.touched

    def end_substep(self, x0: np.ndarray, x: np.ndarray) -> int:
        """Holds back what would pass through something on its way x0 -> x; returns how many. Updates the statistics."""
        self.pushed(x)
        if self.carried:
            self.carried.place(x)
        s = self.surfaces
        if not (self.finite and np.isfinite(x).all()):
            self.candidates.forget()
            return 0
        points, normals, reserve, _ = self.planes
        held = 0
        if len(points):
            rules = s.owner, self.plane_rules
            held = ground.guard(self.x0, x, self.movable, s.distance, self.allowance, *rules, points, normals, reserve)
        if self.carried:
            held += self.carried.guard(self.x0, x, s.distance, self.allowance, s.owner, self.plane_rules, self.planes)
        predicted = self.x1.copy()
        self.x1[: self.n] = x
        self._lend_weights()
        self.held, self.failures = self._certify()
        self.unresolved += self.failures
        if self.failures:
            self.suspicious[:] = True  # something may have been pinched through
        if self.held:
            x[:, :3] = self.x1[: self.n, :3]
        if self.pulls_used:
            pulls.calm(self.pulls_used, self.pull_corners, self.pull_rows, x, x0)
        self.candidates.finish(self.x0, predicted, self.x1)
        self.lasting.end(self.rows[: self.rows_used])
        return held + self.held

    def is_jammed(self, start: int, stop: int) -> bool:
        """Whether the last substep has held back more than a few of the vertices start..stop."""
        return self.held > FEW and np.count_nonzero(self.level[start:stop]) > max(FEW, HELD * (stop - start))

    def is_tangled(self, start: int, stop: int) -> bool:
        """Whether any of the vertices start..stop is pulled out of a tangle in this substep."""
        return bool(self.pulls_used) and bool(self.tangled[start:stop].any())

    def calm(self, x0: np.ndarray, predicted: np.ndarray, v: np.ndarray, h: float) -> None:
        """Takes out of the velocities what moving surfaces apart has brought, see `rebound`. After `end_substep`.

        x0, predicted: positions at the start and as predicted [m], (n, 4). Written: v (n, 3) [m/s].
        """
        if not self.finite:
            return
        inverse_h = self.dtype.type(1.0 / h)
        if self.rows_used:
            rebound.calm_pairs(self.rows_used, self.corners, self.rows, x0, predicted, inverse_h, v)
        if len(self.hot):
            rebound.calm_vertices(self.hot, self.vertex_packs, x0, predicted, inverse_h, v)

    def _begin_vertices(self, x0: np.ndarray, x_pred: np.ndarray) -> None:
        """Contacts of single vertices: infinite planes, and the way out of closed colliders."""
        s, c = self.surfaces, self.collider
        self.number[:] = 0
        if self.inside.any():
            A, B = self.x0[self.n :, :3].copy(), self.x1[self.n :, :3].copy()
            t = self.shell
            t.fit(A, A, np.zeros(len(A), bool))
            run(
                inside.settle, self.n, x0, self.movable, s.distance, s.friction, self.allowance, s.owner, s.rules,
                self.bodies, c.sided, c.sided_boxes(A), c.depths, c.triangles, c.shape, c.outward, c.front, c.reserve,
                c.friction, A, B, t.order, t.leaves, t.nodes, self.inside, self.number, self.slots,
            )  # fmt: skip
        if len(self.planes[0]):
            run(
                ground.fill, self.n, x0, x_pred, self.movable, s.distance, s.friction, self.allowance, s.owner,
                self.plane_rules, *self.planes, self.number, self.slots,
            )  # fmt: skip
        self.hot, self.vertex_packs, self.whole = ground.gathered(self.number, self.slots)

    def _untangle(self, x_pred: np.ndarray) -> None:
        """Finds where surfaces pass through each other, leaves these particles alone, and pushes them apart."""
        s = self.surfaces
        hits = piercing(self.candidates, self.x0, self.suspicious)
        self.intersections = len(hits)
        self.tangled[:] = 0
        self.suspicious[:] = False
        if not len(hits):
            return
        tangles = Tangles(s, hits)
        self.tangled |= tangles.sides()
        self.suspicious |= self.tangled.any(1)
        if len(self.inside):
            inside.follow_crossings(self.inside, s, hits, self.collider.has_inside)
        size = min(PULL * float(self.allowance), UNTANGLE * self.candidates.edge)
        way = tangles.ways(self.x0, self.lean)
        x0 = self.x0
        if self.carried:  # moved at once: no single vertex of theirs could be pulled
            p, x0 = self.carried.particles, self.x0.copy()
            push, x0[p, 3] = np.zeros((self.n, 3), self.dtype), 0
            push[p] = 0.5 * size * self.lean[p]
            self.carried.displace(push, x_pred)
            self.x1[: self.n, :3] = x_pred[:, :3]
        self.pull_corners = np.empty((len(hits), pulls.CORNERS), np.int32)
        self.pull_rows = np.empty((len(hits), pulls.COLUMNS), self.dtype)
        self.pulls_used = pulls.fill(
            hits, s.edges, s.triangles, way, tangles.strength(self.x0), size, x0, self.x1, self.pull_corners, self.pull_rows
        )

    def _begin_pairs(self) -> None:
        c, s = self.candidates, self.surfaces
        found, pairs = c.found, len(c.found)
        self.rows_used = 0
        if not pairs:
            self.distance = self.when = np.empty(0, self.dtype)
            if len(self.on_surface) and len(self.planes[0]):
                nothing = np.zeros(0, np.int32), 0, np.zeros(0, self.dtype)
                self.carried.begin(self, *nothing, self.on_surface)
            return
        self._make_room(pairs)
        self.spare = np.empty(-(-pairs // CHUNK), self.dtype)
        age = self.dtype.type(c.age)
        which, taken = self.choose(
            found, age, c.ways, self.x0, self.x1, self._masks(), self.solid, s, self.distance, self.spare
        )
        if self.carried:
            which, taken = self._give_to_carried(which, taken)
        self.rows_used = len(which)
        if self.rows_used > len(self.rows):
            self.corners = np.empty((self.rows_used * 5 // 4, 4), np.int32)
            self.rows = np.empty((self.rows_used * 5 // 4, contacts.COLUMNS), self.dtype)
            self.keys = np.empty(self.rows_used * 5 // 4, np.int64)
        run(
            contacts.fill, self.rows_used, which, taken, found.split, found.corners, found.ids, found.values, self.distance,
            self.x0, self.x1, s.friction, self.allowance, *self._used,
        )  # fmt: skip

    def _give_to_carried(self, which: np.ndarray, taken: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Takes the contacts of carried particles out of those that were chosen; returns the others."""
        found = self.candidates.found
        self.when, kept = np.full((2, len(found)), -1, self.dtype)
        self.when[which], kept[which] = taken[:, choice.WHEN], taken[:, choice.KEPT]
        gone = self.carried.is_carried[found.corners[which]].any(1)
        points = self.on_surface if len(self.planes[0]) else self.on_surface[:0]
        self.carried.begin(self, which[gone], found.split, kept, points)
        return which[~gone], taken[~gone]

    def _make_room(self, pairs: int) -> None:
        """Arrays of a number a pair, kept from substep to substep: new memory is slow at first."""
        if pairs > self.per_pair.shape[1]:
            self.per_pair = np.empty((2, pairs * 5 // 4), self.dtype)
        self.distance, self.safe = self.per_pair[0, :pairs], self.per_pair[1, :pairs]

    def _lend_weights(self) -> None:
        """Lets the search and the certificate know that carried particles can be moved, though not by themselves."""
        if self.carried:
            self.carried.lend_weights(self.x0)
            self.x1[: self.n, 3] = self.x0[: self.n, 3]

    def _masks(self) -> tuple:
        inside = self.inside if len(self.inside) else np.zeros(self.n, np.int32)
        masks = bool(self.inside.any() or self.tangled.any())
        return masks, self.n, self.surfaces.owner, self.bodies, inside, self.tangled

    def _certify(self) -> tuple[int, int]:
        """Holds back particles of `x1` until no pair fails; returns how many are, and the pairs that still fail."""
        c = self.candidates
        wanted, failures, prepared = self.x1, 0, False
        poses = self.carried.rigid.centre.copy(), self.carried.rigid.turn.copy()
        self.level[:] = 0
        for _ in range(CHECKS):
            if c.follow(self.x0, self.x1):
                self._remeasure()
                prepared = False
            found = c.found
            if not len(found):
                failures = 0
                break
            age = self.dtype.type(c.age)
            paths.ways(self.x0, self.x1, c.step, c.falls, c.fall, age, self.way)
            safe = self.safe
            arrays = found.corners, found.values, self.distance
            farthest = self.way.max()
            run(check, len(found), found.split, *arrays, self.spare, self.x0, self.x1, self.way, farthest, safe)
            failures = int(np.count_nonzero(safe <= 1))
            if not failures:
                break
            if not prepared:
                if wanted is self.x1:
                    wanted = self.x1.copy()
                bounds(found.split, *arrays, self.x0, wanted, self.room, self.lead, self.nearest)
                if self.carried:
                    self.carried.lead_by_bodies(bounds, found.split, (*arrays, self.x0), wanted, self.room, self.lead)
                prepared = True
            before = self.level.copy()
            if not escalate(found.corners, safe, self.x0, self.level, self.hit, self.share):
                break
            if self.carried:
                self.carried.spare(found.corners[safe <= 1], self.x0, before, self.level)
                self.carried.spread(self.level, self.share, self.room, self.lead, self.nearest)
            still = bool((self.x0[: self.n, 3] == 0).any()) or len(self.planes[0]) > 0 or self.collider.vertices > 0
            common = common_motion(self.x0, self.x1, found.corners[safe <= 1], still, self.active)
            hold_back(self.x0, wanted, self.level, self.share, self.room, self.lead, common, self.x1)
            if self.carried:
                certificate = self.level, self.share, self.room, self.lead, common
                self.carried.hold_back(self.x0, wanted, poses, certificate, self.x1)
        if failures:
            self.pinched.append(found.corners[safe <= 1])
        return int(np.count_nonzero(self.level)), failures

    def _remeasure(self) -> None:
        c = self.candidates
        self._make_room(len(c.found))
        self.spare = np.full(-(-len(c.found) // CHUNK), -1, self.dtype)
        run(
            remeasure, len(c.found), c.found.split, c.found.corners, c.found.values, self.dtype.type(c.age), c.before,
            self.x0, *self._masks(), self.distance,
        )  # fmt: skip
