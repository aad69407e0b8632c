"""Continuous collision detection of embedded points on a device: the corners of their tetrahedra are clamped."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...device.cuda.body import body
from .ccd_passes import LEVELS, Clamp, is_pushed, least_safe
from .embedded_contacts import lift_of
from .embedded_points import BIG, ONE, ZERO, put_point, share_of
from .plane_contacts import VALUE, Planes


class Held(NamedTuple):
    """Embedded points in CCD. rows: of points, (k,). clamp, planes."""

    rows: Any
    clamp: Clamp
    planes: Planes


@body
def lead_carriers(i, given):
    """Set the leading motion of a vertex to that nearest to any of its points, and its room to the minimum over them. given:
    `Clamp`."""
    c, nearest = given.coupled, given.nearest[i]
    x0, room = given.pairs.motion.x0, given.room[i] if nearest < BIG else BIG
    leader = -1
    for s in range(c.first[i], c.first[i + 1]):
        row, share = share_of(c, s)
        if share != ZERO and given.nearest[row] < BIG:
            total, point = ZERO, c.at[s] >> 2
            for corner in range(4):
                total += abs(c.shares[point, corner])
            room = min(room, given.room[row] / total)
            if given.nearest[row] < nearest:
                nearest, leader = given.nearest[row], row
    if leader >= 0:
        given.room[i] = room
        for k in range(3):
            given.lead[i, k] = x0[i, k] + (given.lead[leader, k] - x0[leader, k])


@body
def reach(k, given):
    """Between which bounds a point may end, whatever its corners are let go to: its `wanted` and `lead`. given: `Clamp`."""
    c, wanted, lead = given.coupled, given.wanted, given.lead
    row = c.rows[k]
    for axis in range(3):
        low, high = ZERO, ZERO
        for corner in range(4):
            i, share = c.corners[k, corner], c.shares[k, corner]
            one = share * wanted[i, axis]
            other = share * lead[i, axis] if given.motion.x0[i, 3] > ZERO else one
            low += min(one, other)
            high += max(one, other)
        wanted[row, axis], lead[row, axis] = low, high


@body
def tell_safe(k, given):
    """Write the safe share of a point, TWO for all."""
    row = given.rows[k]
    given.clamp.coupled.told[row] = least_safe(row, given.clamp)


@body
def follow(k, given):
    """Interpolate a point from its clamped corners; its level is the lowest of theirs. given: `Clamp`."""
    c, moved, number, level = given.coupled, False, given.number + 1, LEVELS
    for corner in range(4):
        i = c.corners[k, corner]
        moved = moved or given.changed[i] == number
        if c.shares[k, corner] != ZERO and given.motion.x0[i, 3] > ZERO:
            level = min(level, given.level[i])
    if moved:
        given.changed[c.rows[k]] = number
        given.level[c.rows[k]] = level
        put_point(c, k, given.pairs.motion.x1)


@body
def tell_pushed(k, given):
    """Write 1 for a point with contact force, else 0; a point behind a plane at the end sends the frame to the CPU."""
    row, clamp, planes = given.rows[k], given.clamp, given.planes
    pushed = is_pushed(row, clamp)
    for s in range(planes.number[row]):
        pushed = pushed or planes.values[row, s * VALUE.width + VALUE.multiplier] > ZERO
    clamp.coupled.told[row] = ONE if pushed else ZERO
    lift = lift_of(row, clamp.motion.x0, clamp.pairs.motion.x1, planes)
    if lift[0] != ZERO or lift[1] != ZERO or lift[2] != ZERO:
        clamp.failed[clamp.failed.shape[0] - 1] = clamp.motion.step + 1
