"""Continuous collision detection of embedded points on a device: the corners of their tetrahedra are clamped."""

from __future__ import annotations

from typing import NamedTuple

from ...device.cuda.array import Array
from ...device.cuda.body import body
from ..ccd.law import CCD_LEVELS
from .ccd_passes import Clamp, is_pushed, least_safe
from .embedded_contacts import lift_of
from .embedded_points import BIG, ONE, ZERO, put_point, share_of
from .plane_contacts import VALUE, Planes


class Held(NamedTuple):
    """Embedded points in CCD. rows: of points, (k,). clamp, planes."""

    rows: Array
    clamp: Clamp
    planes: Planes


@body
def lead_carriers(i, args):
    """Set the leading motion of a vertex to that nearest to any of its points, and its room to the minimum over them. given:
    `Clamp`."""
    c, nearest = args.coupled, args.nearest[i]
    x0, room = args.pairs.motion.x0, args.room[i] if nearest < BIG else BIG
    leader = -1
    for s in range(c.first[i], c.first[i + 1]):
        row, share = share_of(c, s)
        if share != ZERO and args.nearest[row] < BIG:
            total, point = ZERO, c.at[s] >> 2
            for corner in range(4):
                total += abs(c.shares[point, corner])
            room = min(room, args.room[row] / total)
            if args.nearest[row] < nearest:
                nearest, leader = args.nearest[row], row
    if leader >= 0:
        args.room[i] = room
        for k in range(3):
            args.lead[i, k] = x0[i, k] + (args.lead[leader, k] - x0[leader, k])


@body
def reach(k, args):
    """Between which bounds a point may end, whatever its corners are let go to: its `wanted` and `lead`. args: `Clamp`."""
    c, wanted, lead = args.coupled, args.wanted, args.lead
    row = c.rows[k]
    for axis in range(3):
        low, high = ZERO, ZERO
        for corner in range(4):
            i, share = c.corners[k, corner], c.shares[k, corner]
            one = share * wanted[i, axis]
            other = share * lead[i, axis] if args.motion.x0[i, 3] > ZERO else one
            low += min(one, other)
            high += max(one, other)
        wanted[row, axis], lead[row, axis] = low, high


@body
def write_safe_share(k, args):
    """Write the safe share of a point, TWO for all."""
    row = args.rows[k]
    args.clamp.coupled.point_value[row] = least_safe(row, args.clamp)


@body
def follow(k, args):
    """Interpolate a point from its clamped corners; its level is the lowest of theirs. args: `Clamp`."""
    c, moved, number, level = args.coupled, False, args.number + 1, CCD_LEVELS
    for corner in range(4):
        i = c.corners[k, corner]
        moved = moved or args.changed[i] == number
        if c.shares[k, corner] != ZERO and args.motion.x0[i, 3] > ZERO:
            level = min(level, args.level[i])
    if moved:
        args.changed[c.rows[k]] = number
        args.level[c.rows[k]] = level
        put_point(c, k, args.pairs.motion.x1)


@body
def write_pushed(k, args):
    """Write 1 for a point with contact force, else 0; a point behind a plane at the end sends the frame to the CPU."""
    row, clamp, planes = args.rows[k], args.clamp, args.planes
    pushed = is_pushed(row, clamp)
    for s in range(planes.number[row]):
        pushed = pushed or planes.values[row, s * VALUE.width + VALUE.multiplier] > ZERO
    clamp.coupled.point_value[row] = ONE if pushed else ZERO
    lift = lift_of(row, clamp.motion.x0, clamp.pairs.motion.x1, planes)
    if lift[0] != ZERO or lift[1] != ZERO or lift[2] != ZERO:
        clamp.failed[clamp.failed.shape[0] - 1] = clamp.motion.step + 1
