"""A model's arrays and a state on a device."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device.cpu import LANES
from ...device.cuda.array_copies import ArrayCopies
from ...device.cuda.device import Array, SerialDevice
from ...energies import attachment
from ..flat_sheets import FlatSheets
from ..model import ElementBatch, Model
from ..state import State

#: Arrays of a state with a row for each vertex, which the next substep or a report reads.
VERTEX = ("x", "v", "x0", "x_pred", "correction", "remainder", "motion", "v_before", "history")


class Gathered(NamedTuple):
    """Incidence of vertices and rows of element corners: first (n + 1,), rows (m,), in the order of the elements."""

    first: Array
    rows: Array


class BatchArrays:
    """A batch on a device: the fields of an `ElementBatch` that a sweep reads, and its part of the state. gathered:
    incidence, made on first use; moves: displacements of its corners."""

    def __init__(self, device: SerialDevice, batch: ElementBatch, n: int) -> None:
        self.device, self.host, self.n = device, batch, n
        self.corners, self.rest = device.upload(batch.index), device.upload(batch.rest)
        self.constants, self.material = device.upload(batch.constants), device.upload(batch.material)
        self.state: Array
        self.strains: Array
        self._gathered: Gathered | None = None
        self._moves: Array | None = None

    @property
    def threads(self) -> int:
        return self.host.packs * LANES

    @property
    def gathered(self) -> Gathered:
        if self._gathered is None:
            first, rows = incident(vertices_of(self.host), self.n)
            self._gathered = Gathered(self.device.upload(first), self.device.upload(rows))
        return self._gathered

    @property
    def moves(self) -> Array:
        if self._moves is None:
            self._moves = self.device.zeros((self.threads * self.host.energy.CORNERS, 4), np.float32)
        return self._moves


class StateArrays:
    """A state on a device: the arrays of VERTEX as attributes, and those of each batch in `batches`. weight: h^2 / mass, 0
    for fixed vertices, (n + 4,)."""

    x: Array
    v: Array
    x0: Array
    x_pred: Array
    correction: Array
    remainder: Array
    motion: Array
    v_before: Array
    history: Array

    def __init__(self, device: SerialDevice, model: Model, state: State) -> None:
        self.device, self.model, self.rows = device, model, len(state.x)
        self.batches = [BatchArrays(device, batch, model.n_vertices) for batch in model.batches]
        self.weight = device.upload(_weights(model, state))
        self.load = device.upload(state.load)
        self._kept = ArrayCopies(device)
        of_device: Any = [device.upload(array) for array in model.flat_sheets]
        self.flat_sheets = FlatSheets(*of_device)
        self.embedded = [
            device.upload(model.embedded.rows, np.int32),
            device.upload(model.embedded.corners, np.int32),
            device.upload(model.embedded.weights, np.float32),
        ]
        for name in VERTEX:
            setattr(self, name, device.upload(getattr(state, name)))
        self.flat_compression = device.upload(state.flat_compression)
        for batch, numbers, strains in zip(self.batches, state.displacements, state.strains_at_start, strict=True):
            batch.state, batch.strains = device.upload(numbers), device.upload(strains)

    def take(self, state: State) -> None:
        """Take over a state of the host."""
        for name in VERTEX:
            self.device.update(getattr(self, name), getattr(state, name))
        if state.sleep is not None:
            self.device.update(self.weight, _weights(self.model, state))
        self.device.update(self.flat_compression, state.flat_compression)
        for batch, numbers, strains in zip(self.batches, state.displacements, state.strains_at_start, strict=True):
            self.device.update(batch.state, numbers)
            self.device.update(batch.strains, strains)

    def keep(self) -> None:
        """Copy all but x, for `give`."""
        self._kept.take(self._but_x())

    def write_positions_to(self, state: State) -> None:
        """Write x to a state of the host."""
        self.device.download(self.x, state.x)

    def write_to(self, state: State, from_copy: bool) -> None:
        """Write all but x to a state of the host. as_kept: as it was when it was kept last."""
        of_host = [getattr(state, name) for name in VERTEX[1:]] + [state.flat_compression, state.load]
        of_host += [*state.displacements, *state.strains_at_start]
        for array, host in zip(self._kept.arrays if from_copy else self._but_x(), of_host, strict=True):
            self.device.download(array, host)

    def _but_x(self) -> list[Array]:
        of_batches = [batch.state for batch in self.batches] + [batch.strains for batch in self.batches]
        return [getattr(self, name) for name in VERTEX[1:]] + [self.flat_compression, self.load] + of_batches


def _weights(model: Model, state: State) -> np.ndarray:
    """Return h^2 / mass, 0 for fixed and sleeping vertices, (n + 4,)."""
    n, weights = model.n_vertices, np.zeros(len(state.x), state.x.dtype)
    fixed = model.fixed if state.sleep is None else model.fixed | state.sleep.held
    weights[:n] = np.where(fixed, 0.0, model.h**2 / model.mass)
    return weights


def vertices_of(batch: ElementBatch) -> np.ndarray:
    """Vertices of the corners of each lane's element, (packs * 16, corners)."""
    return batch.index.reshape(batch.packs, -1, LANES).transpose(0, 2, 1).reshape(batch.packs * LANES, -1)


def incident(elements: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of flattened elements, (m, corners), at each of n vertices, in their order: first (n + 1,), rows (k,) int32."""
    flat = elements.ravel()
    rows = np.flatnonzero(flat < n)
    order = rows[np.argsort(flat[rows], kind="stable")].astype(np.int32)
    return np.concatenate([[0], np.cumsum(np.bincount(flat[rows], minlength=n))]).astype(np.int32), order


def attached_rows(model: Model, batch: ElementBatch, starts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return for each lane of a batch of attachments its row of the poses, -1 for filling, and its damping time [s].

    starts: the first row of each body's pins.
    """
    assert batch.energy is attachment
    rows_of_parts = [part.attached_rows + start for part, start in zip(model.parts, starts, strict=True)]
    times = [part.attached_damping for part in model.parts]
    rows, damping = np.concatenate(rows_of_parts).astype(np.int32), np.concatenate(times).astype(np.float32)
    real = batch.element >= 0
    return np.where(real, rows[batch.element], -1).astype(np.int32), np.where(real, damping[batch.element], 0.0).astype(
        np.float32
    )
