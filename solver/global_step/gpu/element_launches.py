"""Batches of elements in the global step on a device: their sparsity pattern, and their launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...device.cpu import LANES
from ...device.cuda.body import Body
from ...device.cuda.device import Array, SerialDevice
from ...model.gpu.state_arrays import BatchArrays, vertices_of
from ..global_step import stretch_system
from ..limits import LimitSystem
from ..membrane import MembraneSystem, in_lanes, rows_of
from ..patch_stretch import PatchStretch
from ..solid_part import is_of_solids
from ..springs import SpringSystem
from ..stitches import StitchSystem
from ..tethers import TetherSystem
from ..volume import VolumeSystem
from . import energy_rise, face_elements, line_elements, patch_elements, volume_elements
from .elements import Elements, Rising
from .matrix import Matrix
from .rows import Rows

#: For each class of `global_step` that takes stretch into the system: numbers kept by an element, and the bodies that
#: linearise, measure the rise of energy, and store displacements.
KINDS: dict[type | None, tuple[int, Callable, Callable, Callable | None]] = {
    MembraneSystem: (
        face_elements.KEPT,
        face_elements.linearise_membrane,
        energy_rise.rise_by_gradient,
        face_elements.store_displacement,
    ),
    LimitSystem: (
        face_elements.KEPT,
        face_elements.linearise_limit,
        face_elements.rise_of_limit,
        face_elements.store_displacement,
    ),
    SpringSystem: (
        line_elements.KEPT,
        line_elements.linearise_spring,
        energy_rise.rise_by_gradient,
        line_elements.store_displacement,
    ),
    StitchSystem: (line_elements.KEPT, line_elements.linearise_spring, energy_rise.rise_by_gradient, None),
    TetherSystem: (
        line_elements.KEPT,
        line_elements.linearise_tether,
        line_elements.rise_of_tether,
        line_elements.store_displacement,
    ),
    PatchStretch: (patch_elements.KEPT, patch_elements.linearise_patch, energy_rise.rise_by_gradient, None),
    VolumeSystem: (volume_elements.KEPT, volume_elements.linearise_volume, energy_rise.rise_by_gradient, None),
    None: (1, energy_rise.linearise_forces, energy_rise.rise_by_gradient, None),
}


#: Bodies that add blocks to the matrix, if it is not that of faces.
ADDED: dict[type, Body] = {
    SpringSystem: line_elements.add_blocks,
    StitchSystem: line_elements.add_blocks,
    TetherSystem: line_elements.add_own_blocks,
    PatchStretch: patch_elements.add_blocks,
    VolumeSystem: volume_elements.add_blocks,
}


class ElementLaunches:
    """One batch. sheet: of each pack, -1 for none. corners: vertices of each lane's element, (packs * 16, corners), -1 for
    filling, or without a sheet."""

    def __init__(self, device: SerialDevice, number: int, batch: BatchArrays, sheet_of: np.ndarray, first: int):
        """sheet_of: of each vertex, -1 for none, (n,). first: where its corners begin in the forces of all batches."""
        self.device, self.number, self.batch, self.energy = device, number, batch, batch.host.energy
        self.kind = VolumeSystem if is_of_solids(self.energy) else stretch_system(self.energy)
        numbers, self._linearise, self._rise, self._store = KINDS[self.kind]
        self.first, n = first, len(sheet_of)
        corners = vertices_of(batch.host)
        sheet = np.where(corners < n, sheet_of[np.minimum(corners, n - 1)], -1).max(1)
        self.corners = np.where((corners < n) & (sheet >= 0)[:, None], corners, -1)
        self.sheet = sheet.reshape(-1, LANES).max(1)
        self._constants, self._rest = batch.constants, batch.rest
        if hasattr(self.energy, "solved_constants"):
            rows = [self.energy.solved_constants(row, False) for row in batch.host.constants.astype(float)]
            self._constants = device.upload(np.array(rows), np.float32)
        if hasattr(self.energy, "solved_rest"):
            solved = self.energy.solved_rest(rows_of(batch.host.rest, self.energy.REST))
            self._rest = device.upload(in_lanes(solved), np.float32)
        self._kept = device.zeros((batch.host.packs, numbers * LANES), np.float32)
        self._blocks: Any = None

    def fit(self, matrix: Matrix, keys: np.ndarray, places: np.ndarray, n: int) -> None:
        """Find its places in the matrix. keys: row * n + column of its blocks, ascending; places: of these."""
        if self.kind is None:
            return
        element, up = np.arange(len(self.corners)), self.device.upload
        if self.kind is TetherSystem:
            pairs, numbers = [(0, 0)], element
        elif self.kind in (SpringSystem, StitchSystem):
            pairs, numbers = [(0, 1), (1, 0)], element
        else:
            corners = 3 if self.kind is PatchStretch else self.corners.shape[1]
            pairs = [(a, b) for a in range(corners) for b in range(corners) if a != b]
            numbers = 16 * element
        key, code = [], []
        for a, b in pairs:
            row, column = self.corners[:, a], self.corners[:, b]
            real = (row >= 0) & (column >= 0)
            key.append(row[real].astype(np.int64) * n + column[real])
            code.append(numbers[real] + (4 * a + b if numbers is not element else 0))
        wanted, block_code = np.concatenate(key), np.concatenate(code)
        keep = np.isin(wanted, keys)  # rows that do not move have no blocks
        at, block_code = np.searchsorted(keys, wanted[keep]), block_code[keep]
        order = np.lexsort((block_code, at))
        blocks, count = np.unique(at, return_counts=True)
        first = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
        lists = up(first), up(block_code[order], np.int32), up(places[blocks], np.int32)
        self._count = len(blocks)
        if self.kind in (SpringSystem, StitchSystem, TetherSystem):
            self._blocks = line_elements.Blocks(None, *lists, self._kept, matrix.values)
        elif self.kind in (PatchStretch, VolumeSystem):
            self._blocks = patch_elements.Blocks(None, *lists, self._kept, matrix.values)
        else:
            self._blocks = face_elements.Blocks(None, *lists, self._rest, self._kept, matrix.values)

    def bind(self, go: Array, x0: Array, at: Array, forces: Array, slot: np.ndarray, rise: Array, trials: np.int32) -> None:
        """Bind the arrays of launches. go: of launches without one of their own. slot: where the numbers of each pack go in
        `rise`, (packs,)."""
        b = self.batch
        arrays = b.corners, self._rest, self._constants, b.material, b.strains
        self._elements = Elements(go, *arrays, x0, at, self._kept, np.int32(self.first), forces)
        self._slot, self._rising = self.device.upload(slot, np.int32), (trials, rise)

    def linearise(self, go: Array, apart: Array) -> None:
        """Linearise the elements at x0 + at, and compute their forces. apart: displacement of pins beyond `at`."""
        elements, threads = self._elements._replace(go=go), self.batch.threads
        if self.kind is TetherSystem:
            self.device.launch(self._linearise(self.energy), threads, line_elements.Tethers(elements, apart))
        elif self.kind is VolumeSystem:
            arguments = volume_elements.Directions(elements, np.int32(volume_elements.DIRECTIONS))
            self.device.launch(self._linearise(self.energy), threads, arguments)
        elif self.kind is not None:
            self.device.launch(self._linearise(self.energy), threads, elements)
        if self.kind in (None, PatchStretch, VolumeSystem):
            self.device.launch(energy_rise.linearise_forces(self.energy), threads, elements)

    def add_blocks(self, go: Array) -> None:
        """Add to the matrix."""
        if self.kind is None:
            return
        self.device.launch(ADDED.get(self.kind, face_elements.add_blocks), self._count, self._blocks._replace(go=go))

    def rise(self, go: Array, move: Array, more: Array) -> None:
        """Compute the rise of the elements' energy by each share of `more` after `move`."""
        arguments = Rising(self._elements._replace(go=go), move, more, self._slot, *self._rising)
        self.device.launch(self._rise(self.energy), self.batch.threads, arguments)

    def store_displacements(self, move: Array) -> None:
        """Store the forces of a limit's elements after the motion `move`, for the next substep."""
        if hasattr(self.energy, "excess_at_start") and self._store is not None:
            arguments = face_elements.Storing(self._elements, move, self.batch.state)
            self.device.launch(self._store(self.energy), self.batch.threads, arguments)

    def go_on(self, move: Array, packs: Array) -> None:
        """Store the displacements of elements from their own forces after the motion `move`, the start of their sweeps."""
        arguments = volume_elements.GoingOn(self._elements, move, packs, self.batch.state)
        self.device.launch(volume_elements.store_displacement(self.energy), len(packs) * LANES, arguments)


def launched_batches(device: SerialDevice, batches: list[BatchArrays], rows: Rows, n: int) -> list[ElementLaunches]:
    """Return the batches of a model with n vertices that are part of any sheet's system."""
    sheet_of = np.full(n, -1)
    for number, part in enumerate(rows.sheets):
        sheet_of[part.order] = number
    batches_in_step, first = [], 0
    numbers = {number for part in rows.sheets for number, _ in (*part.systems, *part.tethers, *part.bends)}
    for number in sorted(numbers):
        batches_in_step.append(ElementLaunches(device, number, batches[number], sheet_of, first))
        first += batches_in_step[-1].corners.size
    return batches_in_step
