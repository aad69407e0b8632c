"""Loops over some packs of bending elements, for the global stage: their corners are rows of one body's system.

Positions are doubles; each element computes with what its corners are apart from its first one, in its own type: angles lose
nothing to where the body stands, and sixteen elements are one vector.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, kernel
from ..device.lanes import gather_apart, scatter_onto
from ..device.per_energy import GIVEN, per_energy
from ..device.simd.tuples import corners_of, first_numbers, numbers, put_corners, put_numbers

CORNERS = REST = CONSTANTS = MEMORY = GIVEN
gradient = balanced = GIVEN


@per_energy(kernel)
def add_gradient(first, last, packs, index, rest, constants, material, memory, x, out):
    """Adds the gradient [N] of the packs first to last of those given to `out`, (n, 4), and returns their energy [J].

    packs: numbers in the batch. index: their corners in x, (packs given, corners * 16). x: (n, 4) [m].
    """
    total = 0.0
    lanes = np.zeros(4 * CORNERS * LANES, rest.dtype)
    energies = np.empty(LANES, rest.dtype)
    for row in range(first, last):
        pack = packs[row]
        gather_apart(x, index, row, CORNERS, lanes)
        r = rest[pack]
        m = memory[pack]
        k = first_numbers(constants[material[pack]], 0, CONSTANTS)
        for lane in range(LANES):
            corners = corners_of(lanes, lane, CORNERS)
            energy, slopes = gradient(corners, numbers(r, lane, REST), k, numbers(m, lane, MEMORY))
            energies[lane] = energy
            put_corners(lanes, lane, slopes)
        for lane in range(LANES):
            total += energies[lane]
        scatter_onto(out, index, row, CORNERS, lanes)
    return total


@per_energy(kernel)
def balance(packs, index, rest, constants, material, memory, x, state):
    """Sets the states of those packs to those with which their displacements are those of their forces at x."""
    lanes = np.empty(4 * CORNERS * LANES, rest.dtype)
    for row in range(len(packs)):
        pack = packs[row]
        gather_apart(x, index, row, CORNERS, lanes)
        r = rest[pack]
        m = memory[pack]
        k = first_numbers(constants[material[pack]], 0, CONSTANTS)
        for lane in range(LANES):
            corners = corners_of(lanes, lane, CORNERS)
            put_numbers(state[pack], lane, balanced(corners, numbers(r, lane, REST), k, numbers(m, lane, MEMORY)))
