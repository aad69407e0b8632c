"""Springs in the global step's linear system, and the displacements of their forces.

Springs of one body, in the order of the matrix: ends (e, 2) rows of the system; shapes (e, numbers), the energy's `rest`;
places (e,), pack * 16 + lane in the batch; constants, of the body's material. data (e, 7): the direction from the first end
to the second, the tension [N], the length [m], the stiffness along and across it [N/m] (`newton`). old (e,): length at the
substep's start [m]. Any energy of edges with `linearise` will do.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, f32, kernel
from ..device.per_energy import GIVEN, per_energy
from ..device.row_kernels import uncounted_row_kernel
from ..device.simd.tuples import first_numbers, numbers
from ..device.threads import CHUNK, run
from ..elements.segment import length_and_direction
from ..linalg.block_matrix import Pattern
from ..model.model import ElementBatch
from .membrane import rows_of

Array = np.ndarray

HALF = f32(0.5)
CONSTANTS = REST = START_STRAINS = GIVEN
linearise = gradient = GIVEN


class SpringSystem:
    """The springs of one body."""

    def __init__(self, batch: ElementBatch, number: int, corners: Array, places: Array, dtype: np.dtype):
        """number: the body's material in the batch. corners: (e, 2) rows. places: (e,)."""
        self.energy, self.ends, self.places = batch.energy, corners, places
        shapes = rows_of(batch.rest, batch.energy.REST)[places]
        self.shapes = (batch.energy.solved_rest(shapes) if hasattr(batch.energy, "solved_rest") else shapes).astype(dtype)
        self.typed = batch.constants[number].astype(dtype)
        self.constants = self.typed.astype(float)
        self.data, self.old = np.zeros((len(corners), 7), dtype), np.zeros(len(corners), dtype)
        self._at_rows, self._is_begun = springs_of_rows(corners), False

    def edges(self) -> Array:
        return self.ends

    def fit(self, pattern: Pattern) -> None:
        """Find its places in the matrix, and take the order of these."""
        at = pattern.places(self.ends[:, 0], self.ends[:, 1])
        slots = np.maximum(at, pattern.mirror[at]).astype(np.int32)
        order = np.argsort(slots, kind="stable")  # rows of the matrix are filled one after the other
        self.ends, self.shapes, self.places, self.slots = (a[order] for a in (self.ends, self.shapes, self.places, slots))
        self._at_rows = springs_of_rows(self.ends)

    def start(self, x: Array) -> None:
        """A step and its damping start at x, (n, 4)."""
        run(start_at, len(self.ends), self.ends, x, self.old)
        self._is_begun = False

    def linearise(self, x: Array, memory: Array, force: Array) -> None:
        """Linearise at x, (n, 4); force loses the gradient there [N], (n, 3). memory: the batch's numbers of the start; of
        the length there the system has its own."""
        arrays = (self.ends, self.shapes, self.places, self.typed, x, memory, self.old, self._is_begun, self.data)
        run(linearise_at(self.energy), len(self.ends), *arrays)
        run(add_tensions, len(self._at_rows[0]) - 1, *self._at_rows, self.ends, self.data, force)
        self._is_begun = True

    def assemble(self, values: Array) -> None:
        """Add the second derivatives there to the lower one of the two blocks of each pair of different vertices."""
        run(add_blocks, len(self.ends), self.slots, self.data, values)

    def store_displacement(self, move: Array, displacement: Array) -> None:
        """Write what the elements keep, at a further motion (n, 3) [m], as `segment.displacement` reads it."""
        store_displacement(self.ends, self.places, self.data, move, displacement)

    def potential(self, memory: Array, x: Array) -> Array:
        """The springs' energy with their damping [J], (1,). x: (n, 3) double [m]."""
        arrays = (self.ends, self.shapes, self.places, self.constants, memory, self.old, x)
        energies = np.zeros(-(-len(self.ends) // CHUNK))
        run(potential(self.energy), len(self.ends), *arrays, energies)
        return np.array([energies.sum()])


class SegmentSystem(SpringSystem):
    """The segments of one body's ropes. They are far stiffer than springs of a cloth: their lengths are doubles."""

    def __init__(self, batch: ElementBatch, number: int, corners: Array, places: Array, dtype: np.dtype):
        super().__init__(batch, number, corners, places, dtype)
        self.old, self.typed = self.old.astype(float), self.constants


def springs_of_rows(ends: Array) -> tuple[Array, Array]:
    """Return the beginnings of the springs of each row, and these, ascending."""
    rows = ends.ravel()
    order = np.argsort(rows, kind="stable")
    begin = np.searchsorted(rows[order], np.arange(int(rows.max(initial=-1)) + 2))
    return begin.astype(np.int32), (order // 2).astype(np.int32)


@uncounted_row_kernel
def start_at(first, last, ends, x, old):
    """Written: old, the lengths at x of the springs first to last."""
    for e in range(first, last):
        a = ends[e, 0]
        b = ends[e, 1]
        length, _ = length_and_direction(((x[a, 0], x[a, 1], x[a, 2]), (x[b, 0], x[b, 1], x[b, 2])))
        old[e] = length


@per_energy(uncounted_row_kernel)
def linearise_at(first, last, ends, shapes, places, constants, x, memory, old, is_begun, data):
    """Written: data of the springs first to last. is_begun: whether data are of an earlier linearisation in this step."""
    k = first_numbers(constants, 0, CONSTANTS)
    for e in range(first, last):
        a = ends[e, 0]
        b = ends[e, 1]
        length, n = length_and_direction(((x[a, 0], x[a, 1], x[a, 2]), (x[b, 0], x[b, 1], x[b, 2])))
        start = (old[e], *numbers(memory[places[e] // LANES], places[e] % LANES, START_STRAINS)[1:])
        tension, stiffness = linearise((length,), first_numbers(shapes[e], 0, REST), k, start)
        moved = length - length
        if is_begun:
            for i in range(3):
                d = length * n[i] - data[e, 4] * data[e, i]
                moved += d * d
        for i in range(3):
            data[e, i] = n[i]
        data[e, 3] = tension
        data[e, 4] = length
        data[e, 5] = stiffness
        data[e, 6] = (abs(tension) + HALF * stiffness * moved / length) / length


@uncounted_row_kernel
def add_tensions(first, last, begin, springs, ends, data, force):
    """force -= gradient [N] in the rows first to last, (n, 3)."""
    for v in range(first, last):
        for k in range(begin[v], begin[v + 1]):
            e = springs[k]
            for i in range(3):
                pull = data[e, 3] * data[e, i]
                force[v, i] += pull if ends[e, 0] == v else -pull


@uncounted_row_kernel
def add_blocks(first, last, slots, data, values):
    """values -= (k n n^T + s (1 - n n^T)) for pairs of ends, with the stiffness k along, and s across."""
    for e in range(first, last):
        side = float(data[e, 6])
        along = data[e, 5] - side
        x = data[e, 0]
        y = data[e, 1]
        z = data[e, 2]
        xx = along * x * x + side
        yy = along * y * y + side
        zz = along * z * z + side
        xy = along * x * y
        xz = along * x * z
        yz = along * y * z
        at = values[slots[e]]
        at[0] -= xx
        at[1] -= xy
        at[2] -= xz
        at[3] -= xy
        at[4] -= yy
        at[5] -= yz
        at[6] -= xz
        at[7] -= yz
        at[8] -= zz


@kernel
def store_displacement(ends, places, data, move, displacement):
    """lambda = -(T + k dl): the displacement of each spring's force after a further motion, in the linear model."""
    for e in range(len(ends)):
        longer = 0.0
        for i in range(3):
            longer += data[e, i] * (move[ends[e, 1], i] - move[ends[e, 0], i])
        displacement[places[e] // LANES, places[e] % LANES] = -(data[e, 3] + data[e, 5] * longer)


@per_energy(uncounted_row_kernel)
def potential(first, last, ends, shapes, places, constants, memory, old, x, energies):
    """The energy of the springs first to last with their damping, of each `CHUNK` [J]. x: (n, 3) double [m]."""
    k = first_numbers(constants, 0, CONSTANTS)
    for begin in range(first, last, CHUNK):
        total = 0.0
        for e in range(begin, min(begin + CHUNK, last)):
            a = ends[e, 0]
            b = ends[e, 1]
            start = (old[e], *numbers(memory[places[e] // LANES], places[e] % LANES, START_STRAINS)[1:])
            corners = ((x[a, 0], x[a, 1], x[a, 2]), (x[b, 0], x[b, 1], x[b, 2]))
            energy, _ = gradient(corners, first_numbers(shapes[e], 0, REST), k, start)
            total += energy
        energies[begin // CHUNK] = total
