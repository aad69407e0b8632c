"""Visits of generalized position-based dynamics: local solves of the elements of a pack."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from ...device.cpu import LANES, f32
from ...device.cuda.array import Array
from ...device.lanes import gather, gather_sums, scatter_moves
from ...device.per_energy import GIVEN, Either, per_energy, visit_of_pack
from ...device.simd.tuples import (
    corners_of,
    first_numbers,
    numbers,
    put_corners,
    put_numbers,
    put_scaled_corners,
    weights_of,
)
from ...device.uncounted import inline

CORNERS = REST = CONSTANTS = START_STRAINS = STATE = PROPOSAL = GIVEN
project = propose = share_taken = displacement = excess_at_start = GIVEN

#: A further local solve is worth its time while it changes the numbers by more than this share of the first one's change.
LOCAL_TOLERANCE = f32(1e-2)


class Elements(NamedTuple):
    """Arrays of a batch as in `visits/__init__.py`; state: the displacements. times: local solves of an element, at most."""

    index: Any
    rest: Array
    constants: Array
    material: Array
    strains: Array
    state: Array
    reprojection: Array
    times: int
    x: Array
    correction: Array


class Shares(NamedTuple):
    """elements; shares: of its local solve that each element moves by, (packs, 16); frozen: corrections before the sweep.

    rest: of the elements; loops take the type of numbers from it.
    """

    elements: Elements
    shares: Array
    frozen: Array
    rest: Array


class Starts(NamedTuple):
    """share: of the last substep's displacements that is kept. Others: `visits/__init__.py`."""

    index: Any
    rest: Array
    state: Array
    share: Array
    x: Array
    correction: Array


@per_energy(inline)
def _solve_at_once(pack, args, lanes, proposals):
    """See `solve_lanes`."""
    r = args.rest[pack]
    m = args.strains[pack]
    s = args.state[pack]
    k = first_numbers(args.constants[args.material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        w = weights_of(lanes, lane, CORNERS)
        forces, new = project(
            corners_of(lanes, lane, CORNERS),
            w,
            numbers(r, lane, REST),
            k,
            numbers(m, lane, START_STRAINS),
            numbers(s, lane, STATE),
            args.reprojection,
        )
        put_scaled_corners(lanes, lane, w, forces)
        put_numbers(s, lane, new)


@per_energy(inline)
def _solve_in_two(pack, args, lanes, proposals):
    """The same in two loops, of an energy whose `project` is long: the time that a loop takes to compile grows faster than
    its length, by minutes where gathers are not instructions of the processor."""
    r = args.rest[pack]
    m = args.strains[pack]
    s = args.state[pack]
    k = first_numbers(args.constants[args.material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        w = weights_of(lanes, lane, CORNERS)
        forces, proposal = propose(
            corners_of(lanes, lane, CORNERS),
            w,
            numbers(r, lane, REST),
            k,
            numbers(m, lane, START_STRAINS),
            numbers(s, lane, STATE),
            args.reprojection,
        )
        put_scaled_corners(lanes, lane, w, forces)
        put_numbers(proposals, lane, proposal)
    last = (PROPOSAL - 1) * LANES  # in place of the last number, the share
    for lane in range(LANES):
        proposal = numbers(proposals, lane, PROPOSAL)
        share = share_taken(numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS), proposal)
        put_numbers(proposals, last + lane, (share,))
    for number in range(STATE):
        for lane in range(LANES):
            s[number * LANES + lane] += proposals[last + lane] * proposals[number * LANES + lane]
    for number in range(CORNERS):
        for i in range(3):
            for lane in range(LANES):
                lanes[(4 * number + i) * LANES + lane] *= proposals[last + lane]


#: One local solve of each of a pack's elements: (pack, args, lanes, proposals). Positions in the lanes become moves, w
#: times the changes of forces. proposals: work space of `_proposals`, or any where there are none.
solve_lanes: Callable = Either("propose", _solve_in_two, _solve_at_once)


def _proposals(energy: ModuleType) -> tuple[int, ...]:
    """Numbers of a lane of the last work array of an energy that proposes."""
    return (energy.PROPOSAL,) if hasattr(energy, "propose") else ()


@per_energy(inline)
def solve_again(pack, args, lanes, moved, total, kept, proposals):
    """Up to `times` local solves, until one changes the pack's numbers by less than LOCAL_TOLERANCE of the first's change.

    Positions in the lanes become the sum of the moves. moved, total: work space like the lanes. kept: (STATE * LANES,) work
    space. proposals: `solve_lanes`.
    """
    s = args.state[pack]
    first = s.dtype.type(0)
    for i in range(4 * CORNERS * LANES):
        moved[i] = lanes[i]
        total[i] = s.dtype.type(0)
    for time in range(args.times):
        if time + 1 < args.times:
            for i in range(STATE * LANES):
                kept[i] = s[i]
        solve_lanes(pack, args, lanes, proposals)
        for number in range(CORNERS):
            for i in range(4 * number * LANES, (4 * number + 3) * LANES):
                total[i] += lanes[i]
            for k in range(3):
                for lane in range(LANES):
                    i = (4 * number + k) * LANES + lane
                    moved[i] += lanes[i]
                    lanes[i] = moved[i]
        if time + 1 < args.times:
            change = s.dtype.type(0)
            for i in range(STATE * LANES):
                change = max(change, abs(s[i] - kept[i]))
            first = max(first, change)
            if change <= LOCAL_TOLERANCE * first:
                break
    for number in range(CORNERS):
        for i in range(4 * number * LANES, (4 * number + 3) * LANES):
            lanes[i] = total[i]


@visit_of_pack(lambda energy: (4 * energy.CORNERS, *_proposals(energy)))
def sweep(pack, args, work):
    """One local solve of every element (Gauss-Seidel)."""
    lanes = work[0]
    gather_sums(args.x, args.correction, args.index, pack, CORNERS, lanes)
    solve_lanes(pack, args, lanes, work[-1])
    scatter_moves(args.correction, args.index, pack, CORNERS, lanes)


@visit_of_pack(lambda energy: 3 * (4 * energy.CORNERS,) + (energy.STATE, *_proposals(energy)))
def sweep_again(pack, args, work):
    """As `sweep`, with up to `times` local solves of every element."""
    lanes, moved, total, kept = work[:4]
    gather_sums(args.x, args.correction, args.index, pack, CORNERS, lanes)
    solve_again(pack, args, lanes, moved, total, kept, work[-1])
    scatter_moves(args.correction, args.index, pack, CORNERS, lanes)


@visit_of_pack(lambda energy: 3 * (4 * energy.CORNERS,) + (energy.STATE, energy.STATE, *_proposals(energy)))
def sweep_jacobi(pack, args, work):
    """Local solves of the elements from the corrections `frozen`; vertices move by a share of each, and so does the state.

    Corrections are added to colour by colour, so that the sum does not depend on the threads.
    """
    lanes, moved, total, before, kept = work[:5]
    s = args.elements.state[pack]
    share = args.shares[pack]
    index = args.elements.index
    gather_sums(args.elements.x, args.frozen, index, pack, CORNERS, lanes)
    for i in range(STATE * LANES):
        before[i] = s[i]
    solve_again(pack, args.elements, lanes, moved, total, kept, work[-1])
    for number in range(STATE):
        for lane in range(LANES):
            i = number * LANES + lane
            s[i] = before[i] + share[lane] * (s[i] - before[i])
    for number in range(CORNERS):
        for k in range(3):
            for lane in range(LANES):
                lanes[(4 * number + k) * LANES + lane] *= share[lane]
    scatter_moves(args.elements.correction, index, pack, CORNERS, lanes)


@visit_of_pack(lambda energy: (4 * energy.CORNERS,))
def warm_start(pack, args, work, total):
    """Keep a share of every displacement, and move the vertices by it. x: where they are before."""
    lanes = work[0]
    x, correction = args.x, args.correction
    gather(x, args.index, pack, CORNERS, lanes)
    r = args.rest[pack]
    s = args.state[pack]
    for i in range(STATE * LANES):
        s[i] *= args.share
    for lane in range(LANES):
        put_corners(
            lanes, lane, displacement(corners_of(lanes, lane, CORNERS), numbers(r, lane, REST), numbers(s, lane, STATE))
        )
    for lane in range(LANES):
        for number in range(CORNERS):
            vertex = args.index[pack, number * LANES + lane]
            for i in range(3):
                correction[vertex, i] += x[vertex, 3] * lanes[(4 * number + i) * LANES + lane]
    return total


@visit_of_pack(lambda energy: (4 * energy.CORNERS,))
def set_excess(pack, args, work, total):
    """Set what limits leave alone in the substep that starts at x. The state is that of the last substep's end."""
    lanes = work[0]
    gather(args.x, args.index, pack, CORNERS, lanes)
    r = args.rest[pack]
    m = args.strains[pack]
    s = args.state[pack]
    k = first_numbers(args.constants[args.material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        corners, old = corners_of(lanes, lane, CORNERS), numbers(m, lane, START_STRAINS)
        put_numbers(m, lane, excess_at_start(corners, numbers(r, lane, REST), k, old, numbers(s, lane, STATE)))
    return total
