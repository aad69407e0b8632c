"""Continuous collision detection of rigid bodies on a device: a body is clamped as a whole.

Between its leading and its wanted motion, a body is displaced and turned by one share of its path
(`contact/constraints/coupled_clamp.py`). Only pairs without a lighter partner that can make room clamp a body.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.uncounted import inline
from ...mathlib.quaternion import rotation_between, turned
from ...mathlib.vec3 import add, add_scaled, dot, scale, sub
from ...model.gpu.rigid_bodies import Rigid, four, place_row, put_four, put_three, set_pose, three
from ...model.gpu.substep_motion import NOW
from ..ccd.law import CCD_LEVELS, own_share
from .ccd_passes import Clamp
from .embedded_points import BIG, ONE, TWO, ZERO
from .rigid_contacts import Runs
from .surface_arrays import pair_of

f64 = np.float64
EIGHTH = f32(0.125)


class HeldBodies(NamedTuple):
    """Arguments of the bodies' clamp. rigid, runs, clamp. body: of each particle, -1 for none, (count,). Of bodies, (b,) or
    (b, numbers): wanted centre [m] and turn; lead, room, longest: leading motion, how far the body may move relative to
    it, and the largest such displacement of its vertices [m]; level, changed: see `Clamp`.
    """

    rigid: Rigid
    runs: Runs
    clamp: Clamp
    body: Array
    centre: Array
    turn: Array
    lead: Array
    room: Array
    longest: Array
    level: Array
    changed: Array


@body
def lead_run(r, args):
    """Find over a run of vertices the leading motion of the nearest neighbour, and the least room."""
    runs, clamp, nearest, room = args.runs, args.clamp, BIG, BIG
    lead, x0 = (ZERO, ZERO, ZERO), clamp.pairs.motion.x0
    for k in range(runs.first[r], runs.first[r + 1]):
        row = args.rigid.rows[k]
        if clamp.nearest[row] < BIG:
            room = min(room, clamp.room[row])
            if clamp.nearest[row] < nearest:
                nearest, lead = clamp.nearest[row], sub(three(clamp.lead, row), three(x0, row))
    runs.sums[r, 0], runs.sums[r, 1] = nearest, room
    runs.sums[r, 2], runs.sums[r, 3], runs.sums[r, 4] = lead


@body
def lead_body(b, args):
    """The same of a body; where it wants to go is kept."""
    g, runs, nearest, room = args.rigid, args.runs, BIG, BIG
    lead = (ZERO, ZERO, ZERO)
    for r in range(runs.of_body[b], runs.of_body[b + 1]):
        room = min(room, runs.sums[r, 1])
        if runs.sums[r, 0] < nearest:
            nearest, lead = runs.sums[r, 0], (runs.sums[r, 2], runs.sums[r, 3], runs.sums[r, 4])
    args.room[b] = room if nearest < BIG else ZERO
    put_three(args.lead, b, lead)
    put_three(args.centre, b, three(g.centre, b))
    put_four(args.turn, b, four(g.turn, b))
    args.level[b], args.changed[b] = 0, 0


@body
def reach(k, args):
    """Bound the end of a vertex over all shares of its body's path, and measure its displacement relative to the leading
    motion. The path of a rotation is an arc, which deviates from its chord by an eighth of the angle times the chord."""
    g, clamp = args.rigid, args.clamp
    b, row = g.owner[k], g.rows[k]
    x0, x1, lead = clamp.pairs.motion.x0, clamp.pairs.motion.x1, three(args.lead, b)
    angle = rotation_between(four(g.start_turn, b), four(args.turn, b))
    arm = three(g.arm, k)
    beside = f32(dot(angle, angle)) * math.sqrt(dot(arm, arm)) * EIGHTH
    displacement = sub(sub(three(x1, row), three(x0, row)), lead)
    clamp.coupled.point_value[row] = math.sqrt(dot(displacement, displacement))
    for axis in range(3):
        one, other = x0[row, axis], x1[row, axis]
        led = one + (lead[0] if axis == 0 else lead[1] if axis == 1 else lead[2])
        clamp.wanted[row, axis] = min(one, min(other, led)) - beside
        clamp.lead[row, axis] = max(one, max(other, led)) + beside


@body
def longest_run(r, args):
    """Find the largest displacement of a run's vertices relative to the leading motion."""
    runs, longest = args.runs, ZERO
    for k in range(runs.first[r], runs.first[r + 1]):
        longest = max(longest, args.clamp.coupled.point_value[args.rigid.rows[k]])
    runs.sums[r, 0] = longest


@body
def longest_body(b, args):
    """The same of a body."""
    runs, longest = args.runs, ZERO
    for r in range(runs.of_body[b], runs.of_body[b + 1]):
        longest = max(longest, runs.sums[r, 0])
    args.longest[b] = longest


@inline
def has_lighter(r, args):
    """Can a corner of a pair that is of no rigid body still make room?"""
    clamp, lighter = args.clamp, False
    pairs = clamp.pairs
    _, corners, _ = pair_of(pairs.elements, pairs.owners[r], pairs.partners[r])
    for c in range(4):
        p = corners[0] if c == 0 else corners[1] if c == 1 else corners[2] if c == 2 else corners[3]
        lighter = lighter or (args.body[p] < 0 and pairs.motion.x0[p, 3] > ZERO and clamp.level[p] < CCD_LEVELS)
    return lighter


@body
def write_safe_share(k, args):
    """Write the safe share of a vertex over the pairs without a lighter partner that can make room; TWO for all."""
    clamp, row, safe = args.clamp, args.rigid.rows[k], TWO
    pairs = clamp.pairs
    for s in range(clamp.at_first[row], clamp.at_first[row + 1]):
        e = clamp.at[s]
        for r in range(min(pairs.first[e], pairs.room), min(pairs.first[e + 1], pairs.room)):
            if clamp.safe[r] <= ONE and not has_lighter(r, args):
                safe = min(safe, clamp.safe[r])
    clamp.coupled.point_value[row] = safe


@body
def least_run(r, args):
    """Return the minimum of `point_value` over the vertices of a run."""
    runs, least = args.runs, TWO
    for k in range(runs.first[r], runs.first[r + 1]):
        least = min(least, args.clamp.coupled.point_value[args.rigid.rows[k]])
    runs.sums[r, 0] = least


@body
def clamp_body(b, args):
    """Let a body go less far whose pairs fail."""
    g, clamp, runs, safe = args.rigid, args.clamp, args.runs, TWO
    number = clamp.number
    if clamp.failed[number] == clamp.motion.step + 1 and args.level[b] < CCD_LEVELS and g.push[b] > ZERO:
        for r in range(runs.of_body[b], runs.of_body[b + 1]):
            safe = min(safe, runs.sums[r, 0])
    if safe <= ONE:
        level = args.level[b] + 1
        args.level[b] = level
        base, part = (f64(0), f64(0), f64(0)), f64(safe)
        if level > 1:
            base = (f64(args.lead[b, 0]), f64(args.lead[b, 1]), f64(args.lead[b, 2]))
            room = args.room[b] if level < CCD_LEVELS else ZERO
            part = f64(own_share(level, safe, room, args.longest[b]))
        start, start_turn = three(g.start_centre, b), four(g.start_turn, b)
        displacement = sub(sub(three(args.centre, b), start), base)
        put_three(g.centre, b, add_scaled(add(start, base), part, displacement))
        put_four(g.turn, b, turned(start_turn, scale(part, rotation_between(start_turn, four(args.turn, b)))))
        args.changed[b] = number + 1


@body
def follow(k, args):
    """A vertex ends where its body is let go to."""
    g, clamp = args.rigid, args.clamp
    b, row = g.owner[k], g.rows[k]
    if args.changed[b] == clamp.number + 1:
        place_row(k, g, clamp.pairs.motion.x1)
        clamp.changed[row] = clamp.number + 1
        clamp.level[row] = args.level[b]


@body
def settle(b, args):
    """Set the momenta of a clamped body to those of its remaining path."""
    g, m = args.rigid, args.clamp.motion
    if args.level[b] > 0:
        set_pose(g, b, three(g.centre, b), four(g.turn, b), f64(m.now[m.step, NOW.h]))
