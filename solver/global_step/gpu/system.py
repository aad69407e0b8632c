"""The linear system of the global step on a device: linearised elements, the matrix, and all levels of it."""

from __future__ import annotations

import numpy as np

from ...device.cpu import LANES
from ...device.cuda.device import Array, SerialDevice
from ...model.gpu.state_arrays import StateArrays, incident
from . import matrix
from .conjugate_gradients import Gradients
from .contact_coupling import Touching, no_pairs, no_planes
from .cycle import Cycle
from .element_launches import launched_batches
from .elements import TRIALS
from .hierarchy import Hierarchy
from .rows import Rows, known, make_runs, of_groups

#: Largest number of sums over rows that are taken at once.
COLUMNS = 9


class System:
    """Linear system. rows: of its vertices; batches: `element_launches.ElementLaunches`, whose elements are in it.
    first: the matrix of the vertices; hierarchy: of all levels; gradients: the solver. at: motion of linearisation,
    nothing: no motion, (n + 4, 4) [m]. forces: rows of the last, corners' forces, that each row of the matrix sums.
    vertex, moves, sheet, group: of each row; sheets, groups: their records; of_rows, by_group: sums over rows; rises:
    over elements and rows, whose numbers go to rows_slot. always: see `matrix.Start`, 1. untouched: no contact.
    """

    def __init__(self, device: SerialDevice, state: StateArrays, rows: Rows) -> None:
        self.device, self.rows, self.count, up = device, rows, len(rows), device.upload
        n = state.rows
        self.batches = launched_batches(device, state.batches, rows, state.model.n_vertices)
        self.first, entries, ring, constant = self._matrix(rows, n)
        points, sheet = np.zeros((n, 3)), np.full(n, -1)
        for number, part in enumerate(rows.sheets):
            body = part.part.body
            rest = body.vertices if body.rest_vertices is None else body.rest_vertices
            points[part.part.start : part.part.stop] = rest
            sheet[part.order] = number
        self.hierarchy = Hierarchy(device, self.first, entries, ring, points, sheet)
        self._constant, self._x0 = up(constant), state.x0
        key = entries.row.astype(np.int64) * n + entries.column
        order = np.argsort(key)
        for batch in self.batches:
            batch.fit(self.first, key[order], entries.place[order], n)
        self.vertex, self.moves = up(rows.vertex, np.int32), up(rows.moves, np.int32)
        self.sheet, self.group = up(rows.sheet, np.int32), up(rows.group[rows.sheet], np.int32)
        (self.sheets, self.groups), self.always = known(device, rows), up([1], np.int32)
        self.of_rows = make_runs(device, rows.sizes, COLUMNS)
        self.by_group = of_groups(device, self.of_rows, rows.group)
        self._bind(state, n)
        self.untouched = Touching(*no_pairs(device, state.model.n_vertices), *no_planes(device, state.model.n_vertices))
        cycle = Cycle(device, self.hierarchy)
        self.gradients = Gradients(device, cycle, self.group, self.groups, self.by_group, self.untouched, n)

    def _bind(self, state: StateArrays, n: int) -> None:
        """Bind the elements' arrays of forces and of energy rises."""
        device, rows = self.device, self.rows
        self.at, self.nothing = matrix.vectors(device, n, 2)
        corners = np.concatenate([batch.corners.reshape(-1) for batch in self.batches])
        forces = device.zeros((len(corners), 4), np.float32)
        first, row = incident(np.where(corners >= 0, rows.number_of[corners], len(rows)), len(rows))
        self.forces = device.upload(first), device.upload(row), forces
        sizes, beyond, slots, self.rows_slot = self._slots(rows)
        self.rises = of_groups(device, make_runs(device, sizes, TRIALS, beyond), rows.group)
        for batch, slot in zip(self.batches, slots, strict=True):
            batch.bind(self.always, state.x0, self.at, forces, slot, self.rises.values, np.int32(TRIALS))

    def _slots(self, rows: Rows) -> tuple[list[int], int, list[np.ndarray], np.ndarray]:
        """Return places for numbers of packs and rows, sheet by sheet: the size of each sheet, and of elements without a
        sheet, which come last; the slots of each batch's packs, and those of the rows."""
        of_packs = [batch.sheet for batch in self.batches] + [rows.sheet[::LANES]]
        sheet = np.concatenate(of_packs)
        order = np.argsort(np.where(sheet < 0, len(rows.sheets), sheet), kind="stable")
        slot = np.empty(len(sheet), np.int64)
        slot[order] = np.arange(len(sheet))
        sizes = [LANES * int((sheet == number).sum()) for number in range(len(rows.sheets))]
        ends = np.cumsum([len(some) for some in of_packs])
        parts = np.split(slot, ends[:-1])
        return sizes, LANES * int((sheet < 0).sum()), parts[:-1], parts[-1]

    def linearise(self, go: Array, apart: Array) -> None:
        """Assemble the matrix of the vertices, and the forces of elements. apart: see `Acting.linearise`."""
        for batch in self.batches:
            batch.linearise(go, apart)
        start, launch = matrix.Start(go, self.first.values, self._constant), self.device.launch
        launch(matrix.start, start.weights.size, start)
        for batch in self.batches:
            batch.add_blocks(go)
        launch(matrix.close, self.count, matrix.Close(go, self.first, self._x0))

    def _matrix(self, rows: Rows, n: int) -> tuple[matrix.Matrix, matrix.Entries, tuple, np.ndarray]:
        """Build the matrix. Returns it, the places of its blocks, its second-ring couplings, and its constant part, (slots,
        16)."""
        moves = np.zeros(n, bool)
        moves[rows.vertex[rows.moves]] = True
        row, column, weight, ring = [], [], [], []
        for part in rows.sheets:
            p, order = part.pattern, part.order
            values = np.zeros((len(p.columns), 9), np.float32)
            for _, bend in part.bends:
                bend.assemble(values)
            row_of_entry = np.repeat(np.arange(p.vertices), np.diff(p.rows))
            keep = (row_of_entry != p.columns) & moves[order[row_of_entry]]
            row.append(order[row_of_entry][keep])
            column.append(order[p.columns][keep])
            weight.append((values[:, 0] + values[p.mirror, 0])[keep])
            pairs, weights = part.second_ring.pairs, part.second_ring.weights
            both = np.concatenate([pairs, pairs[:, ::-1]])
            both, weights = order[both], np.tile(weights, 2)
            ring.append([array[moves[both[:, 0]]] for array in (both[:, 0], both[:, 1], weights)])
        pairs = np.concatenate(row), np.concatenate(column)
        rings = tuple(np.concatenate(parts) for parts in zip(*ring, strict=True))
        vertex = np.where(rows.moves, rows.vertex, -1)
        empty, entries = matrix.made(self.device, vertex, rows.number_of, pairs, rings)
        order = np.argsort(pairs[0].astype(np.int64) * n + pairs[1])
        keys = (pairs[0].astype(np.int64) * n + pairs[1])[order]
        apart = entries.row != entries.column
        at = np.searchsorted(keys, entries.row[apart].astype(np.int64) * n + entries.column[apart])
        constant = np.zeros(empty.columns.shape, np.float32)
        constant.reshape(-1)[entries.place[apart]] = np.concatenate(weight)[order][at]
        return empty, entries, rings, constant
