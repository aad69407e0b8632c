"""Tetrahedra in the global step's linear system.

Elements of one material of a body, in packs of 16 lanes as the sweeps have them: index (packs, 64) rows of the system, and
beyond these the padding's. Forces and energies are doubles: of a nearly incompressible solid the rounding of positions in
single precision would be most of the residual force after a step. Any energy of tetrahedra with `hessian_times` will
do: of its positive second derivative, column by column, the blocks of pairs of corners are taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..device.cpu import LANES
from ..device.lanes import gather, scatter_moves
from ..device.loops_cpu import add_up, sweep_clusters
from ..device.per_energy import GIVEN, visit_of_pack
from ..device.simd.tuples import corners_of, first_numbers, numbers, put_corners, put_numbers
from ..linalg.block_matrix import Pattern
from ..model.batches import some_packs
from ..model.model import PADDING, ElementBatch

Array = np.ndarray

CORNERS = REST = CONSTANTS = START_STRAINS = GIVEN
gradient = hessian_times = equilibrium_state = GIVEN

#: Pairs of corners, the second one's directions are evaluated; and numbers of their blocks.
PAIRS = tuple((a, b) for b in range(4) for a in range(b))
BLOCKS = 9 * len(PAIRS)


class VolumeSystem:
    """The tetrahedra of one material of a body, or of several bodies, one after the other (`side_by_side`). gradient: of the
    energies at their last evaluation [N], (n + 4, 4)."""

    def __init__(self, batch: ElementBatch, number: int | Array, corners: Array, places: Array, dtype: np.dtype):
        """number: the body's material in the batch. corners: (t, 4) rows. places: (t,), pack * 16 + lane in the batch."""
        self._whole, self._number, self._bodies = batch, np.atleast_1d(number), np.zeros(len(corners), np.int64)
        self.energy, self.tetrahedra, self.places = batch.energy, corners, places
        self._packs = np.unique(places // LANES)
        self._batch = some_packs(batch, self._packs)
        self._lanes = np.searchsorted(self._packs, places // LANES), places % LANES
        self._double = self._batch.rest.astype(float), batch.constants.astype(float)
        self._constants = batch.constants.astype(dtype)
        has_strains = bool(batch.damping[self._number].any()) or hasattr(batch.energy, "flow_at_start")
        self._has_strains, count = has_strains, len(self._packs)
        self._strains = np.zeros((count, batch.energy.START_STRAINS * LANES))
        self._energies = np.zeros((count, LANES))

    @classmethod
    def side_by_side(cls, systems: list[VolumeSystem], bodies: list[int], rows: list[int]) -> VolumeSystem:
        """The tetrahedra of several bodies as of one; `fit` comes next. bodies: number of each, rows: first row of each."""
        numbers, places = (np.concatenate([getattr(s, name) for s in systems]) for name in ("_number", "places"))
        corners = np.concatenate([system.tetrahedra + row for system, row in zip(systems, rows, strict=True)])
        made = cls(systems[0]._whole, numbers, corners, places, systems[0]._constants.dtype)
        made._bodies = np.repeat(bodies, [len(system.places) for system in systems])
        return made

    def edges(self) -> Array:
        return np.concatenate([self.tetrahedra[:, pair] for pair in PAIRS])

    def fit(self, pattern: Pattern) -> None:
        """Find its places in the matrix."""
        n, (pack, lane) = pattern.vertices, self._lanes
        padding = np.repeat(np.arange(4) % len(PADDING) + n, LANES)
        self._index = np.tile(padding, (len(self._packs), 1)).astype(np.int32)
        self._slots = np.full((len(self._packs), len(PAIRS) * LANES), -1, np.int32)
        for corner in range(4):
            self._index[pack, corner * LANES + lane] = self.tetrahedra[:, corner]
        for k, (a, b) in enumerate(PAIRS):
            self._slots[pack, k * LANES + lane] = pattern.lower_places(self.tetrahedra[:, a], self.tetrahedra[:, b])
        self._x, self.gradient = np.zeros((2, n + len(PADDING), 4))
        self._x[n:, :3] = PADDING

    def begin(self, memory: Array) -> None:
        """Take over the strains at the substep's start, for damping and plasticity; memory: of the batch."""
        if self._has_strains:
            self._strains[:] = memory[self._packs]

    def potential(self, memory: Array, x: Array) -> Array:
        """The energy of each body with its damping [J], up to the last one that has any; sets `gradient`. x: (n, 3) double
        [m]. memory: without effect, see `begin`."""
        self._x[: len(x), :3] = x
        self.gradient[:] = 0
        (rest, constants), batch = self._double, self._batch
        args = Elements(self._index, rest, constants, batch.material, self._strains, self._x, self.gradient, self._energies)
        sweep_clusters(add_gradient, self.energy, batch.colours, batch.clusters, args)
        return np.bincount(self._bodies, self._energies[self._lanes])

    def store_displacement(self, displacement: Array) -> None:
        """Write the displacements of the elements of the batch, by their own forces at the last evaluation of the
        potential."""
        (rest, constants), batch, of_packs = self._double, self._batch, displacement[self._packs].astype(float)
        add_up(
            set_state,
            self.energy,
            batch.colours,
            batch.clusters,
            Elements(self._index, rest, constants, batch.material, self._strains, self._x, of_packs, self._energies),
        )
        displacement[self._packs] = of_packs

    def assemble(self, values: Array, exact: Array) -> None:
        """Add the second derivatives at the last evaluation of the potential to the lower one of the two blocks of each pair
        of different vertices. exact: of each body whether the true ones, else positive ones, (bodies,) bool."""
        batch, dtype = self._batch, values.dtype
        elements = self._index, batch.rest, self._constants, batch.material, self._strains.astype(dtype)
        of_packs = np.zeros(len(self._packs), dtype)
        of_packs[self._lanes[0]] = exact[self._bodies]
        args = Pairs(*elements, self._x.astype(dtype), self._slots, values, of_packs)
        sweep_clusters(add_pair_blocks, self.energy, batch.colours, batch.clusters, args)


class Elements(NamedTuple):
    """Arrays of a batch as in `methods/visits`; out: gets the gradients, (n + 4, 4), or the states, (packs, STATE * 16).
    energies: (packs, 16)."""

    index: Any
    rest: Array
    constants: Array
    material: Array
    strains: Array
    x: Array
    out: Array
    energies: Array


class Pairs(NamedTuple):
    """The same; slots: `Pattern.lower_places` of each element's `PAIRS`, -1 for none, (packs, 6 * 16). exact: of each pack,
    see `hessian_times`, (packs,)."""

    index: Any
    rest: Array
    constants: Array
    material: Array
    strains: Array
    x: Array
    slots: Array
    values: Array
    exact: Array


@visit_of_pack(lambda energy: (4 * energy.CORNERS, 1))
def add_gradient(pack, args, work):
    """Set the energies of a pack, and add their gradients."""
    lanes, energies = work
    gather(args.x, args.index, pack, CORNERS, lanes)
    r = args.rest[pack]
    m = args.strains[pack]
    k = first_numbers(args.constants[args.material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        corners = corners_of(lanes, lane, CORNERS)
        energy, slopes = gradient(corners, numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS))
        energies[lane] = energy
        put_corners(lanes, lane, slopes)
    for lane in range(LANES):
        args.energies[pack, lane] = energies[lane]
    scatter_moves(args.out, args.index, pack, CORNERS, lanes)


@visit_of_pack(lambda energy: (4 * energy.CORNERS,))
def set_state(pack, args, work, total):
    """Set what the elements of a pack keep to what their own forces are the displacements of."""
    lanes = work[0]
    gather(args.x, args.index, pack, CORNERS, lanes)
    r = args.rest[pack]
    m = args.strains[pack]
    s = args.out[pack]
    k = first_numbers(args.constants[args.material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        corners = corners_of(lanes, lane, CORNERS)
        put_numbers(s, lane, equilibrium_state(corners, numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS)))
    return total


@visit_of_pack(lambda energy: (4 * energy.CORNERS, 4 * energy.CORNERS, BLOCKS))
def add_pair_blocks(pack, args, work):
    """Add the blocks of a pack's pairs of corners."""
    lanes, moves, blocks = work
    gather(args.x, args.index, pack, CORNERS, lanes)
    r = args.rest[pack]
    m = args.strains[pack]
    k = first_numbers(args.constants[args.material[pack]], 0, CONSTANTS)
    exact = args.exact[pack]
    at = 0
    for corner in range(1, CORNERS):
        for column in range(3):
            for i in range(4 * CORNERS * LANES):
                moves[i] = 0
            for lane in range(LANES):
                moves[(4 * corner + column) * LANES + lane] = 1
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
            for other in range(corner):
                to = (9 * (at + other) + 3 * column) * LANES
                of = 4 * other * LANES
                for i in range(3 * LANES):
                    blocks[to + i] = moves[of + i]
        at += corner
    for pair in range(6):
        for lane in range(LANES):
            place = args.slots[pack, pair * LANES + lane]
            if place >= 0:
                for i in range(9):
                    args.values[place, i] += blocks[(9 * pair + i) * LANES + lane]
            elif place < -1:  # none has the place 0, which is on the diagonal
                for i in range(9):
                    args.values[-1 - place, 3 * (i % 3) + i // 3] += blocks[(9 * pair + i) * LANES + lane]
