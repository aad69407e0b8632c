"""One body's linear system in the global stage, and its step."""

from __future__ import annotations

import numpy as np

from ..contact.threads import run
from ..mathlib.banded import factor
from ..model import BodyPart, Model
from ..state import State
from ..topology.edges import unique_edges
from ..topology.patch_basis import patch_basis
from .block_matrix import close_rows, multiply, pattern
from .conjugate_gradients import gather_patches, minimise
from .contact_planes import ContactPlanes
from .incomplete_cholesky import factor_pattern, factorise

Array = np.ndarray

#: A step that raises the potential is halved up to this many times.
HALVINGS = 5
#: Share of the potential that counts as rounding.
ROUNDING = 1e-9
#: Factors are made anew, with more care, while a pivot is below this share of its diagonal number.
CAREFUL, SMALLEST_PIVOT = (0.0, 0.1, 0.3, 1.0), 2e-5
#: Where a step must be shortened, or anything touches, the system is made anew at its end, up to this many in all.
PASSES = 4


class Sheet:
    """The system of one body; its rows are the body's vertices along the body's longest side.

    order: vertex of each row in the model. rank: row of each of the body's vertices. systems: (block's number, its part in
    the system). free: (n,) bool, not fixed and part of an element. pinned: (n,) bool. mass: kg, 0 where not free.
    """

    def __init__(self, model: Model, part: BodyPart, elements: list[tuple], dtype: np.dtype):
        """elements: (block's number, class of the system, block, its material, vertices (k, corners), places (k,))."""
        n = part.stop - part.start
        rest = part.body.vertices if part.body.rest_vertices is None else part.body.rest_vertices
        joined = np.concatenate([_pairs(vertices - part.start) for *_, vertices, _ in elements])
        order = _along(rest, unique_edges(joined))
        self.part, self.order, self.rank = part, order + part.start, np.empty(n, np.int64)
        self.rank[order] = np.arange(n)
        self.systems = [
            (number, kind(block, own, self.rank[vertices - part.start].astype(np.int32), places, dtype))
            for number, kind, block, own, vertices, places in elements
        ]
        edges = unique_edges(np.concatenate([system.edges() for _, system in self.systems]))
        self.pattern = pattern(n, edges)
        self.factor_pattern = factor_pattern(self.pattern)
        for _, system in self.systems:
            system.fit(self.pattern, self.factor_pattern.place)
        self.pinned = model.fixed[self.order]
        self.free = ~self.pinned & (np.diff(self.pattern.rows) > 1)
        self.mass = np.where(self.free, model.mass[self.order], 0.0)
        self.basis = patch_basis(rest[order], edges)
        self.values = np.zeros((len(self.pattern.columns), 9), dtype)
        self.lower = np.zeros((len(self.factor_pattern.columns), 9), dtype)
        self.inverse = np.zeros((n, 6), dtype)
        self.band = np.zeros((3 * self.basis.count, 3 * self.basis.reach + 3))
        self.coarse_is_old = True

    def step(self, state: State, iterations: int, planes: ContactPlanes | None) -> None:
        """Moves x, the prediction and what warm starts add, to the step's end; elements and contacts take over forces."""
        x0 = state.x0[self.order]
        predicted = state.x[self.order, :3].astype(float) - x0[:, :3]
        inertia = np.where(self.free, 1.0 / np.where(self.free, x0[:, 3], 1.0).astype(float), 0.0)
        drift = self._drift(predicted)
        at = np.zeros_like(predicted)  # the motion that the system is linearised at
        move = np.where(self.free[:, None], drift, predicted)
        for attempt in range(PASSES):
            force = self._assemble(x0, at, inertia, anew=attempt == 0)
            if planes is not None:
                estimate = (move, None) if attempt else (predicted, inertia)
                planes.touch(*estimate, self.pattern.diagonal, self.values)
            self._factorise(planes is not None)
            # No inner force minds the drift, so the first system need not multiply with it.
            residual = self._residual(inertia, force, predicted, move, move - at - (0.0 if attempt else drift), planes)
            more = self._solve(residual, np.zeros_like(move) if attempt else predicted - move, iterations)
            if planes is None and not self.pinned.any():  # the exact step keeps momentum
                more[self.free] -= self.mass @ more / self.mass.sum()
            share = self._share(state, x0, predicted, inertia, move, more, planes)
            move += share * more
            if share == 1.0 and (attempt or planes is None):
                break
            if attempt < PASSES - 1:
                at = move.copy()
        for number, system in self.systems:
            system.hand_over((move - at).astype(self.values.dtype), state.displacements[number])
        if planes is not None:
            planes.hand_over(move)
        state.x[self.order[self.free], :3] += (move - predicted)[self.free].astype(state.x.dtype)

    def _assemble(self, x0: Array, at: Array, inertia: Array, anew: bool) -> Array:
        """Fills the matrix at x0 + at; returns minus the gradient there [N], (n, 3). anew: damping starts there."""
        force = np.zeros((len(x0), 3))
        x = x0 if anew else np.concatenate([(x0[:, :3] + at).astype(x0.dtype), x0[:, 3:]], 1)
        self.values[:] = 0
        for _, system in self.systems:
            system.assemble(x, anew, self.values, force)
        p = self.pattern
        run(close_rows, len(x0), p.rows, p.columns, p.diagonal, self.free, inertia.astype(self.values.dtype), self.values)
        return force

    def _factorise(self, anew: bool) -> None:
        """The incomplete factors, and once a frame those of the patches, which only precondition; with contacts anew."""
        f, p, b = self.factor_pattern, self.pattern, self.basis
        pairs = (f.rows, f.columns, f.place, f.first, f.left, f.right, f.keep)
        for careful in CAREFUL:
            arrays = (p.diagonal, self.free, self.values, self.lower, self.inverse)
            if factorise(*pairs, careful, *arrays) > SMALLEST_PIVOT:
                break
        if self.coarse_is_old or anew:
            patches = (b.first, b.patch, b.share)
            gather_patches(p.rows, p.columns, p.diagonal, self.values, self.free, *patches, self.band)
            factor(self.band)
        self.coarse_is_old = anew

    def _drift(self, predicted: Array) -> Array:
        """What the sheet moves as a whole (3,) [m]: as its pins do; without pins, as its centre of mass does, which no inner
        force changes."""
        if self.pinned.any():
            return predicted[self.pinned].mean(axis=0)
        return self.mass @ predicted / self.mass.sum()

    def _residual(self, inertia: Array, force: Array, predicted: Array, move: Array, apart: Array, planes) -> Array:
        """b - A move [N], zero where not free. apart: what move has beyond the motion that the force is of, (n, 3) [m]."""
        residual = force + (predicted - move + apart) * inertia[:, None]
        if planes is not None:
            planes.add_forces(move - apart, residual)
        if apart.any():
            product = np.empty(apart.shape, self.values.dtype)
            p = self.pattern
            run(multiply, len(apart), p.rows, p.columns, self.values, apart.astype(product.dtype), product)
            residual -= product
        residual[~self.free] = 0.0
        return residual

    def _solve(self, residual: Array, ahead: Array, iterations: int) -> Array:
        """Approximate solution of A more = residual, zero where not free, (n, 3) double. ahead: its first direction."""
        dtype, f, b = self.values.dtype, self.factor_pattern, self.basis
        work = np.empty((3, *residual.shape), dtype)
        work[0] = np.where(self.free[:, None], ahead, 0.0)
        more = np.zeros(residual.shape, dtype)
        matrix = (self.pattern.rows, self.pattern.columns, self.values)
        factors = (f.rows, f.columns, self.lower, self.inverse)
        patches = (b.first, b.patch, b.share)
        coarse = np.empty(len(self.band))
        minimise(matrix, factors, patches, self.free, self.band, iterations, coarse, work, residual.astype(dtype), more)
        return more.astype(float)

    def _share(self, state: State, x0: Array, predicted: Array, inertia: Array, move: Array, more: Array, planes) -> float:
        """The share of `more` that does not raise the potential."""

        def potential(move: Array) -> float:
            x = x0[:, :3] + move
            total = 0.5 * float(inertia @ ((move - predicted) ** 2).sum(1))
            total += sum(system.potential(state.memories[number], x) for number, system in self.systems)
            return total if planes is None else total + planes.potential(move)

        most = potential(move)
        most += ROUNDING * abs(most)
        share = 1.0
        for _ in range(HALVINGS):
            if potential(move + share * more) <= most:
                break
            share *= 0.5
        return share


def _pairs(elements: Array) -> Array:
    """Every pair of corners, (k, 2)."""
    corners = elements.shape[1]
    return np.concatenate([elements[:, [a, b]] for a in range(corners) for b in range(a)])


def _along(points: Array, edges: Array) -> Array:
    """The vertices row by row along the longest side: neighbours in the order are neighbours in the mesh, as incomplete
    factors want it."""
    size = np.ptp(points, axis=0)
    first, second, third = np.argsort(-size, kind="stable")
    step = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1).mean() if len(edges) else 1.0
    row = np.floor((points[:, first] - points[:, first].min()) / max(step, 1e-30) + 0.5)
    return np.lexsort((points[:, third], points[:, second], row))
