"""Loops of generalized position-based dynamics over packs of elements, for any energy."""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, element, kernel, parallel_kernel, prange
from ..device.lanes import gather, scatter
from ..device.per_energy import GIVEN, per_energy
from ..device.tuples import corners_of, first_numbers, numbers, put_corners, put_numbers, weights_of

CORNERS = REST = CONSTANTS = MEMORY = STATE = GIVEN
project = displacement = GIVEN


@per_energy(element)
def project_pack(pack, index, rest, constants, material, memory, state, reprojection, x, lanes):
    """One local solve of each of a pack's elements."""
    gather(x, index, pack, CORNERS, lanes)
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
            numbers(m, lane, MEMORY),
            numbers(s, lane, STATE),
            reprojection,
        )
        put_corners(lanes, lane, corners)
        put_numbers(s, lane, new)
    scatter(x, index, pack, CORNERS, lanes)


@per_energy(parallel_kernel)
def sweep(colours, clusters, index, rest, constants, material, memory, state, reprojection, x):
    """One local solve of every element, colour by colour (Gauss-Seidel)."""
    for colour in range(len(colours) - 1):
        for cluster in prange(colours[colour], colours[colour + 1]):
            lanes = np.empty(4 * CORNERS * LANES, x.dtype)
            for pack in range(clusters[cluster], clusters[cluster + 1]):
                project_pack(pack, index, rest, constants, material, memory, state, reprojection, x, lanes)


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
