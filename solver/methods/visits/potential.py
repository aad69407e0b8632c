"""Visits for energies, gradients and second derivatives of the elements of a pack, which every method needs."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...device.cpu import LANES
from ...device.cuda.array import Array
from ...device.lanes import gather
from ...device.per_energy import GIVEN, visit_of_pack
from ...device.simd.tuples import corners_of, first_numbers, numbers, put_corners, put_numbers

CORNERS = REST = CONSTANTS = START_STRAINS = GIVEN
gradient = strain_at_start = flow_at_start = hessian_times = GIVEN

#: Where the entry of a row and a column stands among the upper ones, by rows.
_UPPER = (0, 1, 2, 1, 3, 4, 2, 4, 5)


class Elements(NamedTuple):
    """Arrays of a batch as in `visits/__init__.py`; out: the sums, a row for each vertex."""

    index: Any
    rest: Array
    constants: Array
    material: Array
    strains: Array
    x: Array
    out: Array


class Directions(NamedTuple):
    """elements; directions: (n, 4); exact: 1 for the true derivative, 0 for a positive one, as numbers are.

    rest: of the elements; loops take the type of numbers from it.
    """

    elements: Elements
    directions: Array
    exact: Array
    rest: Array


class Strains(NamedTuple):
    """As in `Elements`."""

    index: Any
    rest: Array
    strains: Array
    x: Array


@visit_of_pack(lambda energy: (4 * energy.CORNERS, 1))
def add_gradient(pack, args, work, total):
    """Add the gradients [N] to `out`, (n, 3 or more), and the energies [J] to the total, element by element."""
    lanes, energies = work
    gather(args.x, args.index, pack, CORNERS, lanes)
    r = args.rest[pack]
    m = args.strains[pack]
    k = first_numbers(args.constants[args.material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        corners = corners_of(lanes, lane, CORNERS)
        energy, slopes = gradient(corners, numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS))
        energies[lane] = energy
        put_corners(lanes, lane, slopes)
    out = args.out
    for lane in range(LANES):
        total += energies[lane]
        for number in range(CORNERS):
            vertex = args.index[pack, number * LANES + lane]
            for i in range(3):
                out[vertex, i] += lanes[(4 * number + i) * LANES + lane]
    return total


@visit_of_pack(lambda energy: (4 * energy.CORNERS,))
def set_strains(pack, args, work, total):
    """Set the strains to those at x."""
    lanes = work[0]
    gather(args.x, args.index, pack, CORNERS, lanes)
    r = args.rest[pack]
    m = args.strains[pack]
    for lane in range(LANES):
        put_numbers(m, lane, strain_at_start(corners_of(lanes, lane, CORNERS), numbers(r, lane, REST)))
    return total


@visit_of_pack(lambda energy: (4 * energy.CORNERS,))
def flow(pack, args, work, total):
    """Set the plastic numbers among the strains to those of a substep that starts at x."""
    lanes = work[0]
    gather(args.x, args.index, pack, CORNERS, lanes)
    r = args.rest[pack]
    m = args.strains[pack]
    k = first_numbers(args.constants[args.material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        old = numbers(m, lane, START_STRAINS)
        put_numbers(m, lane, flow_at_start(corners_of(lanes, lane, CORNERS), numbers(r, lane, REST), k, old))
    return total


@visit_of_pack(lambda energy: (4 * energy.CORNERS, 4 * energy.CORNERS))
def add_hessian_times(pack, args, work):
    """Add second derivatives times directions [N] to `out`, (n, 3 or more)."""
    lanes, moves = work
    e = args.elements
    gather(e.x, e.index, pack, CORNERS, lanes)
    gather(args.directions, e.index, pack, CORNERS, moves)
    r = e.rest[pack]
    m = e.strains[pack]
    k = first_numbers(e.constants[e.material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        put_corners(
            moves,
            lane,
            hessian_times(
                corners_of(lanes, lane, CORNERS),
                numbers(r, lane, REST),
                k,
                numbers(m, lane, START_STRAINS),
                corners_of(moves, lane, CORNERS),
                args.exact,
            ),
        )
    out = e.out
    for number in range(CORNERS):
        for lane in range(LANES):
            vertex = e.index[pack, number * LANES + lane]
            for i in range(3):
                out[vertex, i] += moves[(4 * number + i) * LANES + lane]


@visit_of_pack(lambda energy: (4 * energy.CORNERS, 4 * energy.CORNERS))
def add_diagonal_blocks(pack, args, work, total):
    """Add the vertices' own blocks of the second derivative [N/m] to `out`, (n, 6): 00, 01, 02, 11, 12, 22."""
    lanes, moves = work
    e = args.elements
    gather(e.x, e.index, pack, CORNERS, lanes)
    r = e.rest[pack]
    m = e.strains[pack]
    k = first_numbers(e.constants[e.material[pack]], 0, CONSTANTS)
    out = e.out
    for column in range(3 * CORNERS):
        number, i = column // 3, column % 3
        moves[:] = 0
        moves[(4 * number + i) * LANES : (4 * number + i + 1) * LANES] = 1
        for lane in range(LANES):
            put_corners(
                moves,
                lane,
                hessian_times(
                    corners_of(lanes, lane, CORNERS),
                    numbers(r, lane, REST),
                    k,
                    numbers(m, lane, START_STRAINS),
                    corners_of(moves, lane, CORNERS),
                    args.exact,
                ),
            )
        for lane in range(LANES):
            vertex = e.index[pack, number * LANES + lane]
            for j in range(i, 3):
                out[vertex, _UPPER[3 * i + j]] += moves[(4 * number + j) * LANES + lane]
    return total
