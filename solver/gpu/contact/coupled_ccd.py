"""Continuous collision detection of coupled points on a device: what is let go less far is what carries them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...device.cuda.body import body
from .ccd import LEVELS, Clamp, is_pushed, least_safe
from .coupled import BIG, ONE, ZERO, put_point, share_of
from .coupled_contacts import lift_of
from .planes import VALUE, Planes


class Held(NamedTuple):
    """rows: of what is coupled, (k,). clamp, planes."""

    rows: Any
    clamp: Clamp
    planes: Planes


@body
def lead_carriers(i, given):
    """A vertex goes with what is nearest to any of its points, and has the least room that they have beside it. given:
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
    """The share of its way that is safe for a point, TWO for all."""
    row = given.rows[k]
    given.clamp.coupled.told[row] = least_safe(row, given.clamp)


@body
def follow(k, given):
    """A point ends where its corners are let go to; its level is that of the one that may still make most room. given:
    `Clamp`."""
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
    """Whether something pushes a point, 1 or 0; one that is behind a plane at the end is left to the CPU."""
    row, clamp, planes = given.rows[k], given.clamp, given.planes
    found = is_pushed(row, clamp)
    for s in range(planes.number[row]):
        found = found or planes.values[row, s * VALUE.width + VALUE.multiplier] > ZERO
    clamp.coupled.told[row] = ONE if found else ZERO
    way = lift_of(row, clamp.motion.x0, clamp.pairs.motion.x1, planes)
    if way[0] != ZERO or way[1] != ZERO or way[2] != ZERO:
        clamp.failed[clamp.failed.shape[0] - 1] = clamp.motion.step + 1
