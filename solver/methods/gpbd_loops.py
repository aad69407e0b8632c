"""Loops of generalized position-based dynamics over packs of elements, for any energy."""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, element, f32, kernel, parallel_kernel, prange
from ..device.lanes import gather, scatter
from ..device.per_energy import GIVEN, per_energy
from ..device.simd.tuples import corners_of, first_numbers, numbers, put_corners, put_numbers, weights_of

CORNERS = REST = CONSTANTS = START_STRAINS = STATE = GIVEN
project = displacement = GIVEN

#: A further local solve is worth its time while it changes the numbers by more than this share of the first one's change.
SETTLED = f32(1e-2)


@per_energy(element)
def solve_lanes(pack, rest, constants, material, memory, state, reprojection, lanes):
    """One local solve of each of a pack's elements, of positions that are in the lanes."""
    r = rest[pack]
    m = memory[pack]
    s = state[pack]
    k = first_numbers(constants[material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        corners, new = project(
            corners_of(lanes, lane, CORNERS),
            weights_of(lanes, lane, CORNERS),
            numbers(r, lane, REST),
            k,
            numbers(m, lane, START_STRAINS),
            numbers(s, lane, STATE),
            reprojection,
        )
        put_corners(lanes, lane, corners)
        put_numbers(s, lane, new)


@per_energy(element)
def solve_again(pack, rest, constants, material, memory, state, reprojection, times, lanes, kept):
    """Up to `times` local solves, until one changes the pack's numbers by less than SETTLED of the first's change.

    kept: (STATE * LANES,) work space.
    """
    s = state[pack]
    first = s.dtype.type(0)
    for time in range(times):
        if time + 1 < times:
            for i in range(STATE * LANES):
                kept[i] = s[i]
        solve_lanes(pack, rest, constants, material, memory, state, reprojection, lanes)
        if time + 1 < times:
            change = s.dtype.type(0)
            for i in range(STATE * LANES):
                change = max(change, abs(s[i] - kept[i]))
            first = max(first, change)
            if change <= SETTLED * first:
                break


@per_energy(parallel_kernel)
def sweep(colours, clusters, index, rest, constants, material, memory, state, reprojection, x):
    """One local solve of every element, colour by colour (Gauss-Seidel)."""
    for colour in range(len(colours) - 1):
        for cluster in prange(colours[colour], colours[colour + 1]):
            lanes = np.empty(4 * CORNERS * LANES, x.dtype)
            for pack in range(clusters[cluster], clusters[cluster + 1]):
                gather(x, index, pack, CORNERS, lanes)
                solve_lanes(pack, rest, constants, material, memory, state, reprojection, lanes)
                scatter(x, index, pack, CORNERS, lanes)


@per_energy(parallel_kernel)
def sweep_again(colours, clusters, index, rest, constants, material, memory, state, reprojection, times, x):
    """As `sweep`, with up to `times` local solves of every element."""
    for colour in range(len(colours) - 1):
        for cluster in prange(colours[colour], colours[colour + 1]):
            lanes = np.empty(4 * CORNERS * LANES, x.dtype)
            kept = np.empty(STATE * LANES, x.dtype)
            for pack in range(clusters[cluster], clusters[cluster + 1]):
                gather(x, index, pack, CORNERS, lanes)
                solve_again(pack, rest, constants, material, memory, state, reprojection, times, lanes, kept)
                scatter(x, index, pack, CORNERS, lanes)


@per_energy(parallel_kernel)
def sweep_jacobi(colours, clusters, index, rest, constants, material, memory, state, reprojection, times, shares, frozen, x):
    """Local solves of all elements from the positions `frozen`; x moves by a share of each, and so does the state.

    shares: (packs, LANES). x is added to colour by colour, so that the sum does not depend on the threads.
    """
    for colour in range(len(colours) - 1):
        for cluster in prange(colours[colour], colours[colour + 1]):
            lanes = np.empty(4 * CORNERS * LANES, x.dtype)
            start = np.empty(4 * CORNERS * LANES, x.dtype)
            moved = np.empty(4 * CORNERS * LANES, x.dtype)
            before = np.empty(STATE * LANES, x.dtype)
            kept = np.empty(STATE * LANES, x.dtype)
            for pack in range(clusters[cluster], clusters[cluster + 1]):
                s = state[pack]
                share = shares[pack]
                gather(frozen, index, pack, CORNERS, lanes)
                gather(x, index, pack, CORNERS, moved)
                for i in range(4 * CORNERS * LANES):
                    start[i] = lanes[i]
                for i in range(STATE * LANES):
                    before[i] = s[i]
                solve_again(pack, rest, constants, material, memory, state, reprojection, times, lanes, kept)
                for number in range(STATE):
                    for lane in range(LANES):
                        i = number * LANES + lane
                        s[i] = before[i] + share[lane] * (s[i] - before[i])
                for number in range(4 * CORNERS):  # weights differ by nothing, and stay as they are
                    for lane in range(LANES):
                        i = number * LANES + lane
                        moved[i] += share[lane] * (lanes[i] - start[i])
                scatter(x, index, pack, CORNERS, moved)


@per_energy(kernel)
def warm_start(first, last, index, rest, state, share, x):
    """Keeps a share of every displacement, and moves the vertices by it."""
    lanes = np.empty(4 * CORNERS * LANES, x.dtype)
    for pack in range(first, last):
        gather(x, index, pack, CORNERS, lanes)
        r = rest[pack]
        s = state[pack]
        for i in range(STATE * LANES):
            s[i] *= share
        for lane in range(LANES):
            put_corners(
                lanes, lane, displacement(corners_of(lanes, lane, CORNERS), numbers(r, lane, REST), numbers(s, lane, STATE))
            )
        for lane in range(LANES):
            for number in range(CORNERS):
                vertex = index[pack, number * LANES + lane]
                for i in range(3):
                    x[vertex, i] += x[vertex, 3] * lanes[(4 * number + i) * LANES + lane]
