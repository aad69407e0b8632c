"""Tethers in the global step's linear system, and the displacements of their forces.

A tether joins a vertex and a pinned one, which may be far away in the mesh: the pin's motion is known, so only the vertex's
own block gains anything. Tethers of one body: ends (e, 2) rows of the system, the pinned one last; shapes (e, numbers), the
energy's `rest`; places (e,), pack * 16 + lane in the batch; constants, of the body's material. data (e, 6): the direction
from the vertex to the pin, the tension [N], the length [m], the stiffness [N/m]. Any energy of tethers that is ONE_SIDED and
has `linearise` will do.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, kernel
from ..device.per_energy import GIVEN, per_energy
from ..device.row_kernels import uncounted_row_kernel
from ..device.simd.tuples import first_numbers, numbers
from ..device.threads import CHUNK, run
from ..elements.segment import length_and_direction
from ..model.model import ElementBatch
from .membrane import point, rows_of
from .springs import store_displacement

Array = np.ndarray

CONSTANTS = REST = START_STRAINS = GIVEN
linearise = GIVEN


class TetherSystem:
    """The tethers of one body."""

    def __init__(self, batch: ElementBatch, number: int, corners: Array, places: Array, dtype: np.dtype):
        """number: the body's material in the batch. corners: (e, 2) rows. places: (e,)."""
        self.energy, self.ends, self.places = batch.energy, corners, places
        self.shapes = rows_of(batch.rest, batch.energy.REST)[places].astype(dtype)
        self.constants = batch.constants[number].astype(float)
        self.data = np.zeros((len(corners), 6), dtype)

    def linearise(self, x: Array, memory: Array, force: Array) -> None:
        """Linearise at x, (n, 3) double, with the pins where the step leads them; force loses the gradient there [N], (n,
        3). memory: the batch's numbers of the start."""
        linearise_at(self.energy)(self.ends, self.shapes, self.places, self.constants, memory, x, self.data, force)

    def assemble(self, diagonal: Array, free: Array, values: Array) -> None:
        """Add the second derivatives there to the vertices' own blocks. diagonal: places of these, free: (n,)."""
        add_own_blocks(self.ends, self.data, diagonal, free, values)

    def store_displacement(self, move: Array, displacement: Array) -> None:
        """Write what the elements keep, at a further motion (n, 3) [m], as `segment.displacement` reads it."""
        store_displacement(self.ends, self.places, self.data, move, displacement)

    def potential(self, memory: Array, x: Array) -> Array:
        """The tethers' energy [J], (1,). x: (n, 3) double [m]."""
        arrays = (self.ends, self.shapes, self.places, self.constants, memory, x)
        energies = np.zeros(-(-len(self.ends) // CHUNK))
        run(potential(self.energy), len(self.ends), *arrays, energies)
        return np.array([energies.sum()])


@per_energy(kernel)
def linearise_at(ends, shapes, places, constants, memory, x, data, force):
    """data at x; force -= gradient [N]."""
    k = first_numbers(constants, 0, CONSTANTS)
    for e in range(len(ends)):
        length, n = length_and_direction((point(x, ends[e, 0]), point(x, ends[e, 1])))
        old = numbers(memory[places[e] // LANES], places[e] % LANES, START_STRAINS)
        tension, stiffness, _ = linearise((length,), first_numbers(shapes[e], 0, REST), k, old)
        for i in range(3):
            data[e, i] = n[i]
            force[ends[e, 0], i] += tension * n[i]
        data[e, 3] = tension
        data[e, 4] = length
        data[e, 5] = stiffness


@kernel
def add_own_blocks(ends, data, diagonal, free, values):
    """values += k n n^T + T (1 - n n^T) / l in vertices' own blocks, with the stiffness k, the tension T, the length l."""
    for e in range(len(ends)):
        v = ends[e, 0]
        if data[e, 5] <= 0 or not free[v]:
            continue
        side = data[e, 3] / data[e, 4]
        along = data[e, 5] - side
        at = values[diagonal[v]]
        for i in range(3):
            for j in range(3):
                at[3 * i + j] += along * data[e, i] * data[e, j]
            at[4 * i] += side


@per_energy(uncounted_row_kernel)
def potential(first, last, ends, shapes, places, constants, memory, x, energies):
    """The energy of the tethers first to last, of each `CHUNK` [J]. x: (n, 3) double [m]."""
    k = first_numbers(constants, 0, CONSTANTS)
    for begin in range(first, last, CHUNK):
        total = 0.0
        for e in range(begin, min(begin + CHUNK, last)):
            length, _ = length_and_direction((point(x, ends[e, 0]), point(x, ends[e, 1])))
            old = numbers(memory[places[e] // LANES], places[e] % LANES, START_STRAINS)
            _, _, energy = linearise((length,), first_numbers(shapes[e], 0, REST), k, old)
            total += energy
        energies[begin // CHUNK] = total
