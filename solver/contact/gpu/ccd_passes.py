"""Continuous collision detection on a device: no pair passes through another on the straight path from start to end.

Each vertex has a leading motion, that of its nearest neighbour or its prediction; its end lies between that and its wanted
position. All pairs that could meet on any of these paths are found once; vertices of intersecting pairs are clamped towards
the leading motion, level by level, until no pair intersects. If pairs still intersect, the CPU repeats the whole frame.
Levels are those of `contact/ccd/clamp.py`, except that the last one ends at the leading motion.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.single import single
from ...device.uncounted import inline
from ...model.gpu.substep_motion import NOW, Motion
from ..ccd import detection
from ..ccd.law import CCD_LEVELS, half_gap, own_share, rank, weight_in_lead
from .embedded_points import Coupled, least_value, weighted_sum
from .one_vertex import take_up
from .pair_selection import ALONE, CONTACT, Contacts, Pairs, between, is_tied, pair_thickness
from .surface_arrays import pair_of

passes = single(detection.passes)

ZERO, ONE, TWO, BIG = f32(0), f32(1), f32(2), f32(1e30)
#: Times that ends are checked.
PASSES = 10


class Clamp(NamedTuple):
    """Arguments of the clamp. pairs: `motion` ends at the clamped positions. motion, contacts, coupled. wanted: wanted end
    of each particle, lead: end of its leading motion, (count, 4) [m]; for coupled points bounds of both. at_first, at:
    elements of each vertex. nearest, room [m], share: of the path that is safe, level, changed: the last pass that moved
    the end, (count,). safe: safe share of the path of each pair, 2 for all, (room,).
    failed: for each pass the last substep in which a pair failed in it, from 1 on, (PASSES + 1,) int32; number: of the pass.
    clamped, stalled: substeps of the frame in which a vertex was clamped, and by more than its `stall` [m], touched: 1 for
    vertices with a contact force, (n,) int32. load: see `PairContacts`.
    """

    pairs: Pairs
    motion: Motion
    contacts: Contacts
    coupled: Coupled
    at_first: Array
    at: Array
    wanted: Array
    lead: Array
    nearest: Array
    room: Array
    share: Array
    level: Array
    changed: Array
    safe: Array
    failed: Array
    number: np.int32
    clamped: Array
    stalled: Array
    touched: Array
    stall: Array
    load: Array


@body
def bound(i, args):
    """Compute how far a vertex may move relative to its nearest neighbour, and the end of that neighbour's motion."""
    pairs = args.pairs
    x0, x1 = pairs.motion.x0, pairs.motion.x1
    nearest, room = BIG, BIG
    lx, ly, lz = ZERO, ZERO, ZERO
    args.level[i] = 0
    args.share[i] = ONE
    args.changed[i] = 0
    if i < args.at_first.shape[0] - 1 and x0[i, 3] > ZERO:
        for s in range(args.at_first[i], args.at_first[i + 1]):
            e = args.at[s]
            for r in range(min(pairs.first[e], pairs.room), min(pairs.first[e + 1], pairs.room)):
                d = pairs.distance[r]
                room = min(room, half_gap(d, pairs.thick[r]))
                _, corners, _ = pair_of(pairs.elements, e, pairs.partners[r])
                a, b, c, q = corners
                driven = x0[a, 3] == ZERO or x0[b, 3] == ZERO or x0[c, 3] == ZERO or x0[q, 3] == ZERO
                own_rank = rank(d, driven)
                if own_rank < nearest and d < ALONE:
                    nearest = own_rank
                    total, lx, ly, lz = ZERO, ZERO, ZERO, ZERO
                    for corner in range(4):
                        p = a if corner == 0 else b if corner == 1 else c if corner == 2 else q
                        heavy = weight_in_lead(x0[i, 3], x0[p, 3], driven)
                        total += heavy
                        lx += heavy * (x1[p, 0] - x0[p, 0])
                        ly += heavy * (x1[p, 1] - x0[p, 1])
                        lz += heavy * (x1[p, 2] - x0[p, 2])
                    lx, ly, lz = lx / total, ly / total, lz / total
    near = nearest < BIG
    args.nearest[i] = nearest
    args.room[i] = room if near else ZERO
    args.lead[i, 0] = x0[i, 0] + lx
    args.lead[i, 1] = x0[i, 1] + ly
    args.lead[i, 2] = x0[i, 2] + lz
    if not near:  # the prediction met nothing
        of_body = i < args.at_first.shape[0] - 1
        for k in range(3):
            args.lead[i, k] = args.motion.x_pred[i, k] if of_body else x1[i, k]
    for k in range(3):
        args.wanted[i, k] = x1[i, k]


@body
def check(r, args):
    """Test whether a pair intersects on the path to the current ends, if one of them is new. The first pass measures the
    distance, too."""
    pairs, number, stamp = args.pairs, args.number, args.motion.step + 1
    if r < min(pairs.first[pairs.first.shape[0] - 1], pairs.room) and (number == 0 or args.failed[number - 1] == stamp):
        vertex, corners, _ = pair_of(pairs.elements, pairs.owners[r], pairs.partners[r])
        i, j, k, m = corners
        x0 = pairs.motion.x0
        if number == 0:
            pairs.thick[r] = pair_thickness(i, j, k, m, vertex, pairs.surfaces, pairs.ties.start, ONE)
            _, _, d, _ = between(x0, x0, i, j, k, m, vertex, ZERO)
            alone = is_tied(i, j, k, m, vertex, pairs.surfaces, pairs.ties, pairs.thick[r], ONE)
            pairs.distance[r] = ALONE if alone else d
        changed = args.changed
        if changed[i] == number or changed[j] == number or changed[k] == number or changed[m] == number:
            good, t = passes(pairs.motion, corners, vertex, pairs.distance[r], pairs.thick[r])
            args.safe[r] = TWO if good else t
        if args.safe[r] <= ONE:
            args.failed[number] = stamp


@inline
def least_safe(i, args):
    """Return the smallest safe share over all pairs of a particle, TWO if all of the path is safe."""
    pairs, safe = args.pairs, TWO
    for s in range(args.at_first[i], args.at_first[i + 1]):
        e = args.at[s]
        for r in range(min(pairs.first[e], pairs.room), min(pairs.first[e + 1], pairs.room)):
            safe = min(safe, args.safe[r])
    return safe


@inline
def is_pushed(i, args):
    """Return whether a contact pushes a particle."""
    contacts, pushed = args.contacts, False
    for s in range(args.at_first[i], args.at_first[i + 1]):
        e = args.at[s]
        for r in range(min(contacts.first[e], contacts.room), min(contacts.first[e + 1], contacts.room)):
            if contacts.values[CONTACT.multiplier, r] > ZERO:
                for c in range(4):
                    if contacts.corners[c, r] == i and contacts.values[CONTACT.weight + c, r] != ZERO:
                        pushed = True
    return pushed


@body
def clamp(i, args):
    """Let a vertex go less far whose pairs fail."""
    number, safe, m, x1 = args.number, TWO, args.motion, args.pairs.motion.x1
    if args.failed[number] == m.step + 1 and m.x0[i, 3] > ZERO and args.level[i] < CCD_LEVELS:
        safe = min(least_safe(i, args), least_value(args.coupled, i))
    if safe <= ONE:
        if args.level[i] == 0:
            args.share[i] = safe
        level = args.level[i] + 1
        args.level[i] = level
        args.changed[i] = number + 1
        square, room = ZERO, args.room[i] if level < CCD_LEVELS else ZERO
        for k in range(3):
            distance = args.wanted[i, k] - args.lead[i, k]
            square += distance * distance
        share = own_share(level, args.share[i], room, math.sqrt(square))
        for k in range(3):
            x1[i, k] = args.lead[i, k] + share * (args.wanted[i, k] - args.lead[i, k])


@body
def settle(i, args):
    """Set the clamped end of a vertex, and record whether contact has moved it."""
    m, x1 = args.motion, args.pairs.motion.x1
    touched = is_pushed(i, args) or weighted_sum(args.coupled, i) > ZERO
    args.touched[i] = 1 if touched else 0
    if args.level[i] > 0:
        square = ZERO
        for k in range(3):
            distance = m.x[i, k] - x1[i, k]
            square += distance * distance
        args.clamped[i] += 1
        if square > args.stall[i] * args.stall[i]:
            args.stalled[i] += 1
        take_up(m, i, (x1[i, 0], x1[i, 1], x1[i, 2]))
    if touched or args.level[i] > 0:
        m.history[i] = False


@body
def restart(i, args):
    """Restart the velocity history of a clamped vertex or of one near contacts: first order in the next substep."""
    m = args.motion
    if m.second_order > 0 and (args.load[i] > ZERO or args.level[i] > 0):
        for k in range(3):
            m.v_before[i, k] = m.v[i, k]
            m.motion[i, k] = m.now[m.step, NOW.h] * m.v[i, k]
