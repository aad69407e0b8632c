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
from .conjugate_gradients import gather_patches, invert_diagonal, minimise, multiply
from .contact_planes import add_blocks, add_forces, contact_potential, hand_to_contacts, planes_of, stiffen
from .membrane_system import assemble, hand_over, potential

Array = np.ndarray

#: A step that raises the potential is halved up to this many times.
HALVINGS = 5
#: Share of the potential that counts as rounding.
ROUNDING = 1e-9
#: Contacts are as stiff as so many times the trace of their vertex's own block.
STIFFNESS = 1.0
#: With contacts the system is solved so often, each time for the contacts that push after the last.
PASSES = 2


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

    def act(self, state: State, contact=None) -> None:
        """Moves x from the prediction to the step's end, and sets the membranes' displacements to its forces.

        contact: the contact system after `begin_substep`; its planes hold the sheets, and take over their share of the force.
        """
        memory, displacement = state.memories[self.solves], state.displacements[self.solves]
        for sheet in self._sheets:
            planes = planes_of(contact, sheet.part.start, sheet.part.stop)
            sheet.step(state, memory, displacement, self._iterations, contact, planes)


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

    def step(self, state: State, memory: Array, displacement: Array, iterations: int, contact, planes) -> None:
        span = slice(self.part.start, self.part.stop)
        x, x0, x_pred = state.x[span], state.x0[span], state.x_pred[span]
        force = np.zeros((len(x), 3))
        assemble(self.triangles, self.shapes, self.slots, self.diagonal, self.constants, x0, self.free, self.values, force)
        predicted = x_pred[:, :3].astype(float) - x0[:, :3]
        drift = self._drift(predicted)
        inertia = np.where(self.free, 1.0 / np.where(self.free, x0[:, 3], 1.0).astype(float), 0.0)
        move = np.where(self.free[:, None], drift, predicted)
        if planes is not None:
            most = STIFFNESS * self.values[self.diagonal][:, [0, 4, 8]].sum(1).astype(float)
            self._touch(planes, most, inertia, predicted)
        for attempt in range(1 if planes is None else PASSES):
            if attempt and not self._touch(planes, most, most, move):
                break
            invert_diagonal(self.diagonal, self.values, self.free, self.inverse)
            if self.factors is None or planes is not None:
                gather_patches(self.rows, self.columns, self.values, self.free, self.first, self.patch, self.share, self.band)
                factor(self.band)
                self.factors = self.band
            ahead = predicted - move if not attempt else np.zeros_like(move)
            more = self._solve(x0, predicted, drift, move, force, ahead, iterations, planes)
            move = move + self._shorten(memory, x0, x_pred, move, more, planes, most if planes else None) * more
        hand_over(self.triangles, self.shapes, self.places, self.constants, x0, move, displacement)
        if planes is not None:
            p = planes
            hand_to_contacts(
                p.row, p.vertex, p.normal, p.gap, p.drift, p.mu, p.stiff, p.grip, x0, move, contact.slots
            )
            self.factors = None
        x[self.free, :3] += (move - predicted)[self.free].astype(x.dtype)

    def _touch(self, planes, most, weight, move) -> bool:
        """Chooses the contacts that push, and puts them into the system; whether that changed anything."""
        p = planes
        before = p.stiff.copy(), p.grip.copy()
        stiffen(p.vertex, p.normal, p.gap, p.drift, p.mu, most, weight, move, p.stiff, p.grip)
        add_blocks(p.vertex, p.normal, *before, -1.0, self.diagonal, self.values)
        add_blocks(p.vertex, p.normal, p.stiff, p.grip, 1.0, self.diagonal, self.values)
        return bool((before[0] != p.stiff).any() or (before[1] != p.grip).any())

    def _drift(self, predicted: Array) -> Array:
        """What the sheet moves as a whole (3,) [m]: as its pins do; without pins, as its centre of mass does, which no inner
        force changes."""
        if self.pinned.any():
            return predicted[self.pinned].mean(axis=0)
        return self.mass @ predicted / self.mass.sum()

    def _solve(self, x0, predicted, drift, move, force, ahead, iterations, planes) -> Array:
        """Approximate solution of A more = b - A move, zero where not free, (n, 3) double."""
        dtype = self.values.dtype
        residual = force + (predicted - drift) / np.where(self.free, x0[:, 3], 1.0)[:, None]  # M / h^2 times the drift cancels
        if planes is not None:
            p = planes
            add_forces(p.vertex, p.normal, p.gap, p.drift, p.stiff, p.grip, drift, residual)
        work = np.empty((3, len(x0), 3), dtype)
        work[0] = move - drift
        if work[0].any():
            multiply(self.rows, self.columns, self.values, work[0], work[1])
            residual -= work[1]
        residual[~self.free] = 0.0
        more = np.zeros((len(x0), 3), dtype)
        work[0] = np.where(self.free[:, None], ahead, 0.0)
        system = (self.rows, self.columns, self.values, self.inverse, self.free, self.first, self.patch, self.share)
        coarse = np.empty(len(self.band))
        minimise(*system, self.factors, iterations, coarse, work, residual.astype(dtype), more)
        more = more.astype(float)
        if planes is None and not self.pinned.any():  # the exact step keeps momentum
            more[self.free] -= self.mass @ more / self.mass.sum()
        return more

    def _shorten(self, memory, x0, x_pred, start, more, planes, most) -> float:
        """The share of `more` that does not raise the potential."""
        base = x0[:, :3] + start
        most_allowed = self._potential(memory, x0, x_pred, base, planes, most) 
        most_allowed += ROUNDING * abs(most_allowed)
        step = 1.0
        for _ in range(HALVINGS):
            if self._potential(memory, x0, x_pred, base + step * more, planes, most) <= most_allowed:
                break
            step *= 0.5
        return step

    def _potential(self, memory, x0, x_pred, x, planes, most) -> float:
        total = potential(self.triangles, self.shapes, self.places, self.constants, memory, x_pred, self.free, x)
        if planes is not None:
            p = planes
            total += contact_potential(p.vertex, p.normal, p.gap, p.drift, most, p.grip, x0, x)
        return total


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
