"""Springs in the global stage's linear system, and each spring's share of the force that it finds.

Springs of one body, in the order of the matrix: ends (e, 2) rows of the system; shapes (e, 2), `spring.rest`; places (e,),
pack * 16 + lane in the batch; share: tau / h. data (e, 5): the direction from the first end to the second, the tension [N],
the length [m]. old (e,): length at the substep's start [m].
"""

from __future__ import annotations

import math

import numpy as np

from ..device.cpu import LANES, kernel
from ..device.threads import run
from ..energies.spring import length_and_direction
from ..linalg.block_matrix import Pattern
from ..model.model import ElementBatch
from .membrane import rows_of

Array = np.ndarray


class SpringSystem:
    """The springs of one body."""

    def __init__(self, batch: ElementBatch, number: int, corners: Array, places: Array, dtype: np.dtype):
        """number: the body's material in the batch. corners: (e, 2) rows. places: (e,)."""
        self.ends, self.places = corners, places
        self.shapes = rows_of(batch.rest, 2)[places].astype(dtype)
        self.share = dtype.type(batch.constants[number, 0])
        self.data, self.old = np.zeros((len(corners), 5), dtype), np.zeros(len(corners), dtype)

    def edges(self) -> Array:
        return self.ends

    def fit(self, pattern: Pattern, lower: Array) -> None:
        """Finds its places in the matrix, and takes the order of these."""
        at = pattern.places(self.ends[:, 0], self.ends[:, 1])
        slots = np.stack([at, pattern.mirror[at]], 1).astype(np.int32)
        order = np.argsort(slots.max(1), kind="stable")  # rows of the matrix are filled one after the other
        self.ends, self.shapes, self.places, self.slots = (a[order] for a in (self.ends, self.shapes, self.places, slots))

    def linearise(self, x: Array, anew: bool, force: Array) -> None:
        """At x, (n, 4); force loses the gradient there [N], (n, 3). anew: damping starts there."""
        linearise(self.ends, self.shapes, self.share, x, anew, self.old, self.data, force)

    def assemble(self, values: Array) -> None:
        """Adds the second derivatives there to the blocks of pairs of different vertices."""
        run(add_blocks, len(self.ends), self.shapes, self.share, self.slots, self.data, values)

    def hand_over(self, move: Array, displacement: Array) -> None:
        hand_over(self.ends, self.shapes, self.places, self.share, self.data, move, displacement)

    def potential(self, memory: Array, x: Array) -> float:
        return potential(self.ends, self.shapes, self.places, float(self.share), memory, x)


@kernel
def linearise(ends, shapes, share, x, anew, old, data, force):
    """force -= gradient [N]."""
    for e in range(len(ends)):
        a = ends[e, 0]
        b = ends[e, 1]
        length, n = length_and_direction(((x[a, 0], x[a, 1], x[a, 2]), (x[b, 0], x[b, 1], x[b, 2])))
        if anew:
            old[e] = length
        tension = shapes[e, 1] * (length - shapes[e, 0] + share * (length - old[e]))
        for i in range(3):
            data[e, i] = n[i]
            force[a, i] += tension * n[i]
            force[b, i] -= tension * n[i]
        data[e, 3] = tension
        data[e, 4] = length


@kernel
def add_blocks(first, last, shapes, share, slots, data, values):
    """values += (k n n^T + T+ (1 - n n^T) / l) for pairs of ends. Damping stiffens k."""
    for e in range(first, last):
        k = shapes[e, 1]
        side = max(data[e, 3], share * 0) / data[e, 4]
        along = k + k * share - side
        x = data[e, 0]
        y = data[e, 1]
        z = data[e, 2]
        xx = along * x * x + side
        yy = along * y * y + side
        zz = along * z * z + side
        xy = along * x * y
        xz = along * x * z
        yz = along * y * z
        for end in range(2):
            at = values[slots[e, end]]
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
def hand_over(ends, shapes, places, share, data, move, displacement):
    """lambda = -(T + k dl): what each spring takes over of the force at a further motion, in the linear model."""
    for e in range(len(ends)):
        longer = 0.0
        for i in range(3):
            longer += data[e, i] * (move[ends[e, 1], i] - move[ends[e, 0], i])
        k = shapes[e, 1]
        displacement[places[e] // LANES, places[e] % LANES] = -(data[e, 3] + (k + k * share) * longer)


@kernel
def potential(ends, shapes, places, share, memory, x):
    """The springs' energy with their damping [J]. x: (n, 3) double [m]."""
    total = 0.0
    for e in range(len(ends)):
        square = 0.0
        for i in range(3):
            d = x[ends[e, 1], i] - x[ends[e, 0], i]
            square += d * d
        length = math.sqrt(square)
        longer = length - shapes[e, 0]
        rate = length - memory[places[e] // LANES, places[e] % LANES]
        total += 0.5 * shapes[e, 1] * (longer * longer + share * rate * rate)
    return total
