"""Clamp of continuous collision detection on coupled vertices: it clamps the bodies that move them."""

from __future__ import annotations

import numpy as np

from ...model.rigid_motion import rotation_between, turned
from ...steering import HALF_GAP_SHARE
from ..broad_phase.candidates import CandidatePairs
from ..ccd.clamp import IN_ZONE, bounds
from ..ccd.law import CCD_LEVELS
from ..surfaces.motion import SubstepMotion
from .coupling import Coupling
from .tables import Array


class CoupledClamp:
    """Clamp of coupled vertices; false where there are none."""

    def __init__(self, coupling: Coupling) -> None:
        self.coupling = coupling
        self.poses = coupling.rigid.centre, coupling.rigid.turn
        self.leader: Array | None = None

    def __bool__(self) -> bool:
        return bool(self.coupling)

    def begin(self) -> None:
        """Note where the rigid bodies want to go, (centre (b, 3), turn (b, 4))."""
        r, self.leader = self.coupling.rigid, None
        self.poses = r.centre.copy(), r.turn.copy()

    def lead_by_bodies(
        self, pairs: CandidatePairs, distance: Array, motion: SubstepMotion, room: Array, lead: Array
    ) -> None:
        """Let particles beside a heavier rigid body be held to its motion, as to a collider's (`bounds`). Written: lead."""
        rigid, body = self.coupling.rigid, self.coupling.table.body
        if len(rigid.rows):
            driven = motion.x0.copy()
            driven[rigid.rows, 3] = 0
            other, scratch = np.zeros_like(lead), np.zeros((2, len(lead)), lead.dtype)
            bounds(pairs, distance, SubstepMotion(driven, motion.x1), scratch[0], other, scratch[1])
            self.leader = np.full(len(lead), -1, "int32")
            owner = body[pairs.corners].max(1)
            beside = np.flatnonzero((owner >= 0) & (body[pairs.corners] < 0).any(1))
            beside = beside[np.argsort(-distance[beside], kind="stable")]  # the nearest is written last
            for corner in range(4):
                self.leader[pairs.corners[beside, corner]] = owner[beside]
            lighter = motion.x0[:, 3] > rigid.push[self.leader]
            self.leader[(body >= 0) | (self.coupling.table.point >= 0) | ~lighter] = -1
            led = self.leader >= 0
            lead[led] = other[led]

    def release(self, corners: Array, x0: Array, before: Array, level: Array) -> None:
        """Take back the levels of rigid bodies that something lighter beside them can still make room for.

        A body that is clamped loses all of its momentum, a vertex of cloth next to nothing. corners: of the pairs that
        failed, (k, 4). before: levels as they were. Written: level (count,).
        """
        body = self.coupling.table.body[corners]
        others = ((body < 0) & (x0[corners, 3] > 0) & (before[corners] < CCD_LEVELS)).any(1)
        must = np.unique(body[~others])
        for number, shape in enumerate(self.coupling.rigid.shapes):
            if number not in must:
                level[shape.start : shape.stop] = before[shape.start : shape.stop]

    def spread(self, level: Array, share: Array, room: Array, lead: Array, nearest: Array) -> None:
        """Transfer the level and the bounds of a particle to its carrier (`escalate`, `bounds`), in place."""
        for shape in self.coupling.rigid.shapes:
            vertices = slice(shape.start, shape.stop)
            if level[vertices].any():
                lead[vertices] = lead[vertices][nearest[vertices].argmin()]
                level[vertices], share[vertices], room[vertices] = (
                    level[vertices].max(),
                    share[vertices].min(),
                    room[vertices].min(),
                )
        rows, carriers, weights = self.coupling.embedded.rows, self.coupling.table.corners, self.coupling.table.weights
        if len(rows) and level[rows].any():
            # A point's displacement is its corners', weighted: outside its tetrahedron the weights' sizes add up to more.
            least = room[rows] / np.abs(weights).sum(1)
            far = np.argsort(-nearest[rows], kind="stable")  # the nearest is written last
            for k in range(4):
                used = weights[:, k] != 0
                corner = carriers[used, k]
                np.maximum.at(level, corner, level[rows[used]])
                np.minimum.at(share, corner, share[rows[used]])
                np.minimum.at(room, corner, least[used])
                order = far[used[far]]
                lead[carriers[order, k]] = lead[rows[order]]

    def clamp(self, x0: Array, wanted: Array, clamp: tuple, x: Array) -> None:
        """Put rigid bodies that have a level where it lets them be, and all embedded points where their corners are.

        wanted: (count, 4) [m], where everything wanted to go. clamp: level, share, room (count,), lead (count, 3), common
        (3,), see `ccd`. Written: x (count, 4).
        """
        level, share, room, lead, common = clamp
        centres, turns = self.poses
        rigid = self.coupling.rigid
        for number, shape in enumerate(rigid.shapes):
            first, top = shape.start, level[shape.start]
            if top == 0:
                continue
            base, part = np.zeros(3, "float64"), float(share[first])
            if top > 1:
                base = (lead[first] if top < CCD_LEVELS else common).astype("float64", copy=False)
                third = 0.25 * HALF_GAP_SHARE if top < CCD_LEVELS else 0.5
                room_of_body = float(room[first]) * (HALF_GAP_SHARE if top == 2 else third)
                rows = slice(first, shape.stop)
                off = wanted[rows, :3].astype("float64", copy=False) - x0[rows, :3] - base
                most = _longest(off)
                part = room_of_body / most if most > room_of_body else 1.0
            start, turn = rigid.start_centre[number], rigid.start_turn[number]
            centre = start + base + part * (centres[number] - start - base)
            rotation = part * rotation_between(turn, turns[number])
            rigid.set_pose(number, centre, turned(turn[None], rotation[None])[0])
            rigid.place_one(number, rigid.centre[number], rigid.turn[number], x)
        self.coupling.embedded.place(x)

    def push_back(self, motion: SubstepMotion, wanted: SubstepMotion, level: Array) -> None:
        """Take the momentum that particles have received because they were held to a rigid body's motion, from the body.

        Else a ball draws a sheet out and never feels it. At most as much as brings both to one velocity.
        """
        if self.leader is None:
            return
        rigid, x0 = self.coupling.rigid, motion.x0
        led = np.flatnonzero((self.leader >= 0) & (level > 0) & (level < IN_ZONE) & (x0[:, 3] > 0))
        body, mass = self.leader[led], rigid.h**2 / x0[led, 3].astype("float64", copy=False)
        momentum = mass[:, None] * (motion.x1[led, :3] - wanted.x1[led, :3]).astype("float64", copy=False) / rigid.h
        arm = motion.x1[led, :3].astype("float64", copy=False) - rigid.centre[body]
        for number in np.unique(body):
            mine = body == number
            share = rigid.mass[number] / (rigid.mass[number] + mass[mine].sum())
            rigid.velocity[number] -= share * momentum[mine].sum(0) / rigid.mass[number]
            rigid.spin[number] -= share * np.cross(arm[mine], momentum[mine]).sum(0)

    def share_masses(self, mass: Array) -> None:
        """Give each vertex of a rigid body its share of the mass, and embedded points, whose corners have it, none.

        mass: of each particle as contact pushes it, (count,); written.
        """
        for shape in self.coupling.rigid.shapes:
            mass[shape.start : shape.stop] /= shape.stop - shape.start
        mass[self.coupling.embedded.rows] = 0

    def bonds(self, particles: Array) -> Array:
        """Pairs of particles that must be in one zone since one of these is, (k, 2): a rigid body's vertices, and a point
        and the corners that carry it."""
        table = self.coupling.table
        bonds_of_tables = [np.empty((0, 2), "int64")]
        for number in np.unique(table.body[particles]):
            if number >= 0:
                shape = self.coupling.rigid.shapes[number]
                rows = np.arange(shape.start, shape.stop, dtype="int64")
                bonds_of_tables.append(np.stack([np.full(len(rows), shape.start, "int64"), rows], 1))
        coupled = particles[table.point[particles] >= 0]
        corners, used = table.corners[table.point[coupled]], table.weights[table.point[coupled]] != 0
        for k in range(corners.shape[1]):
            bonds_of_tables.append(np.stack([coupled[used[:, k]], corners[used[:, k], k]], 1))
        return np.concatenate(bonds_of_tables)

    def move_zones(self, level: Array, displacement: Array, x: Array) -> None:
        """Put rigid bodies that are in a zone where it goes, unturned, and all embedded points where their corners are.

        level: (count,). displacement: (count, 3) [m]. Written: x (count, 4).
        """
        rigid = self.coupling.rigid
        for number, shape in enumerate(rigid.shapes):
            if level[shape.start] == IN_ZONE:
                rigid.set_pose(number, rigid.start_centre[number] + displacement[shape.start], rigid.start_turn[number])
                rigid.place_one(number, rigid.centre[number], rigid.turn[number], x)
        self.coupling.embedded.place(x)


def _longest(vectors: Array):
    """The largest length of vectors (k, 3)."""
    return np.sqrt((vectors * vectors).sum(1)).max()
