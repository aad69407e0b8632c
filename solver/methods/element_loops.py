"""Loops over packs of elements that every method needs, written once for all energies (`energies/__init__.py`)."""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, kernel, parallel_kernel, prange
from ..device.lanes import gather
from ..device.per_energy import GIVEN, per_energy
from ..device.simd.tuples import corners_of, first_numbers, numbers, put_corners, put_numbers
from ..model.model import ElementBatch

CORNERS = REST = CONSTANTS = START_STRAINS = GIVEN
gradient = strain_at_start = hessian_times = GIVEN

#: Where the entry of a row and a column stands among the upper ones, by rows.
_UPPER = (0, 1, 2, 1, 3, 4, 2, 4, 5)


def add_gradient(batch: ElementBatch, memory: np.ndarray, x: np.ndarray, out: np.ndarray) -> float:
    """Adds the energy's gradient [N] at x to `out`, (n, 3 or more), and returns the energy [J]."""
    arrays = (batch.index, batch.rest, batch.constants, batch.material, memory)
    return _add_gradient(batch.energy)(0, batch.packs, *arrays, x, out)


def remember(batch: ElementBatch, memory: np.ndarray, x: np.ndarray) -> None:
    """Takes the strains at x as those of the substep's start, which damping compares with."""
    _remember(batch.energy)(0, batch.packs, batch.index, batch.rest, memory, x)


def add_hessian_times(
    batch: ElementBatch, memory: np.ndarray, x: np.ndarray, directions: np.ndarray, exact: int, out: np.ndarray
) -> None:
    """Adds the second derivative at x times `directions`, (n, 4), to `out` [N], (n, 3 or more); run it under `jit.lock`.

    exact: 1 for the true derivative, 0 for one that is positive. Raises: NotImplementedError if the energy has none.
    """
    arrays = (batch.index, batch.rest, batch.constants, batch.material, memory)
    _add_hessian_times(batch.energy)(batch.colours, batch.clusters, *arrays, x, directions, x.dtype.type(exact), out)


def add_diagonal_blocks(batch: ElementBatch, memory: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
    """Adds each vertex's own 3x3 block of the positive second derivative [N/m] to `out`, (n, 6): 00, 01, 02, 11, 12, 22."""
    arrays = (batch.index, batch.rest, batch.constants, batch.material, memory)
    _add_diagonal_blocks(batch.energy)(0, batch.packs, *arrays, x, x.dtype.type(0), out)


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
            energy, slopes = gradient(corners, numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS))
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
            put_numbers(m, lane, strain_at_start(corners_of(lanes, lane, CORNERS), numbers(r, lane, REST)))


@per_energy(parallel_kernel)
def _add_hessian_times(colours, clusters, index, rest, constants, material, memory, x, directions, exact, out):
    for colour in range(len(colours) - 1):
        for cluster in prange(colours[colour], colours[colour + 1]):
            lanes = np.empty(4 * CORNERS * LANES, x.dtype)
            moves = np.empty(4 * CORNERS * LANES, x.dtype)
            for pack in range(clusters[cluster], clusters[cluster + 1]):
                gather(x, index, pack, CORNERS, lanes)
                gather(directions, index, pack, CORNERS, moves)
                r = rest[pack]
                m = memory[pack]
                k = first_numbers(constants[material[pack]], 0, CONSTANTS)
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
                            exact,
                        ),
                    )
                for number in range(CORNERS):
                    for lane in range(LANES):
                        vertex = index[pack, number * LANES + lane]
                        for i in range(3):
                            out[vertex, i] += moves[(4 * number + i) * LANES + lane]


@per_energy(kernel)
def _add_diagonal_blocks(first, last, index, rest, constants, material, memory, x, exact, out):
    lanes = np.empty(4 * CORNERS * LANES, x.dtype)
    moves = np.empty(4 * CORNERS * LANES, x.dtype)
    for pack in range(first, last):
        gather(x, index, pack, CORNERS, lanes)
        r = rest[pack]
        m = memory[pack]
        k = first_numbers(constants[material[pack]], 0, CONSTANTS)
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
                        exact,
                    ),
                )
            for lane in range(LANES):
                vertex = index[pack, number * LANES + lane]
                for j in range(i, 3):
                    out[vertex, _UPPER[3 * i + j]] += moves[(4 * number + j) * LANES + lane]
