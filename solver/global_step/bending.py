"""Bending in the global step's linear system, as the constant matrix of a flat sheet.

A sheet that hardly stretches bends by y^2 with constant weights, whichever way it is turned (Bergou et al. 2006). So that
matrix of single numbers, times the 3x3 unit matrix, stands in for the second derivative of any bending energy: it never
changes, is never negative, and no fold makes it large. Forces and energies are the energy's own.

It joins vertices across an edge too, which a membrane's matrix does not: second-ring couplings (`linalg/second_ring.py`).

Positions are doubles; each element computes with what its corners are apart from its first one, in its own type: angles lose
nothing to where the body stands, and sixteen elements are one vector.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, kernel
from ..device.lanes import gather_apart, scatter_onto
from ..device.loops_cpu import add_up, one_cluster
from ..device.per_energy import GIVEN, per_energy
from ..device.row_kernels import row_kernel, uncounted_row_kernel
from ..device.simd.tuples import corners_of, first_numbers, numbers, put_corners, put_numbers
from ..device.threads import run
from ..linalg.block_matrix import Pattern
from ..methods.visits import gpbd as visits
from ..model.model import PADDING, ElementBatch, Model
from ..steering import GOES_ON
from ..topology.edges import pair_keys, pairs_of_keys
from .membrane import rows_of
from .parts import Parts, begin_slot

Array = np.ndarray

CORNERS = REST = CONSTANTS = START_STRAINS = GIVEN
gradient = equilibrium_state = GIVEN

#: Elements at a time; and of how many a stiffness is the median.
CHUNK, SAMPLE = 1 << 16, 4096


class BendingSystem:
    """The bending of one body, or of several, one after the other (`side_by_side`). body: of each pack, (packs,). places: of
    its elements in the batch. stiffness: median of h^2 k / m."""

    def __init__(self, model: Model, batch: ElementBatch, material: int, start: int, rank: Array, rest: Array):
        """material: the body's material in the batch. start: its first vertex. rank: row of each, -1 for none, (m,).
        rest: (m, 3) [m]."""
        n = int(rank.max()) + 1
        row_of = np.full(model.n_vertices + len(PADDING), -1, np.int32)
        row_of[start : start + len(rank)] = rank
        row_of[model.n_vertices :] = n + np.arange(len(PADDING))
        self._batch, self._packs = batch, np.flatnonzero(batch.material == material)
        # The energy of stretch is large, and that of a coiled rope: its fall along a step has no digits in single precision.
        is_large = hasattr(batch.energy, "linearise") or batch.energy.ELEMENT == "joint"
        self._rest = batch.rest.astype(float) if is_large else batch.rest
        index = row_of[batch.index[self._packs]]
        order = np.argsort(np.where(index < n, index, -1).max(1), kind="stable")  # as the rows, see `parts.py`
        self._packs, self._index = self._packs[order], index[order]
        self.body = np.zeros(len(order), np.int32)
        self._make_room(n)
        within = batch.element.reshape(-1, LANES)[self._packs].ravel() >= 0
        self.places = (self._packs[:, None] * LANES + np.arange(LANES)).ravel()[within]
        elements = rows_of(batch.index, batch.energy.CORNERS)[self.places]
        elements = np.where(elements < model.n_vertices, elements - start, -1)
        numbers = rows_of(batch.rest, batch.energy.REST)[self.places]
        self._pairs, self._weights = self._constant_matrix(elements, numbers, rank, rest)
        self._weights *= 1.0 + float(batch.damping[material])
        mine = slice(start, start + len(rank))
        w = np.where(model.fixed[mine], 0.0, model.h**2 / model.mass[mine])
        self.stiffness = self._stiffness(elements, numbers, rest, w)
        self._share = min(1.0, GOES_ON / max(self.stiffness, 1e-30))

    def _make_room(self, n: int) -> None:
        """Allocate the work space of an evaluation, with n rows."""
        self._parts, self._energies = Parts(self._index, [len(self._index)], n), np.zeros(len(self._index))
        self._x = np.zeros((n + len(PADDING), 4))
        self._x[n:, :3] = PADDING

    @classmethod
    def side_by_side(
        cls, systems: list[BendingSystem], bodies: list[int], rows: list[int], blocks: list[int], n: int
    ) -> BendingSystem:
        """The bending of several bodies as one, of n rows. bodies: number of each, rows, blocks: first row and block of the
        matrix of each; ascending."""
        made = cls.__new__(cls)
        made._batch, made._rest = systems[0]._batch, systems[0]._rest
        made.stiffness = max(system.stiffness for system in systems)
        made._packs, made.places = (np.concatenate([getattr(s, name) for s in systems]) for name in ("_packs", "places"))
        made.body = np.repeat(np.array(bodies, np.int32), [len(system._packs) for system in systems])
        sizes = [len(system._x) - len(PADDING) for system in systems]
        each = list(zip(systems, sizes, rows, blocks, strict=True))
        made._index = np.concatenate(
            [s._index + np.where(s._index < size, row, n - size).astype(np.int32) for s, size, row, _ in each]
        )
        made._first_ring = np.concatenate([s._first_ring + np.int32(block) for s, _, _, block in each])
        made._first_ring_weights = np.concatenate([s._first_ring_weights for s in systems])
        made._make_room(n)
        return made

    def _stiffness(self, elements: Array, numbers: Array, rest: Array, w: Array) -> float:
        """Median of h^2 k / m; infinite for an energy without it. w: h^2 / mass, (n,)."""
        if not hasattr(self._batch.energy, "stiffness_ratio"):
            return np.inf
        some = slice(None, None, max(1, len(elements) // SAMPLE))
        return float(np.median(self._batch.energy.stiffness_ratio(rest, elements[some], numbers[some].astype(float), w)))

    def warm_start_sweeps(self, kept: Array, displacement: Array, x: Array, correction: Array) -> None:
        """Start a sheet without the global step from a share of the last substep's displacement. x, correction: of
        `State`; the second is written."""
        batch, of_packs = self._batch, kept[self._packs]
        arrays = (batch.index[self._packs], batch.rest[self._packs], of_packs, of_packs.dtype.type(self._share))
        add_up(visits.warm_start, batch.energy, *one_cluster(len(of_packs)), visits.Starts(*arrays, x, correction))
        displacement[self._packs] = of_packs

    def _constant_matrix(self, elements: Array, numbers: Array, rank: Array, rest: Array) -> tuple[Array, Array]:
        """Pairs of rows (p, 2), each once, and their numbers in the matrix of the flat sheet without damping [N/m], (p,).

        elements: corners in the body, (k, corners), -1 for none. numbers: of their rest shapes, (k, numbers).
        """
        blocks = []
        for first in range(0, len(elements), CHUNK):
            part = slice(first, first + CHUNK)
            matrices = self._batch.energy.bending_matrix(rest, elements[part], numbers[part].astype(float))
            rows = np.where(elements[part] >= 0, rank[elements[part]], -1)
            pairs = [(a, b) for a in range(rows.shape[1]) for b in range(a)]
            kept = [(rows[:, a] >= 0) & (rows[:, b] >= 0) & (matrices[:, a, b] != 0) for a, b in pairs]
            keys = [pair_keys(rows[k, a], rows[k, b]) for k, (a, b) in zip(kept, pairs, strict=True)]
            weights = [matrices[k, a, b] for k, (a, b) in zip(kept, pairs, strict=True)]
            blocks.append(_summed(np.concatenate(keys), np.concatenate(weights)))
        key, weight = _summed(*(np.concatenate(part) for part in zip(*blocks, strict=True)))
        return pairs_of_keys(key), weight

    @property
    def pairs(self) -> Array:
        """Pairs of rows that it joins, (p, 2)."""
        return self._pairs

    def fit(self, pattern: Pattern) -> tuple[Array, Array]:
        """Find its places in the matrix; return the pairs that have none, (p, 2), and their weights [N/m], (p,)."""
        place, is_block = pattern.find(self._pairs[:, 0], self._pairs[:, 1])
        self._first_ring = np.maximum(place[is_block], pattern.mirror[place[is_block]]).astype(np.int32)
        self._first_ring_weights = self._weights[is_block]
        return self._pairs[~is_block], self._weights[~is_block]

    def add_force(self, force: Array) -> None:
        """force loses the gradient [N], (n, 3), where the potential was taken last."""
        self._parts.subtract(force)

    def assemble(self, values: Array) -> None:
        """Add the second derivatives to the lower one of the two blocks of each pair of different vertices."""
        run(add_first_ring, len(self._first_ring), self._first_ring, self._first_ring_weights, values)

    def potential(self, memory: Array, x: Array) -> Array:
        """The energy of each body with its damping [J], up to the last one that has any. x: (n, 3) [m]."""
        self._x[: len(x), :3] = x
        kernel, arrays = add_gradient(self._batch.energy), self._arrays(memory)
        self._parts.evaluate(kernel, len(self.places), *arrays, self._energies)
        return np.bincount(self.body, self._energies)

    def store_displacement(self, x: Array, memory: Array, displacement: Array) -> None:
        """Set each element's displacement to that of its force at x."""
        self._x[: len(x), :3] = x
        store_equilibrium(self._batch.energy)(*self._arrays(memory), displacement)

    def _arrays(self, memory: Array) -> tuple[Array, ...]:
        batch = self._batch
        kind = self._rest.dtype
        constants, memory = batch.constants.astype(kind, copy=False), memory.astype(kind, copy=False)
        return self._packs, self._index, self._rest, constants, batch.material, memory, self._x


@uncounted_row_kernel
def add_first_ring(first, last, places, weights, values):
    """values += weight times the unit matrix, at the places of the pairs first to last."""
    for k in range(first, last):
        for i in (0, 4, 8):
            values[places[k], i] += weights[k]


def _summed(keys: Array, numbers: Array) -> tuple[Array, Array]:
    """Return each key once, ascending, with the sum of its numbers."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)])
    return keys[first], np.add.reduceat(numbers[order], first) if len(first) else numbers


@per_energy(row_kernel)
def add_gradient(first, last, packs, index, rest, constants, material, memory, x, of_packs, slots, forces):
    """Set the energies [J] of the packs first to last of those given, and the forces of their slot (`parts.py`) to the
    gradient [N].

    packs: numbers in the batch. index: their corners in x, (packs given, corners * 16). x: (n, 4) [m].
    """
    lanes = np.zeros(4 * CORNERS * LANES, rest.dtype)
    energies = np.empty(LANES, rest.dtype)
    slot = begin_slot(first, slots, forces)
    for row in range(first, last):
        pack = packs[row]
        gather_apart(x, index, row, CORNERS, lanes)
        r = rest[pack]
        m = memory[pack]
        k = first_numbers(constants[material[pack]], 0, CONSTANTS)
        for lane in range(LANES):
            corners = corners_of(lanes, lane, CORNERS)
            energy, slopes = gradient(corners, numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS))
            energies[lane] = energy
            put_corners(lanes, lane, slopes)
        total = 0.0
        for lane in range(LANES):
            total += energies[lane]
        of_packs[row] = total
        scatter_onto(forces[slot], index, row, CORNERS, lanes)


@per_energy(kernel)
def store_equilibrium(packs, index, rest, constants, material, memory, x, state):
    """Set the states of those packs to those with which their displacements are those of their forces at x."""
    lanes = np.empty(4 * CORNERS * LANES, rest.dtype)
    for row in range(len(packs)):
        pack = packs[row]
        gather_apart(x, index, row, CORNERS, lanes)
        r = rest[pack]
        m = memory[pack]
        k = first_numbers(constants[material[pack]], 0, CONSTANTS)
        for lane in range(LANES):
            corners = corners_of(lanes, lane, CORNERS)
            put_numbers(
                state[pack], lane, equilibrium_state(corners, numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS))
            )
