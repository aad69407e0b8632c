"""Line search and convergence of each group of sheets: `global_step/sheet_system.py` has the rules.

A step is halved until it does not raise the potential; the rise is summed from elements, inertia and contacts for all step
lengths at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES, f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import read_by_many
from ...device.uncounted import inline
from ...steering import UNSOLVED as UNSOLVED_SHARE
from . import convergence
from .contact_coupling import Touching, is_touched, rise_at
from .elements import TRIALS
from .rows import GROUP, total_of

ZERO, ONE, HALF = f32(0), f32(1), f32(0.5)
#: Of a soft body: see `rules` and `newton`.
SOLID_SETTLED, UNSOLVED = f32(convergence.SOLIDS_SETTLED), f32(UNSOLVED_SHARE)


@read_by_many
class Moving(NamedTuple):
    """vertex, slot: of each row its vertex, and where its pack's numbers go. x0: (n, 4). goal: the prediction, move: the
    motion so far, more: a step from it, (n, 4) [m]. rise: see `elements.Rising`. trials: TRIALS. touching: contacts."""

    go: Array
    vertex: Array
    slot: Array
    x0: Array
    goal: Array
    move: Array
    more: Array
    trials: np.int32
    rise: Array
    touching: Touching


class Choosing(NamedTuple):
    """Arguments of the line search. known: record of each group. limited, solid: (groups,), whether it has limits, is a soft
    body. settled, least_gain, foreseen: see `sheet_system`. runs: over `rise`. number: of the system, -1 for the rollback of
    a first step that raised the potential.
    """

    go: Array
    known: Array
    limited: Array
    solid: Array
    settled: Array
    least_gain: Array
    foreseen: Array
    runs: Array
    number: np.int32


@body
def rise_of_inertia(i, args):
    """Compute the rise of inertial and contact potential by each share of a row's step, exactly."""
    if args.go[0] == 0:
        return
    v = args.vertex[i]
    first = ZERO
    second = ZERO
    if v >= 0:
        inertia = ONE / args.x0[v, 3]
        for k in range(3):
            first += inertia * (args.move[v, k] - args.goal[v, k]) * args.more[v, k]
            second += HALF * inertia * args.more[v, k] * args.more[v, k]
    share = ONE
    for trial in range(args.trials):
        total = share * (first + share * second)
        if v >= 0 and is_touched(args.touching, v):
            total += rise_at(args.touching, v, args.move, args.more, trial, share)
        args.rise[trial, args.slot[i // LANES] * LANES + i % LANES] = total
        share *= HALF


@body
def choose(i, args):
    """The share of each group's step, none of one that is settled, and whether it is now. One thread."""
    going = 0
    known = args.known
    for s in range(known.shape[0]):
        limited = args.limited[s] > 0
        known[s, GROUP.share] = ZERO
        if args.number < 0:
            if limited and known[s, GROUP.fallen] < ZERO:
                back, _ = share_of(args.runs, s, False)
                known[s, GROUP.share] = back
        elif known[s, GROUP.active] > ZERO:
            whole = limited and args.number == 0
            share, rise = share_of(args.runs, s, whole)
            known[s, GROUP.share] = share
            fall = -rise
            fallen = known[s, GROUP.fallen] + fall
            known[s, GROUP.fallen] = fallen
            most = max(abs(fallen), known[s, GROUP.scale])
            settled = fall <= args.least_gain * most if limited else known[s, GROUP.rough] <= args.settled * most
            beyond = abs(fall - known[s, GROUP.foreseen])
            as_foreseen = beyond <= max(args.foreseen * most, known[s, GROUP.slight])
            untouched = known[s, GROUP.touched] == ZERO
            is_last = settled and (share == ONE or limited) if args.number > 0 else whole and untouched and as_foreseen
            if args.solid[s] > 0:
                is_last = is_solved(known, s, share, fall)
                if args.number == 0 and not untouched:  # most of it is the start of contacts
                    known[s, GROUP.fallen], is_last = ZERO, False
            if is_last:
                known[s, GROUP.active] = ZERO
            else:
                going = 1
    if args.number >= 0:
        args.go[0] = going


@body
def choose_start(i, args):
    """Choose whether a soft body starts at the prediction: if the potential there is no higher than at the motion of its
    pins. One thread."""
    for s in range(args.known.shape[0]):
        rise = total_of(args.runs, 0, s)
        args.known[s, GROUP.share] = ONE if args.solid[s] > 0 and rise <= ZERO else ZERO


@inline
def is_solved(known, s, share, fall):
    """Return whether a soft body has converged: the fall is small, as predicted by the last system, or zero."""
    most = SOLID_SETTLED * max(known[s, GROUP.fallen], known[s, GROUP.slight])
    little = min(fall, abs(fall - known[s, GROUP.foreseen])) <= most
    whole = share == ONE and known[s, GROUP.left] <= UNSOLVED * known[s, GROUP.begin]
    return share == ZERO or (whole and little)


@inline
def share_of(runs, group, whole):
    """The longest share that does not raise the potential, or all if `whole`; and how much that rises [J]."""
    share = ONE
    for trial in range(TRIALS):
        rise = total_of(runs, trial, group)
        if whole or rise <= ZERO:
            return share, rise
        share *= HALF
    return ZERO, ZERO
