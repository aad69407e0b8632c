"""Global stage: one implicit step of each sheet's membrane as a whole, before the sweeps.

Sweeps carry a load a few triangles far; here it crosses the sheet at once. The step is backward Euler of the membrane alone,
linearised at the substep's start (the prediction has false stretch in it), solved by a fixed number of conjugate gradient
iterations, shortened where it would raise the potential. Each triangle then takes over its share of the force, and the
sweeps go on from there, with bending, contact and attachments. Each body is a system of its own. It carries nothing from
frame to frame: the factors of the patches, which only precondition, are made at a frame's first substep.
Source of the potential: Martin et al. 2011, "Example-based elastic materials".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.cpu import LANES
from ..energies import stvk_membrane
from ..mathlib.banded import factor
from ..model import Block, BodyPart, Model
from ..state import State
from ..topology.edges import unique_edges
from ..topology.patch_basis import patch_basis
from .conjugate_gradients import gather_patches, invert_diagonal, minimise
from .membrane_system import assemble, hand_over, potential

Array = np.ndarray

#: A step that raises the potential is halved up to this many times.
HALVINGS = 5
#: Share of the potential that counts as rounding.
ROUNDING = 1e-9


class GlobalStage:
    """The sheets of a model. solves: the number of the block that it solves for."""

    def __init__(self, model: Model, block: int, iterations: int):
        self.solves = block
        self._iterations = iterations
        self._sheets = _sheets(model, model.blocks[block], np.dtype(model.settings.dtype))

    def forget(self) -> None:
        """Before each frame, so that a restored simulation goes on with the same bits."""
        for sheet in self._sheets:
            sheet.factors = None

    def act(self, state: State) -> None:
        """Moves x from the prediction to the step's end, and sets the membranes' displacements to its forces."""
        memory, displacement = state.memories[self.solves], state.displacements[self.solves]
        for sheet in self._sheets:
            sheet.step(state, memory, displacement, self._iterations)


def make_global_stage(model: Model) -> GlobalStage | None:
    """None without sheets that stretch, or where the settings ask for no iterations."""
    blocks = [number for number, block in enumerate(model.blocks) if block.energy is stvk_membrane]
    if not blocks or not model.settings.global_iterations:
        return None
    return GlobalStage(model, blocks[0], model.settings.global_iterations)


@dataclass
class _Sheet:
    """One body's system; arrays as in `membrane_system`, `conjugate_gradients` and `PatchBasis`."""

    part: BodyPart
    triangles: Array
    shapes: Array
    places: Array
    slots: Array
    constants: Array
    rows: Array
    columns: Array
    diagonal: Array
    free: Array  # (n,) bool: not fixed and part of a triangle
    pinned: Array  # (n,) bool
    mass: Array  # (n,) kg, 0 where not free
    first: Array
    patch: Array
    share: Array
    band: Array
    values: Array
    inverse: Array
    factors: Array | None = None

    def step(self, state: State, memory: Array, displacement: Array, iterations: int) -> None:
        span = slice(self.part.start, self.part.stop)
        x, x0, x_pred = state.x[span], state.x0[span], state.x_pred[span]
        force = np.zeros((len(x), 3))
        assemble(self.triangles, self.shapes, self.slots, self.diagonal, self.constants, x0, self.free, self.values, force)
        invert_diagonal(self.diagonal, self.values, self.free, self.inverse)
        if self.factors is None:
            gather_patches(self.rows, self.columns, self.values, self.free, self.first, self.patch, self.share, self.band)
            factor(self.band)
            self.factors = self.band
        predicted = x_pred[:, :3].astype(float) - x0[:, :3]
        start = np.where(self.free[:, None], self._drift(predicted), predicted)
        more = self._solve(x0, predicted, start, force, iterations)
        step = self._shorten(memory, x0, x_pred, start, more)
        move = start + step * more
        hand_over(self.triangles, self.shapes, self.places, self.constants, x0, move, displacement)
        x[self.free, :3] += (move - predicted)[self.free].astype(x.dtype)

    def _drift(self, predicted: Array) -> Array:
        """What the sheet moves as a whole (3,) [m]: as its pins do; without pins, as its centre of mass does, which no inner
        force changes."""
        if self.pinned.any():
            return predicted[self.pinned].mean(axis=0)
        return self.mass @ predicted / self.mass.sum()

    def _solve(self, x0: Array, predicted: Array, start: Array, force: Array, iterations: int) -> Array:
        """Approximate solution of A more = b - A start, zero where not free, (n, 3) double."""
        dtype = self.values.dtype
        ahead = np.where(self.free[:, None], predicted - start, 0.0)
        residual = force + ahead / np.where(self.free, x0[:, 3], 1.0)[:, None]  # M / h^2 times the drift cancels
        residual -= self._pull_of_pins(start)
        residual[~self.free] = 0.0
        more = np.zeros((len(x0), 3), dtype)
        work = np.empty((3, len(x0), 3), dtype)
        work[0] = ahead
        system = (self.rows, self.columns, self.values, self.inverse, self.free, self.first, self.patch, self.share)
        coarse = np.empty(len(self.band))
        minimise(*system, self.factors, iterations, coarse, work, residual.astype(dtype), more)
        more = more.astype(float)
        if not self.pinned.any():  # the exact step keeps momentum
            more[self.free] -= self.mass @ more / self.mass.sum()
        return more

    def _pull_of_pins(self, start: Array) -> Array:
        """A (start - drift) [N]: what the pins' motion against the drift asks for; zero unless pins move apart."""
        apart = np.where(self.free[:, None], 0.0, start - self._drift(start))
        pull = np.zeros_like(apart)
        if apart.any():
            row = np.repeat(np.arange(len(self.free)), np.diff(self.rows))
            of_pins = self.pinned[self.columns] & self.free[row]
            block = self.values[of_pins].reshape(-1, 3, 3).astype(float)
            products = np.einsum("kij,kj->ki", block, apart[self.columns[of_pins]])
            for i in range(3):
                pull[:, i] = np.bincount(row[of_pins], products[:, i], len(pull))
        return pull

    def _shorten(self, memory: Array, x0: Array, x_pred: Array, start: Array, more: Array) -> float:
        """The share of `more` that does not raise the potential."""
        base = x0[:, :3] + start
        arrays = (self.triangles, self.shapes, self.places, self.constants, memory, x_pred, self.free)
        most = potential(*arrays, base) * (1 + ROUNDING)
        step = 1.0
        for _ in range(HALVINGS):
            if potential(*arrays, base + step * more) <= most:
                break
            step *= 0.5
        return step


def _sheets(model: Model, block: Block, dtype: np.dtype) -> list[_Sheet]:
    """One for each body that has a membrane: packs are of one material, and a block's materials are of one body each."""
    index = block.index.reshape(block.packs, 3, LANES).transpose(0, 2, 1).reshape(-1, 3)
    shapes = block.rest.reshape(block.packs, 5, LANES).transpose(0, 2, 1).reshape(-1, 5)
    material = np.repeat(block.material, LANES)
    sheets = []
    for number, constants in enumerate(block.constants.astype(float)):
        places = np.flatnonzero((block.element >= 0) & (material == number))
        corner = index[places[0], 0]
        part = next(part for part in model.parts if part.start <= corner < part.stop)
        triangles = np.ascontiguousarray(index[places] - part.start, np.int32)
        sheets.append(_sheet(model, part, triangles, np.ascontiguousarray(shapes[places]), places, constants, dtype))
    return sheets


def _sheet(
    model: Model, part: BodyPart, triangles: Array, shapes: Array, places: Array, constants: Array, dtype: np.dtype
) -> _Sheet:
    n = part.stop - part.start
    edges = unique_edges(triangles).astype(np.int64)
    loops = np.arange(n)
    row = np.concatenate([edges[:, 0], edges[:, 1], loops])
    column = np.concatenate([edges[:, 1], edges[:, 0], loops])
    keys = np.sort(row * n + column)
    rows = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))]).astype(np.int32)
    pinned = model.fixed[part.start : part.stop].copy()
    free = ~pinned & (np.bincount(triangles.ravel(), minlength=n) > 0)
    u, v = np.repeat(triangles, 3, axis=1).astype(np.int64), np.tile(triangles, (1, 3))
    slots = np.where(free[u], np.searchsorted(keys, u * n + v), -1).astype(np.int32)
    rest = part.body.vertices if part.body.rest_vertices is None else part.body.rest_vertices
    basis = patch_basis(rest, edges)
    return _Sheet(
        part,
        triangles,
        shapes,
        places,
        slots,
        constants,
        rows,
        columns=(keys % n).astype(np.int32),
        diagonal=np.searchsorted(keys, loops * (n + 1)).astype(np.int32),
        free=free,
        pinned=pinned,
        mass=np.where(free, model.mass[part.start : part.stop], 0.0),
        first=basis.first,
        patch=basis.patch,
        share=basis.share,
        band=np.zeros((3 * basis.count, 3 * basis.reach + 3)),
        values=np.zeros((len(keys), 9), dtype),
        inverse=np.zeros((n, 6), dtype),
    )
