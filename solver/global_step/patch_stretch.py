"""Stretch in the global step's linear system, of an energy that stretches and bends a sheet alike and acts on a patch.

Their forces and energies, of stretch and bending together, are taken by the system of bending (`bending.py`), in double
precision; so is the constant matrix of bending. Contribution of stretch to the matrix: of each triangle

    A (S_a^T H S_b + g_a . T g_b 1)

for its corners a, b, with the slopes S of sx, sa and sy, a positive derivative H of the stress, and the tension T. Any
energy of this kind with `linearise` will do.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, kernel
from ..device.lanes import gather_apart
from ..device.per_energy import GIVEN, per_energy
from ..device.simd.tuples import corners_of, first_numbers, numbers, put_nested
from ..linalg.block_matrix import Pattern
from ..mathlib import vec3
from ..model.model import PADDING, ElementBatch
from .membrane import rows_of
from .row_order import pairs_of_corners

Array = np.ndarray

CORNERS = REST = CONSTANTS = START_STRAINS = GIVEN
linearise = GIVEN

#: Numbers of an element in data: slopes of three strains at three corners, six of H, three of T, four shape gradients.
NUMBERS = 27 + 6 + 3 + 4
#: Pairs of a triangle's corners.
PAIRS = ((0, 1), (0, 2), (1, 2))


class PatchStretch:
    """The stretch of one body. places: none, as `BendingSystem` has those of the same elements."""

    def __init__(self, batch: ElementBatch, number: int, corners: Array, places: Array, dtype: np.dtype):
        """number: the body's material in the batch. corners: (t, 6) rows, the first where one is missing. places: (t,),
        pack * 16 + lane in the batch."""
        self.energy, self.batch, self.number, self.triangles = batch.energy, batch, number, corners[:, :3]
        self.places = np.zeros(0, np.int64)
        packs, self._lanes = np.unique(places // LANES), places
        self._packs, n = packs, int(corners.max()) + 1
        index = np.tile(n + np.arange(batch.energy.CORNERS) % len(PADDING), (batch.packs * LANES, 1))
        index[places] = corners
        self._index = np.ascontiguousarray(
            index.reshape(-1, LANES, index.shape[1]).transpose(0, 2, 1).reshape(batch.packs, -1)[packs].astype(np.int32)
        )
        self._data = np.zeros((len(packs), NUMBERS * LANES), dtype)
        self._x = np.zeros((n + len(PADDING), 4))
        self._x[n:, :3] = PADDING
        self._at = np.searchsorted(packs, places // LANES) * LANES + places % LANES

    def edges(self) -> Array:
        return pairs_of_corners(self.triangles)

    def fit(self, pattern: Pattern) -> None:
        """Find its places in the matrix."""
        a, b = np.array(PAIRS).T
        at = pattern.lower_places(self.triangles[:, a].ravel(), self.triangles[:, b].ravel())
        self._slots = at.reshape(-1, len(PAIRS)).astype(np.int32)

    def start(self, x: Array) -> None:
        """Do nothing: the system of bending starts."""

    def linearise(self, x: Array, memory: Array, force: Array) -> None:
        """Linearise at x, (n, 4). memory: the batch's strains at the start. force: without effect, the system of bending has
        it."""
        self._x[: len(self._x) - len(PADDING), :3] = x[: len(self._x) - len(PADDING), :3]
        batch = self.batch
        arrays = self._packs, self._index, batch.rest, batch.constants[self.number], memory, self._x, self._data
        linearise_at(self.energy)(*arrays)

    def assemble(self, values: Array) -> None:
        """Add the second derivatives there to the lower one of the two blocks of each pair of different vertices."""
        add_blocks(self._slots, rows_of(self._data, NUMBERS)[self._at], values)

    def store_displacement(self, move: Array, displacement: Array) -> None:
        """Do nothing: the system of bending writes the displacements of the elements."""

    def potential(self, memory: Array, x: Array) -> Array:
        """None [J], (1,): it is in that of bending."""
        return np.zeros(1)


@per_energy(kernel)
def linearise_at(packs, index, rest, constants, memory, x, data):
    """data of the packs at x, (n, 4) double."""
    lanes = np.zeros(4 * CORNERS * LANES, rest.dtype)
    k = first_numbers(constants, 0, CONSTANTS)
    for row in range(len(packs)):
        pack = packs[row]
        gather_apart(x, index, row, CORNERS, lanes)
        r = rest[pack]
        m = memory[pack]
        d = data[row]
        for lane in range(LANES):
            corners = corners_of(lanes, lane, CORNERS)
            put_nested(d, lane, linearise(corners, numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS)))


@kernel
def add_blocks(slots, data, values):
    """values += the blocks of pairs of different corners. slots: `Pattern.lower_places` of these, (t, 3 pairs). data: (t,
    NUMBERS)."""
    for t in range(len(slots)):
        d = data[t]
        for pair in range(3):
            a = 0 if pair < 2 else 1
            b = 1 if pair == 0 else 2
            u0 = (d[3 * a], d[3 * a + 1], d[3 * a + 2])
            u1 = (d[9 + 3 * a], d[10 + 3 * a], d[11 + 3 * a])
            u2 = (d[18 + 3 * a], d[19 + 3 * a], d[20 + 3 * a])
            v0 = (d[3 * b], d[3 * b + 1], d[3 * b + 2])
            v1 = (d[9 + 3 * b], d[10 + 3 * b], d[11 + 3 * b])
            v2 = (d[18 + 3 * b], d[19 + 3 * b], d[20 + 3 * b])
            w0 = vec3.add_scaled(vec3.combine(d[27], v0, d[28], v1), d[29], v2)
            w1 = vec3.add_scaled(vec3.combine(d[28], v0, d[30], v1), d[31], v2)
            w2 = vec3.add_scaled(vec3.combine(d[29], v0, d[31], v1), d[32], v2)
            gx = -(d[36] + d[38]) if a == 0 else d[36]
            gy = -(d[37] + d[39]) if a == 0 else d[37]
            hx = d[36] if b == 1 else d[38]
            hy = d[37] if b == 1 else d[39]
            geometric = gx * hx * d[33] + gy * hy * d[34] + (gx * hy + gy * hx) * d[35]
            place = slots[t, pair]
            for i in range(3):
                for j in range(3):
                    number = u0[i] * w0[j] + u1[i] * w1[j] + u2[i] * w2[j]
                    if i == j:
                        number += geometric
                    if place >= 0:
                        values[place, 3 * j + i] += number
                    else:
                        values[-1 - place, 3 * i + j] += number
