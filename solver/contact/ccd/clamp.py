"""Clamp of continuous collision detection: shortens the motion of particles of failed pairs.

Relative to the motion of their nearest neighbours, the levels allow the safe share of their own motion, then half of their
gaps, then nearly none; the last level is one motion common to all.
"""

from __future__ import annotations

import math

import numpy as np

from ...device.cpu import f32
from ...device.uncounted import uncounted_kernel
from ...steering import HALF_GAP_SHARE
from ..broad_phase.candidates import CANDIDATE
from ..surfaces.motion import SubstepMotion
from .law import CCD_LEVELS, half_gap, own_share, rank, weight_in_lead

Array = np.ndarray

ONE, ZERO = f32(1), f32(0)
#: Level of particles in an impact zone, beyond all others; at the last one before it the motion common to all is safe.
IN_ZONE = CCD_LEVELS + 1


@uncounted_kernel
def bounds(pairs, distance, motion, room, lead, nearest):
    """Bound the motion of each particle beside others without touching, and choose its reference motion.

    distance: of the pairs at the start [m], (k,).
    Written: room (count,) [m], half of its smallest gap; lead (count, 3) [m], the displacement of the centre of mass of the
    corners of its nearest pair, or the mean of those that no force moves, where it has any near; nearest (count,) [m], that
    pair's rank. The centre of mass, because a heavy particle must not be given the speed of a light one.
    """
    corners, values, x0, x1 = pairs.corners, pairs.values, motion.x0, motion.x1
    for i in range(len(room)):
        room[i] = nearest[i] = f32(1e30)
        for axis in range(3):
            lead[i, axis] = ZERO
    for p in range(len(corners)):
        d, thick = distance[p], values[p, CANDIDATE.thickness]
        gap, is_driven = half_gap(d, thick), False
        for c in range(4):
            is_driven = is_driven or x0[corners[p, c], 3] == 0
        own_rank = rank(d, is_driven)
        for c in range(4):
            i = corners[p, c]
            room[i] = min(room[i], gap)
            if x0[i, 3] > 0 and own_rank < nearest[i]:
                nearest[i] = own_rank
                for axis in range(3):
                    total, weight = ZERO * d, ZERO * d
                    for q in range(4):
                        o = corners[p, q]
                        heavy = weight_in_lead(x0[i, 3], x0[o, 3], is_driven)
                        total += heavy * (x1[o, axis] - x0[o, axis])
                        weight += heavy
                    lead[i, axis] = total / weight


@uncounted_kernel
def escalate(corners, safe, x0, level, hit, share):
    """Raise the level of the movable particles of failed pairs by one; return how many.

    Written: level, hit (count,); share (count,), the smallest share of its motion that was safe for a particle.
    """
    for i in range(len(hit)):
        hit[i] = False
        if level[i] == 0:
            share[i] = ONE
    for p in range(len(safe)):
        if safe[p] <= ONE:
            for c in range(4):
                i = corners[p, c]
                hit[i] = True
                if level[i] == 0:
                    share[i] = min(share[i], safe[p])
    count = 0
    for i in range(len(hit)):
        if hit[i] and x0[i, 3] > 0 and level[i] < CCD_LEVELS:
            level[i] += 1
            count += 1
    return count


@uncounted_kernel
def held_ends(wanted, room, lead, ends):
    """Return the ends of particles that go along with their nearest neighbours; of those alone that the clamp may hold.

    wanted: motion of the substep. Written: ends (count, 4) [m].
    """
    x0, x1 = wanted.x0, wanted.x1
    for i in range(len(room)):
        square = ZERO * room[i]
        for axis in range(3):
            own_motion = x1[i, axis] - x0[i, axis] - lead[i, axis]
            square += own_motion * own_motion
        if math.sqrt(square) > f32(HALF_GAP_SHARE) * room[i]:
            for axis in range(3):
                ends[i, axis] = x0[i, axis] + lead[i, axis]


@uncounted_kernel
def clamp_ends(motion, level, share, room, lead, common, x):
    """Ends of the substep of particles with a level. motion: requested. common: (3,) [m], motion of the last level.

    Written: x (count, 4).
    """
    x0, wanted = motion.x0, motion.x1
    for i in range(len(level)):
        if level[i] == 0:
            continue
        size = ZERO * room[i]
        for axis in range(3):
            base = lead[i, axis] if level[i] < CCD_LEVELS else common[axis]
            d = wanted[i, axis] - x0[i, axis] - base
            size += d * d
        part = own_share(level[i], share[i], room[i], math.sqrt(size))
        for axis in range(3):
            base = lead[i, axis] if level[i] < CCD_LEVELS else common[axis]
            x[i, axis] = x0[i, axis] + base + part * (wanted[i, axis] - x0[i, axis] - base)


def common_motion(motion: SubstepMotion, corners: Array, still: bool, active: Array) -> Array:
    """Mean displacement [m], (3,), of the driven particles of the failed pairs, or of all mass without one; none if `still`.
    corners: of the failed pairs, (k, 4). still: whether there are immovable objects. active: of the bodies'
    vertices, which come first, (n,) bool.
    """
    x0, x1 = motion
    moved = x1[:, :3] - x0[:, :3]
    driven = np.unique(corners[x0[corners, 3] == 0])
    if len(driven):
        return moved[driven].mean(0, dtype=float).astype(x0.dtype, copy=False)
    if still:
        return np.zeros(3, x0.dtype)
    mass = 1.0 / x0[: len(active), 3][active].astype("float64", copy=False)
    return (mass @ moved[: len(active)][active] / mass.sum()).astype(x0.dtype, copy=False)
