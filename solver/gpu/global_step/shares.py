"""How far each sheet goes along its step, and when it is settled: `global_step/sheet_system.py` has the rules.

A step goes as far as it does not raise the potential, else half as far, and so on; how much it rises is summed up from
elements and inertia for all shares at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...device.cpu import LANES, f32
from ...device.cuda.body import body
from ...device.cuda.device import read_by_many
from ...device.uncounted import inline
from ...global_step import solid_system
from .elements import TRIALS
from .rows import KNOWN, total_of

ZERO, ONE, HALF = f32(0), f32(1), f32(0.5)
#: Of a soft body: see `solid_system`.
SOLID_SETTLED, UNSOLVED = f32(solid_system.SETTLED), f32(solid_system.UNSOLVED)


@read_by_many
class Moving(NamedTuple):
    """vertex, slot: of each row its vertex, and where its pack's numbers go. x0: (n, 4). goal: the prediction, move: the
    motion so far, more: a step from it, (n, 4) [m]. rise: see `elements.Rising`. trials: TRIALS."""

    go: Any
    vertex: Any
    slot: Any
    x0: Any
    goal: Any
    move: Any
    more: Any
    trials: Any
    rise: Any


class Choosing(NamedTuple):
    """known: of each sheet. limited, solid: (sheets,), whether it has limits, is a soft body. settled, least_gain, foreseen:
    see `sheet_system`. runs: over `rise`. number: of the system, -1 for the way back from a first step that no other has
    made good."""

    go: Any
    known: Any
    limited: Any
    solid: Any
    settled: Any
    least_gain: Any
    foreseen: Any
    runs: Any
    number: Any


@body
def rise_of_inertia(i, given):
    """How inertia's part of the potential rises by each share of a row's step, exactly."""
    if given.go[0] == 0:
        return
    v = given.vertex[i]
    first = ZERO
    second = ZERO
    if v >= 0:
        inertia = ONE / given.x0[v, 3]
        for k in range(3):
            first += inertia * (given.move[v, k] - given.goal[v, k]) * given.more[v, k]
            second += HALF * inertia * given.more[v, k] * given.more[v, k]
    share = ONE
    for trial in range(given.trials):
        given.rise[trial, given.slot[i // LANES] * LANES + i % LANES] = share * (first + share * second)
        share *= HALF


@body
def choose(i, given):
    """The share of each sheet's step, none of one that is settled, and whether it is now. One thread."""
    going = 0
    known = given.known
    for s in range(len(known)):
        limited = given.limited[s] > 0
        known[s, KNOWN.share] = ZERO
        if given.number < 0:
            if limited and known[s, KNOWN.fallen] < ZERO:
                back, _ = share_of(given.runs, s, False)
                known[s, KNOWN.share] = back
        elif known[s, KNOWN.active] > ZERO:
            whole = limited and given.number == 0
            share, rise = share_of(given.runs, s, whole)
            known[s, KNOWN.share] = share
            fall = -rise
            fallen = known[s, KNOWN.fallen] + fall
            known[s, KNOWN.fallen] = fallen
            most = max(abs(fallen), known[s, KNOWN.scale])
            settled = fall <= given.least_gain * most if limited else known[s, KNOWN.rough] <= given.settled * most
            beyond = abs(fall - known[s, KNOWN.foreseen])
            as_foreseen = beyond <= max(given.foreseen * most, known[s, KNOWN.slight])
            is_last = settled and (share == ONE or limited) if given.number > 0 else whole and as_foreseen
            if given.solid[s] > 0:
                is_last = is_solved(known, s, share, fall)
            if is_last:
                known[s, KNOWN.active] = ZERO
            else:
                going = 1
    if given.number >= 0:
        given.go[0] = going


@body
def choose_start(i, given):
    """Whether a soft body begins at the prediction: where the potential is no higher than that of its pins' motion. One
    thread."""
    for s in range(len(given.known)):
        rise = total_of(given.runs, 0, s)
        given.known[s, KNOWN.share] = ONE if given.solid[s] > 0 and rise <= ZERO else ZERO


@inline
def is_solved(known, s, share, fall):
    """Whether a soft body needs no other system: it falls little, or as the last one has foreseen, or not at all."""
    most = SOLID_SETTLED * max(known[s, KNOWN.fallen], known[s, KNOWN.slight])
    little = min(fall, abs(fall - known[s, KNOWN.foreseen])) <= most
    whole = share == ONE and known[s, KNOWN.left] <= UNSOLVED * known[s, KNOWN.begin]
    return share == ZERO or (whole and little)


@inline
def share_of(runs, sheet, whole):
    """The longest share that does not raise the potential, or all if `whole`; and how much that rises [J]."""
    share = ONE
    for trial in range(TRIALS):
        rise = total_of(runs, trial, sheet)
        if whole or rise <= ZERO:
            return share, rise
        share *= HALF
    return ZERO, ZERO
