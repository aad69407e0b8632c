"""Particles of surfaces that others carry: vertices of rigid bodies, and surfaces embedded in tetrahedra.

They are particles as all others for the search, the planes and the certificate. What differs: contact pushes what carries
them (`carried_rows`), and what the certificate holds back is what carries them, a rigid body as a whole.
"""

from __future__ import annotations

import numpy as np

from ...model.model import Embedded
from ...model.rigid_motion import RigidMotion, rotation_between, turned
from ..ccd.ccd import HALF_GAP, LEVELS
from . import coupled_rows as carried_rows
from .coupled_rows import COLUMNS, CORNERS, SIDE

Array = np.ndarray

#: Sweeps over these contacts for each sweep over the others.
SWEEPS = 2
#: Those of rigid bodies alone have no elements that wait in between, and heavy bodies on light ones need many: up to so
#: many more, until no contact is further off than this share of the distance that is kept.
MOST_SWEEPS = 40
ENOUGH = 1e-4


class Carried:
    """Tables of the carried particles of one world, and their contacts in one substep.

    particles: (k,) all of them. count: contacts. body, slot: of each particle, its rigid body and its row among the
    embedded points, -1 for none, (particles,) int32.
    """

    def __init__(self, count: int, dtype: np.dtype, rigid: RigidMotion | None, embedded: Embedded) -> None:
        """count: all particles of the contact system."""
        self.rigid = RigidMotion([], 1.0, dtype) if rigid is None else rigid
        self.embedded, self.dtype = embedded, dtype
        self.body, self.slot = np.full((2, count), -1, np.int32)
        for number, shape in enumerate(self.rigid.shapes):
            self.body[shape.start : shape.stop] = number
        self.slot[embedded.rows] = np.arange(len(embedded.rows))
        self.particles = np.flatnonzero((self.body >= 0) | (self.slot >= 0))
        self.carriers = np.ascontiguousarray(embedded.corners, np.int32)
        self.carry = np.ascontiguousarray(embedded.weights, dtype)
        self.is_carried = (self.body >= 0) | (self.slot >= 0)
        self.count = 0
        self.order: Array | None = None
        self.alone = np.zeros(0, np.int64)
        self.enough = 0.0
        self._make_room(64)

    def __bool__(self) -> bool:
        return len(self.particles) > 0

    def lend_weights(self, x0: Array) -> None:
        """Writes h^2/m of carried particles into the last column of x0, so that contact knows that they can be moved."""
        for number, shape in enumerate(self.rigid.shapes):
            x0[shape.start : shape.stop, 3] = self.rigid.push[number]
        if len(self.embedded.rows):
            x0[self.embedded.rows, 3] = (self.carry**2 * x0[self.carriers, 3]).sum(1)

    def begin(self, contact, which: Array, vertex_pairs: int, kept: Array, points: Array) -> None:
        """Starts the contacts of the pairs `which`, and of the particles `points` with the infinite planes of `contact`.

        kept: of each pair, the share of the thickness that its contact keeps.
        """
        c, r = contact, self.rigid
        centres = [np.ascontiguousarray(centre, self.dtype) for centre in (r.start_centre, r.centre)]
        tables = self.body, self.slot, self.carriers, self.carry
        self.order, self.enough = None, ENOUGH * float(c.surfaces.distance[self.particles].min())
        while True:
            room = len(self.rows)
            if len(which) <= room:
                arrays = self._tables()
                found = c.candidates.found
                count = carried_rows.fill(
                    which, vertex_pairs, found.corners, found.values, c.distance, c.when, kept, c.x0, c.x1,
                    c.surfaces.friction, c.allowance, c.n, *tables, *centres, r.push, r.swing, *arrays,
                )  # fmt: skip
                if len(points):
                    origins, normals, reserve, friction = c.planes
                    count = carried_rows.fill_planes(
                        count, room, points, c.surfaces.distance, c.x0, c.x1, c.surfaces.friction, c.allowance, c.n, *tables,
                        centres[1], r.push, r.swing, c.surfaces.owner, c.plane_rules, origins, normals, reserve, friction,
                        *arrays,
                    )  # fmt: skip
                if count <= room:
                    self.count = count
                    return
            self._make_room(2 * max(room, len(which)) + len(points))

    def sweep(self, x0: Array, x: Array, last: bool) -> None:
        """Projects the contacts, in place. x: (n, 4) [m]; the rigid bodies' part is kept as their twist.

        last: of the substep; contacts then only push more, so that none is left to the certificate.
        """
        if self.order is None:
            # The deepest first: of many that are nearly the same, as below a ball, it is the one that has to hold, and
            # sweeps would take long to pass on what another one has taken.
            gap = np.empty(self.count, self.dtype)
            carried_rows.gaps(self.count, *self._tables(), self.rigid.twist, x0, x, gap)
            self._sweep(np.argsort(gap, kind="stable"), x0, x)
            self.order, self.alone = np.arange(self.count), np.flatnonzero(self.used[: self.count] == 0)
        for k in range(SWEEPS):
            off = self._sweep(self.order if k % 2 == 0 else self.order[::-1], x0, x)
        for k in range(MOST_SWEEPS if len(self.alone) > 1 else 0):
            if off <= self.enough:
                break
            off = self._sweep(self.alone if k % 2 == 0 else self.alone[::-1], x0, x)
        for k in range(MOST_SWEEPS if last else 0):
            if off <= self.enough:
                break
            off = self._sweep(self.order if k % 2 == 0 else self.order[::-1], x0, x, True)

    def _sweep(self, order: Array, x0: Array, x: Array, more: bool = False) -> float:
        return carried_rows.sweep(order, more, *self._tables(), self.rigid.push, self.rigid.swing, self.rigid.twist, x0, x)

    def _tables(self) -> tuple[Array, ...]:
        return self.corners, self.weights, self.used, self.bodies, self.sides, self.rows

    def measure(self, x0: Array, x: Array, touched: Array) -> tuple[int, float]:
        """As `contacts.measure`; before the twists are taken over. Written: touched (n,) bool."""
        return carried_rows.measure(self.count, *self._tables(), self.rigid.twist, x0, x, touched)

    def place(self, x: Array) -> None:
        """Takes over what contact did to rigid bodies, and writes all carried particles. Written: x (n, 4)."""
        self.rigid.correct()
        self.rigid.place(x)
        self.embedded.place(x)

    def displace(self, move: Array, x: Array) -> None:
        """Passes displacements of carried particles on to what carries them, as their mean over what is pushed.

        move: (n, 3) [m]; rows of carried particles are set to zero. Written: move, x, with all carried particles.
        """
        pushed = (move != 0).any(1)
        for number, shape in enumerate(self.rigid.shapes):
            mine = np.flatnonzero(pushed[shape.start : shape.stop]) + shape.start
            if len(mine):
                self.rigid.centre[number] += move[mine].mean(0, dtype=float)  # not the velocity: it must not be thrown
        mine = np.flatnonzero(pushed[self.embedded.rows])
        if len(mine):
            total, weight = np.zeros((len(move), 3)), np.zeros(len(move))
            size = np.abs(self.carry[mine])
            for k in range(4):
                np.add.at(total, self.carriers[mine, k], size[:, k : k + 1] * move[self.embedded.rows[mine]])
                np.add.at(weight, self.carriers[mine, k], size[:, k])
            carriers = np.flatnonzero((weight > 0) & (x[:, 3] > 0))
            move[carriers] += (total[carriers] / weight[carriers, None]).astype(move.dtype)
        move[self.particles] = 0
        x[:, :3] += move
        self.rigid.place(x)
        self.embedded.place(x)

    def lead_by_bodies(self, bounds, vertex_pairs: int, arrays: tuple, wanted: Array, room: Array, lead: Array) -> None:
        """Lets particles beside a rigid body be held to its motion, as to a collider's (`certify.bounds`). Written: lead."""
        if len(self.rigid.rows):
            corners, values, distance, x0 = arrays
            driven = x0.copy()
            driven[self.rigid.rows, 3] = 0
            other, scratch = np.zeros_like(lead), np.zeros((2, len(lead)), lead.dtype)
            bounds(vertex_pairs, corners, values, distance, driven, wanted, scratch[0], other, scratch[1])
            free = self.body < 0
            lead[free] = other[free]

    def spare(self, corners: Array, x0: Array, before: Array, level: Array) -> None:
        """Takes back the levels of rigid bodies that something lighter beside them can still make room for.

        A body that is held back loses all of its momentum, a vertex of cloth next to nothing. corners: of the pairs that
        failed, (k, 4). before: levels as they were. Written: level (count,).
        """
        body = self.body[corners]
        others = ((body < 0) & (x0[corners, 3] > 0) & (before[corners] < LEVELS)).any(1)
        must = np.unique(body[~others])
        for number, shape in enumerate(self.rigid.shapes):
            if number not in must:
                level[shape.start : shape.stop] = before[shape.start : shape.stop]

    def spread(self, level: Array, share: Array, room: Array, lead: Array, nearest: Array) -> None:
        """Gives what carries a particle its level and its bounds (`certify.escalate`, `certify.bounds`), in place."""
        for shape in self.rigid.shapes:
            rows = slice(shape.start, shape.stop)
            if level[rows].any():
                lead[rows] = lead[rows][nearest[rows].argmin()]
                level[rows], share[rows], room[rows] = level[rows].max(), share[rows].min(), room[rows].min()
        rows = self.embedded.rows
        if len(rows) and level[rows].any():
            # A point's displacement is its corners', weighted: outside its tetrahedron the weights' sizes add up to more.
            own = room[rows] / np.abs(self.carry).sum(1)
            far = np.lexsort((-nearest[rows],))  # the nearest is written last
            for k in range(4):
                used = self.carry[:, k] != 0
                corner = self.carriers[used, k]
                np.maximum.at(level, corner, level[rows[used]])
                np.minimum.at(share, corner, share[rows[used]])
                np.minimum.at(room, corner, own[used])
                order = far[used[far]]
                lead[self.carriers[order, k]] = lead[rows[order]]

    def hold_back(self, x0: Array, wanted: Array, poses: tuple, certificate: tuple, x: Array) -> None:
        """Puts rigid bodies that have a level where it lets them be, and all embedded points where their corners are.

        wanted: (count, 4) [m], where everything wanted to go, poses: the rigid bodies' (centre (b, 3), turn (b, 4)) there.
        certificate: level, share, room (count,), lead (count, 3), common (3,), of `certify`. Written: x (count, 4).
        """
        level, share, room, lead, common = certificate
        centres, turns = poses
        for number, shape in enumerate(self.rigid.shapes):
            first, top = shape.start, level[shape.start]
            if top == 0:
                continue
            base, part = np.zeros(3), float(share[first])
            if top > 1:
                base = np.asarray(lead[first] if top < LEVELS else common, float)
                own = float(room[first]) * (HALF_GAP if top == 2 else 0.25 * HALF_GAP if top < LEVELS else 0.5)
                rows = slice(first, shape.stop)
                most = np.linalg.norm(wanted[rows, :3].astype(float) - x0[rows, :3] - base, axis=1).max()
                part = own / most if most > own else 1.0
            start, turn = self.rigid.start_centre[number], self.rigid.start_turn[number]
            centre = start + base + part * (centres[number] - start - base)
            way = part * rotation_between(turn, turns[number])
            self.rigid.set_pose(number, centre, turned(turn[None], way[None])[0])
            self.rigid.place_one(number, self.rigid.centre[number], self.rigid.turn[number], x)
        self.embedded.place(x)

    def guard(
        self, x0: Array, x: Array, distance: Array, allowance: float, owner: Array, rules: Array, planes: tuple
    ) -> int:
        """Puts what went through an infinite plane back in front of it; returns how many particles did. Written: x.

        owner: body of each particle, rules: which bodies touch which planes, (bodies, planes).
        """
        points, normals, reserve, _ = planes
        held = 0
        if not len(points):
            return held
        p = self.particles
        move = np.zeros((len(x), 3), x.dtype)
        for point, normal, more, touches in zip(points, normals, reserve, rules.T, strict=True):
            start, gap = (x0[p, :3] - point) @ normal, (x[p, :3] - point) @ normal
            through = (start >= 0) & (gap < 0) & touches[owner[p]]
            if through.any():
                held += int(through.sum())
                target = np.minimum(distance[p] + more, start + allowance)
                lift = np.zeros(len(x), x.dtype)
                lift[p[through]] = (target - gap)[through]
                for number, shape in enumerate(self.rigid.shapes):
                    most = float(lift[shape.start : shape.stop].max())
                    if most > 0:
                        self.rigid.set_pose(number, self.rigid.centre[number] + most * normal, self.rigid.turn[number])
                rows = self.embedded.rows[lift[self.embedded.rows] > 0]
                own = np.zeros(len(x), x.dtype)
                for k in range(4):
                    np.maximum.at(own, self.carriers[self.slot[rows], k], lift[rows])
                own[x[:, 3] == 0] = 0
                move += own[:, None] * normal
        if held:
            x[:, :3] += move
            self.rigid.place(x)
            self.embedded.place(x)
        return held

    def _make_room(self, room: int) -> None:
        self.corners, self.weights = np.zeros((room, CORNERS), np.int32), np.zeros((room, CORNERS), self.dtype)
        self.used, self.bodies = np.zeros(room, np.int32), np.full((room, 2), -1, np.int32)
        self.sides, self.rows = np.zeros((room, 2, SIDE), self.dtype), np.zeros((room, COLUMNS), self.dtype)
