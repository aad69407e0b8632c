"""Loops over packs of elements that every method needs, written once for all energies (`energies/__init__.py`)."""

from __future__ import annotations

import numpy as np

from .device.cpu import LANES, kernel
from .device.lanes import gather
from .device.per_energy import GIVEN, per_energy
from .device.tuples import corners_of, first_numbers, numbers, put_corners, put_numbers
from .model import Block

CORNERS = REST = CONSTANTS = MEMORY = GIVEN
gradient = remembered = GIVEN


def add_gradient(block: Block, memory: np.ndarray, x: np.ndarray, out: np.ndarray) -> float:
    """Adds the energy's gradient [N] at x to `out`, (n, 3 or more), and returns the energy [J]."""
    arrays = (block.index, block.rest, block.constants, block.material, memory)
    return _add_gradient(block.energy)(0, block.packs, *arrays, x, out)


def remember(block: Block, memory: np.ndarray, x: np.ndarray) -> None:
    """Takes the strains at x as those of the substep's start, which damping compares with."""
    _remember(block.energy)(0, block.packs, block.index, block.rest, memory, x)


@per_energy(kernel)
def _add_gradient(first, last, index, rest, constants, material, memory, x, out):
    total = 0.0
    lanes = np.empty(4 * CORNERS * LANES, x.dtype)
    energies = np.empty(LANES, x.dtype)
    for pack in range(first, last):
        gather(x, index, pack, CORNERS, lanes)
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
            for number in range(CORNERS):
                vertex = index[pack, number * LANES + lane]
                for i in range(3):
                    out[vertex, i] += lanes[(4 * number + i) * LANES + lane]
    return total


@per_energy(kernel)
def _remember(first, last, index, rest, memory, x):
    lanes = np.empty(4 * CORNERS * LANES, x.dtype)
    for pack in range(first, last):
        gather(x, index, pack, CORNERS, lanes)
        r = rest[pack]
        m = memory[pack]
        for lane in range(LANES):
            put_numbers(m, lane, remembered(corners_of(lanes, lane, CORNERS), numbers(r, lane, REST)))
