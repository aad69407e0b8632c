"""Error of a substep: the distance of its result from the solution of its implicit equations [m], of each body.

The residual force g (`residual.py`) corresponds to a distance: H dx = -g, with the second derivative H of the substep's
potential at the result, in the positive form of each energy. That is one step of Newton's method, which is not applied: only
the largest |dx| of a body's vertices is reported. A residual says less: a force that is small beside others may correspond
to a large displacement of a stiff sheet.

For a sheet the matrix is that of the global step (`SheetSystem.correction`), solved with its factors and its coarse space.
So is that of a soft body in the last global step (`SolidSystem.remaining`): the few products of
the method below find less than a thirtieth of the error at a Poisson ratio of 0.4995.
Other bodies multiply with H element by element, as Newton's method does; assembled, their matrix would cost more than the
frame. There conjugate gradients are preconditioned by the inverse of the diagonal plus a correction in the coarse space of
aggregates, both of single numbers: a third of the trace of each 3x3 block of H at rest, which is invariant under rotation. A
few iterations resolve errors as long as the waves that a substep can carry; in a much stiffer body they find a third to a
tenth of the error.

Vertices with contact forces are clamped: energies do not contain contacts (`ResidualScale.relative`). Pinned, rigid,
embedded and sleeping vertices have no error.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from ..device.counters import counters
from ..device.cpu import LANES, kernel
from ..global_step.global_step import GlobalStep, sheet_systems
from ..global_step.membrane import rows_of
from ..global_step.sheet_part import SheetPart
from ..global_step.sheet_system import SheetSystem
from ..linalg.aggregates import AggregateBasis, aggregate_basis
from ..linalg.block_matrix import pattern
from ..linalg.coarse_space import CoarseSpace, subtract_correction
from ..linalg.conjugate_gradients import advance, dot, update_direction
from ..linalg.second_ring import second_ring_couplings
from ..methods.batch import add_diagonal_blocks, add_gradient, add_hessian_times, set_strains
from ..methods.newton_loops import add_inertia_times
from ..model.model import BodyPart, ElementBatch, Model
from ..model.state import State
from ..topology.edges import unique_edges

Array = np.ndarray

#: Conjugate gradient iterations on the matrix of a sheet.
SHEET_ITERATIONS = 8
#: Of the sweeps of a frame there are so many to one product with H, but at least LEAST products, and at most MOST.
SWEEPS_A_PRODUCT, LEAST, MOST = 12, 2, 30
#: Elements of energies that the matrix of a sheet contains only as diagonal blocks: they couple it to vertices outside.
OUTSIDE = ("vertex", "tie")
#: No errors are known.
NONE: Mapping[str, float] = MappingProxyType({})


def beside(model: Model, part: SheetPart) -> list[int] | None:
    """Return the batches that couple a system to vertices outside its matrix; None for a sheet with energies that the matrix
    lacks."""
    solved, batches = {number for number, _ in part.solved}, enumerate(model.batches)
    rows = part.part.start, part.part.stop
    others = [k for k, b in batches if k not in solved and ((b.index >= rows[0]) & (b.index < rows[1])).any()]
    outside = [k for k in others if model.batches[k].energy.ELEMENT in OUTSIDE]
    return None if part.part.kind.is_sheet and len(outside) < len(others) else outside


class ErrorEstimate:
    """Estimates the errors of one model; its data is made on first use. bodies: the elastic ones, by name."""

    def __init__(self, model: Model, global_step: GlobalStep | None):
        self._model, self._global_step = model, global_step
        self.bodies = elastic_bodies(model)
        self._is_made, self._changes = False, any(batch.changes for batch in model.batches)

    def _make(self) -> None:
        model, step = self._model, self._global_step
        systems = sheet_systems(model) if step is None else step.systems
        sheets = [system for system in systems if system.parts[0].part.kind.is_sheet]
        around = [(sheet, beside(model, sheet.parts[0])) for sheet in sheets]
        kinds: dict[tuple[int, ...], list[SheetSystem]] = {}
        for k, (sheet, numbers) in enumerate(around):
            if numbers is not None:
                alike = (-1, *numbers) if sheet.parts[0].stands_beside else (k, *numbers)
                kinds.setdefault(alike, []).append(sheet)
        self._sheets = [
            (of_kind[0] if len(of_kind) == 1 else SheetSystem(model, [sheet.parts[0] for sheet in of_kind]), list(numbers))
            for (_, *numbers), of_kind in kinds.items()
        ]
        known = [part for sheet, _ in self._sheets for part in sheet.bodies]
        self._others = [
            part for part in model.parts if _is_elastic(model, part) and not any(part is of_kind for of_kind in known)
        ]
        self._products = Products(model, self._others) if self._others else None
        self._is_made = True

    def errors(self, state: State, force: Array, pushed: Array, known: Mapping[str, float] = NONE) -> dict[str, float]:
        """Return the error of each elastic body [m], by name.

        force: residual force [N], (n + 4, 4), `residual.force_at` at x. pushed: vertices with contact forces, (n,) bool.
        known: errors found already.
        """
        errors = dict(known)
        if any(name not in known for name in self.bodies):
            errors |= {name: largest(move) for name, move in self._moves(state, force, pushed, known)}
        return {name: errors[name] for name in self.bodies if name in errors}

    def at_vertices(self, state: State, force: Array, pushed: Array) -> dict[str, Array]:
        """The same of each simulated vertex of each elastic body, (n,) [m]."""
        return {
            name: np.linalg.norm(move[:, :3].astype(float), axis=1)
            for name, move in self._moves(state, force, pushed, NONE)
            if name in self.bodies
        }

    def _moves(self, state: State, force: Array, pushed: Array, known: Mapping[str, float]) -> Iterator[tuple[str, Array]]:
        """Names of bodies whose errors are not known yet, and the motion that takes their force away [m], (n, 3 or more); it
        is overwritten with the next."""
        if not self._is_made or self._changes:
            self._make()
        n, done = self._model.n_vertices, set(known)
        held = pushed | (state.x[:n, 3] <= 0)
        remaining = -force[:n, :3]
        remaining[held] = 0
        for sheet, numbers in self._sheets:
            names = [part.body.name for part in sheet.bodies]
            if done.issuperset(names):
                continue
            move = np.zeros((len(sheet.order), 3))
            if remaining[sheet.order].any():
                if sheet.is_limited:
                    remaining[sheet.order] += self._of_hard_limits(state)[sheet.order]
                move = sheet.correction(state, remaining, held, self._own_blocks(state, numbers), SHEET_ITERATIONS)
            done.update(names)
            yield from ((name, move[rows]) for name, rows in zip(names, sheet.rows, strict=True))
        for system in [] if self._global_step is None else self._global_step.last_of_solids():
            names = [part.body.name for part in system.bodies]
            if not done.issuperset(names):
                move = system.remaining(remaining, self._model.settings.global_iterations)
                done.update(names)
                yield from ((name, move[rows]) for name, rows in zip(names, system.rows, strict=True))
        others = [part for part in self._others if part.body.name not in done]
        if self._products is not None and others:
            for part in self._others:
                if part.body.name in done:
                    remaining[part.start : part.stop] = 0
            move = self._products.solve(state, remaining, held)
            yield from ((part.body.name, move[part.start : part.stop]) for part in others)

    def _of_hard_limits(self, state: State) -> Array:
        """The gradient of limits that the step solves softer than they are [N], (n + 4, 3): it belongs to another matrix,
        with which a millimetre beyond counts as metres."""
        pull = np.zeros_like(state.x)
        for number, batch in enumerate(self._model.batches):
            if hasattr(batch.energy, "solved_constants"):
                add_gradient(batch, state.strains_at_start[number], state.x, pull)
        return pull[:, :3]

    def _own_blocks(self, state: State, batches: list[int]) -> Array | None:
        """Return the vertices' diagonal blocks of these batches' second derivatives [N/m], (n + 4, 6); None without any."""
        if not batches:
            return None
        blocks = np.zeros((len(state.x), 6), state.x.dtype)
        for number in batches:
            add_diagonal_blocks(self._model.batches[number], state.strains_at_start[number], state.x, blocks)
        return blocks


class Products:
    """The bodies whose H is multiplied with element by element."""

    def __init__(self, model: Model, parts: list[BodyPart]):
        self._model = model
        n, dtype = model.n_vertices, np.dtype(model.settings.dtype)
        sweeps = model.settings.substeps * model.settings.iterations
        self.iterations = min(max(sweeps // SWEEPS_A_PRODUCT, LEAST), MOST)
        mine = np.zeros(n + 4, bool)
        x = np.zeros((n + 4, 4), dtype)
        x[:n, :3] = model.x_start
        for part in parts:
            mine[part.start : part.stop] = True
            rest = part.body.vertices if part.body.rest_vertices is None else part.body.rest_vertices
            x[part.start : part.stop, :3] = rest - model.origin
        self._batches = [k for k, batch in enumerate(model.batches) if mine[batch.index].any()]
        free = mine[:n] & ~model.fixed
        inertia = 0.0 if model.settings.quasi_static else 1.0
        diagonal = np.where(free, inertia * model.mass / model.h**2, 0.0)
        of_batches = [_trace_blocks(model.batches[k], x) for k in self._batches]
        pairs, weights = [], []
        for elements, blocks in of_batches:
            real = (elements < n) & mine[elements]
            for a, b in itertools.product(range(elements.shape[1]), repeat=2):
                both = real[:, a] & real[:, b]
                if a == b:
                    diagonal += np.bincount(elements[both, a], blocks[both, a, b], n)
                elif a > b:
                    pairs.append(elements[both][:, [a, b]])
                    weights.append(blocks[both, a, b])
        diagonal = np.where(free, diagonal, 0.0)
        # A vertex that nothing holds stays in a quasi-static solve.
        self._inverse = np.where(diagonal > 0, 1.0 / np.where(diagonal > 0, diagonal, 1.0), 0.0).astype(dtype)
        joined, weight = np.concatenate(pairs or [np.zeros((0, 2), int)]), np.concatenate(weights or [np.zeros(0)])
        edges = unique_edges(joined)
        matrix = pattern(n, edges)
        values = np.zeros((len(matrix.columns), 9), dtype)
        for row, column in (joined.T, joined.T[::-1]):
            total = np.bincount(matrix.places(row, column), weight, len(values))
            values[:, [0, 4, 8]] += np.where(np.repeat(free, np.diff(matrix.rows)), total, 0.0)[:, None]
        values[matrix.diagonal[:, None], [0, 4, 8]] += diagonal[:, None]
        rows = np.flatnonzero(mine[:n])
        rank = np.zeros(n, np.int64)
        rank[rows] = np.arange(len(rows))
        few = aggregate_basis(x[rows, :3].astype(float), rank[edges])
        count = np.zeros(n, np.int64)
        count[rows] = np.diff(few.first)
        first = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
        basis = AggregateBasis(first, few.aggregate, few.share, few.count)
        self._coarse = CoarseSpace(basis, matrix, second_ring_couplings(n, [], dtype), free, dtype)
        self._coarse.factorise(values, False)
        self._work = np.zeros((5, n + 4, 4), dtype)

    def solve(self, state: State, left: Array, held: Array) -> Array:
        """The motion that takes the force away [m], (n, 4). left: [N], (n, 3). held: (n,) bool."""
        n = len(left)
        move, residual, z, direction, product = self._work
        self._work.fill(0)
        residual[:n, :3] = left
        x = state.x.copy()
        x[:n, 3] = np.where(held, 0.0, x[:n, 3])
        number, old = x.dtype.type, 0.0
        counters.linear_systems += 1
        for iteration in range(self.iterations):
            z.fill(0)
            subtract_correction(self._coarse.arrays, residual[:n], z[:n])
            new = add_scaled(self._inverse, held, residual, z)
            if not new > 0:
                break
            update_direction(number(new / old if iteration else 0.0), z, direction)
            old = new
            counters.cg_iterations += 1
            counters.matrix_products += 1
            product.fill(0)
            for k in self._batches:
                add_hessian_times(self._model.batches[k], state.strains_at_start[k], x, direction, 0, product)
            add_inertia_times(x, direction, number(state.inertia), product)
            curvature = dot(direction, product)
            if not curvature > 0:
                break
            advance(number(new / curvature), direction, product, move, residual)
        return move[:n]


@kernel
def add_scaled(inverse, held, residual, z):
    """z = inverse residual - z, 0 at vertices that are held; returns the sum of z residual. residual, z: (n, 3 or more)."""
    total = 0.0
    for v in range(len(held)):
        for i in range(3):
            z[v, i] = 0 if held[v] else inverse[v] * residual[v, i] - z[v, i]
            total += float(z[v, i]) * float(residual[v, i])
    return total


@kernel
def largest(move):
    """Length of the longest of (n, 3 or more), three columns; not finite if one is not."""
    most = 0.0
    for v in range(len(move)):
        square = 0.0
        for i in range(3):
            square += float(move[v, i]) ** 2
        if not square <= most:
            most = square
            if most != most:  # no number is larger
                break
    return math.sqrt(most)


def _trace_blocks(batch: ElementBatch, x: Array) -> tuple[Array, Array]:
    """Return the corners of the batch's elements, (k, corners), and a third of the trace of each 3x3 block of their positive
    second derivatives at x [N/m], (k, corners, corners). x: (n + 4, 4) [m].

    Each element gets corners of its own, so that all of them take one direction at once.
    """
    corners = batch.energy.CORNERS
    apart = replace(batch, index=np.arange(batch.index.size, dtype=np.int32).reshape(batch.index.shape))
    positions = x[batch.index.ravel()]
    strains = np.zeros((batch.packs, batch.energy.START_STRAINS * LANES), x.dtype)
    if batch.damped:
        set_strains(apart, strains, positions)
    lanes = np.arange(batch.index.size).reshape(batch.packs, corners, LANES)
    blocks = np.zeros((batch.packs * LANES, corners, corners))
    for b, i in itertools.product(range(corners), range(3)):
        direction, out = np.zeros_like(positions), np.zeros_like(positions)
        direction[lanes[:, b], i] = 1
        add_hessian_times(apart, strains, positions, direction, 0, out)
        blocks[:, :, b] += rows_of(out[:, i].reshape(batch.packs, corners * LANES), corners) / 3.0
    real = batch.element >= 0
    return rows_of(batch.index, corners)[real], blocks[real]


def elastic_bodies(model: Model) -> list[str]:
    """Names of the bodies that energies act within."""
    return [part.body.name for part in model.parts if _is_elastic(model, part)]


def _is_elastic(model: Model, part: BodyPart) -> bool:
    """Return whether energies act within the body: a rigid one has none."""
    inside = [(batch.index >= part.start) & (batch.index < part.stop) for batch in model.batches]
    return any(is_inside.any() for is_inside in inside)
