"""One body's linear system in the global stage, and its step."""

from __future__ import annotations

import numpy as np

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
#: With contacts the system is solved so often, each time with the contacts that push after the last.
PASSES = 2


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

    def step(self, state: State, iterations: int, contact, planes: ContactPlanes | None) -> None:
        """Moves x from the prediction to the step's end; elements and contacts take over their forces."""
        x0, x_pred = state.x0[self.order], state.x_pred[self.order]
        predicted = x_pred[:, :3].astype(float) - x0[:, :3]
        inertia = np.where(self.free, 1.0 / np.where(self.free, x0[:, 3], 1.0).astype(float), 0.0)
        force = self._assemble(x0, inertia)
        drift = self._drift(predicted)
        move = np.where(self.free[:, None], drift, predicted)
        if planes is not None:
            own = self.values[self.pattern.diagonal]
            planes.set_most(own[:, 0] + own[:, 4] + own[:, 8])
            planes.touch(predicted, inertia, self.pattern.diagonal, self.values)
        for attempt in range(1 if planes is None else PASSES):
            if planes is not None and attempt:
                planes.touch(move, planes.most, self.pattern.diagonal, self.values)
            self._factorise(planes is not None)
            residual = self._residual(inertia, force, predicted, drift, move, planes)
            ahead = np.zeros_like(move) if attempt else predicted - move
            more = self._solve(residual, ahead, iterations)
            if planes is None and not self.pinned.any():  # the exact step keeps momentum
                more[self.free] -= self.mass @ more / self.mass.sum()
            move += self._share(state, x0, predicted, inertia, move, more, planes) * more
        for number, system in self.systems:
            system.hand_over(x0, move.astype(self.values.dtype), state.displacements[number])
        if planes is not None:
            planes.hand_over(contact, x0, move)
        state.x[self.order[self.free], :3] += (move - predicted)[self.free].astype(state.x.dtype)

    def _assemble(self, x0: Array, inertia: Array) -> Array:
        """Fills the matrix; returns minus the gradient at the substep's start [N], (n, 3)."""
        force = np.zeros((len(x0), 3))
        self.values[:] = 0
        for _, system in self.systems:
            system.assemble(x0, self.values, force)
        p = self.pattern
        close_rows(0, len(x0), p.rows, p.columns, p.diagonal, self.free, inertia.astype(self.values.dtype), self.values)
        return force

    def _factorise(self, anew: bool) -> None:
        """The incomplete factors, and once a frame those of the patches, which only precondition; with contacts anew."""
        f, p, b = self.factor_pattern, self.pattern, self.basis
        pairs = (f.rows, f.columns, f.place, f.first, f.left, f.right)
        factorise(*pairs, p.diagonal, self.free, self.values, self.lower, self.inverse)
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

    def _residual(self, inertia: Array, force: Array, predicted: Array, drift: Array, move: Array, planes) -> Array:
        """b - A move [N], zero where not free. Of the drift only contacts know: M / h^2 times the drift cancels."""
        residual = force + (predicted - drift) * inertia[:, None]
        if planes is not None:
            planes.add_forces(drift, residual)
        apart = (move - drift).astype(self.values.dtype)
        if apart.any():
            product = np.empty_like(apart)
            multiply(0, len(apart), self.pattern.rows, self.pattern.columns, self.values, apart, product)
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
