"""Contacts of rigid bodies on a device: loads of vertices are summed over their body, run by run, in a fixed order.

A contact displaces a vertex; the body's six numbers take the sum over all vertices. The l1 bound on contacts that share a
body (`pairs`) uses the body's mass, and the rotation by a force at a vertex: for two vertices at most the product of their
bounds (Cauchy-Schwarz).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import SerialDevice
from ...device.cuda.primitives import RUN
from ...device.uncounted import inline
from ...mathlib.vec3 import add, add_scaled, cross, dot, scale
from ...model.gpu.rigid_bodies import Rigid, four, set_pose, three
from ...model.gpu.substep_motion import NOW
from .embedded_points import Lent, lend_row
from .pair_sweeps import PairContacts

f64 = np.float64
ZERO, HALF, ONE, TINY = f32(0), f32(0.5), f32(1), f32(1e-30)


class Runs(NamedTuple):
    """Runs of vertices, at most RUN of one body: first, begin of each run among the vertices, (r + 1,); of_body, begin of
    the runs of each body, (b + 1,). sums: of each run, (r, 6)."""

    first: Array
    of_body: Array
    sums: Array


class BodyContacts(NamedTuple):
    """Contacts of bodies. rigid, runs, pairs. bound: displacement of a vertex by its body's rotation under a unit force
    there, square root, (k,); totals: sums of the weights of contacts over a body, and of those times `bound`, (b, 2)."""

    rigid: Rigid
    runs: Runs
    pairs: PairContacts
    bound: Array
    totals: Array


class LentBodies(NamedTuple):
    """Arguments of effective weights. rigid; lent: written."""

    rigid: Rigid
    lent: Lent


def runs_of(device: SerialDevice, counts: list[int]) -> Runs:
    """counts: vertices of each body."""
    first, of_body, begun = [0], [0], 0
    for count in counts:
        first += [*range(begun + RUN, begun + count, RUN), begun + count]
        begun += count
        of_body.append(len(first) - 1)
    up = device.upload
    return Runs(up(first, np.int32), up(of_body, np.int32), device.zeros((len(first) - 1, 6), np.float32))


@inline
def times_swing(swing, b, v):
    """The turn of a body by an impulse's moment about its centre."""
    return (
        swing[b, 0] * v[0] + swing[b, 1] * v[1] + swing[b, 2] * v[2],
        swing[b, 3] * v[0] + swing[b, 4] * v[1] + swing[b, 5] * v[2],
        swing[b, 6] * v[0] + swing[b, 7] * v[1] + swing[b, 8] * v[2],
    )


@inline
def largest_turn(swing, b, arm):
    """The most that a push of one at an arm moves the vertex there by turning the body."""
    size = dot(arm, arm)
    axis = (ONE, ZERO, ZERO) if arm[0] * arm[0] < HALF * HALF * size else (ZERO, ONE, ZERO)
    t = cross(arm, axis)
    t = scale(ONE / math.sqrt(max(dot(t, t), TINY)), t)
    u = scale(ONE / math.sqrt(max(size, TINY)), cross(arm, t))
    at, au = cross(arm, t), cross(arm, u)
    st, su = times_swing(swing, b, at), times_swing(swing, b, au)
    tt, tu, uu = dot(at, st), dot(at, su), dot(au, su)
    half = HALF * (tt - uu)
    return HALF * (tt + uu) + math.sqrt(half * half + tu * tu)


@body
def bound(k, args):
    """Bound the displacement of a vertex by its body's rotation under a unit force there."""
    g = args.rigid
    args.bound[k] = math.sqrt(max(ZERO, largest_turn(g.swing, g.owner[k], three(g.arm, k))))


@body
def add_weights(r, args):
    """Sum of a run: weights of contacts, and these times `bound`."""
    runs, point_value = args.runs, args.pairs.coupled.point_value
    total, turning = ZERO, ZERO
    for k in range(runs.first[r], runs.first[r + 1]):
        weight = point_value[args.rigid.rows[k]]
        total += weight
        turning += weight * args.bound[k]
    runs.sums[r, 0], runs.sums[r, 1] = total, turning


@body
def add_body_weights(b, args):
    """Sum of a body, over its runs."""
    runs, total, turning = args.runs, ZERO, ZERO
    for r in range(runs.of_body[b], runs.of_body[b + 1]):
        total += runs.sums[r, 0]
        turning += runs.sums[r, 1]
    args.totals[b, 0], args.totals[b, 1] = total, turning


@body
def spread(k, args):
    """Set the load of a vertex: the bound on its displacement by all contacts of its body."""
    g = args.rigid
    b = g.owner[k]
    args.pairs.load[g.rows[k]] = g.push[b] * args.totals[b, 0] + args.bound[k] * args.totals[b, 1]


@body
def add_pushes(r, args):
    """Sum the forces on a run's vertices, and their moments."""
    g, runs, push = args.rigid, args.runs, args.pairs.coupled.push
    force, moment = (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO)
    for k in range(runs.first[r], runs.first[r + 1]):
        push_of_vertex = three(push, g.rows[k])
        force = add(force, push_of_vertex)
        moment = add(moment, cross(three(g.arm, k), push_of_vertex))
    sums = runs.sums
    sums[r, 0], sums[r, 1], sums[r, 2] = force
    sums[r, 3], sums[r, 4], sums[r, 5] = moment


@body
def twist(b, args):
    """Add the sum of forces and moments of a body to its twist."""
    g, runs = args.rigid, args.runs
    force, moment = (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO)
    for r in range(runs.of_body[b], runs.of_body[b + 1]):
        force = add(force, (runs.sums[r, 0], runs.sums[r, 1], runs.sums[r, 2]))
        moment = add(moment, (runs.sums[r, 3], runs.sums[r, 4], runs.sums[r, 5]))
    turn = times_swing(g.swing, b, moment)
    for k in range(3):
        g.twist[b, k] += g.push[b] * (force[0] if k == 0 else force[1] if k == 1 else force[2])
        g.twist[b, 3 + k] += turn[0] if k == 0 else turn[1] if k == 1 else turn[2]


@body
def move(k, args):
    """Write a vertex where the twist of its body has moved it from its prediction."""
    g, m = args.rigid, args.pairs.motion
    b, row = g.owner[k], g.rows[k]
    turn = cross((g.twist[b, 3], g.twist[b, 4], g.twist[b, 5]), three(g.arm, k))
    at = add_scaled(add(three(m.x_pred, row), turn), ONE, (g.twist[b, 0], g.twist[b, 1], g.twist[b, 2]))
    m.x[row, 0], m.x[row, 1], m.x[row, 2] = at


@body
def lend(k, args):
    """Write the compliance of the body of a vertex into the last column of particles."""
    g = args.rigid
    lend_row(args.lent, g.rows[k], g.push[g.owner[k]])


@body
def lift_run(r, args):
    """Return the longest displacement of a run's vertices back in front of planes."""
    g, runs, push = args.rigid, args.runs, args.pairs.coupled.push
    best, longest = (ZERO, ZERO, ZERO), ZERO
    for k in range(runs.first[r], runs.first[r + 1]):
        lift = three(push, g.rows[k])
        if dot(lift, lift) > longest:
            best, longest = lift, dot(lift, lift)
    runs.sums[r, 0], runs.sums[r, 1], runs.sums[r, 2] = best


@body
def lift_body(b, args):
    """Put a body back in front of planes."""
    g, runs, m = args.rigid, args.runs, args.pairs.motion
    best, longest = (ZERO, ZERO, ZERO), ZERO
    for r in range(runs.of_body[b], runs.of_body[b + 1]):
        lift = three(runs.sums, r)
        if dot(lift, lift) > longest:
            best, longest = lift, dot(lift, lift)
    if longest > ZERO:
        centre = add(three(g.centre, b), (f64(best[0]), f64(best[1]), f64(best[2])))
        set_pose(g, b, centre, four(g.turn, b), f64(m.now[m.step, NOW.h]))
