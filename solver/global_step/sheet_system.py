"""The linear system of sheets in the global step, and their step: one sheet, or several that touch each other."""

from __future__ import annotations

from itertools import accumulate, groupby

import numpy as np

from ..device.threads import run
from ..linalg.conjugate_gradients import deflated_conjugate_gradients
from ..linalg.contact_couplings import no_contact_couplings
from ..linalg.eliminated import no_eliminated
from ..linalg.side_by_side import coarse_spaces, copy_factors, patterns, second_rings, strips
from ..model.model import Model
from ..model.state import State
from ..steering import ITERATIONS, LATER_LEFT, RINGS, SLIGHT, STAYS, SYSTEMS, SYSTEMS_OF_LINES
from .body_springs import BodySprings
from .contact_springs import ContactSprings
from .groups import TINY, Groups
from .sheet_kernels import shift_rows, smooth, sum_diagonals, take_forces, turn_rows, weigh_arms
from .sheet_part import SheetPart

Array = np.ndarray


class SheetSystem:
    """The system of some sheets, one after the other in its rows.

    parts: the sheets, small ones that stand beside each other as one part; bodies, rows: what each sheet is in the model,
    and its slice of the rows. groups: which of them contacts join. lines: vertices of ropes in the model, (l,). order:
    vertex of each row in the model; rank: row of each vertex of the model, -1 for none. pattern, free, pinned, mass: see
    `SheetPart`. is_limited: whether any sheet is.
    """

    share_of_target = share_alone = 1.0  # of the error that ends a step, and of one in which nothing touches anything
    systems_alone = SYSTEMS  # at most, for each iteration of the setting, of a step in which nothing touches anything
    is_solid = False

    def __init__(self, model: Model, parts: list[SheetPart]):
        dtype, self.h = np.dtype(model.settings.dtype), model.h
        sizes = [len(part.order) for part in parts]
        self.bodies = [part.part for part in parts]
        self.rows, self.groups = _one_after_the_other(sizes), Groups(np.array(sizes))
        self.parts = parts = _side_by_side(parts)
        self._of_parts = _one_after_the_other([len(part.order) for part in parts])
        self._bodies = _one_after_the_other([len(part.sizes) for part in parts])
        self._blocks = _one_after_the_other([len(part.pattern.columns) for part in parts])
        self.order, self.free, self.pinned, self.mass = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("order", "free", "pinned", "mass")
        )
        self.rank = np.full(model.n_vertices, -1)
        self.rank[self.order] = np.arange(len(self.order))
        self.pattern = patterns([part.pattern for part in parts])
        self.is_limited = any(part.is_limited for part in parts)
        self.lines = np.concatenate([part.order for part in parts if part.is_line] or [np.zeros(0, int)])
        self._answered = np.zeros((len(self.lines), 3), dtype)
        if len(self.lines):
            # An error along a rope is a force of its stiffness. With 0.02 one of 20 MPa around a post trembled, and friction
            # held it two thirds too strongly; without contacts nothing turns the error into friction.
            self.share_of_target, self.share_alone = SLIGHT**3, SLIGHT
            if all(part.is_exact for part in parts):
                self.systems_alone = SYSTEMS_OF_LINES
        self.values = np.zeros((len(self.pattern.columns), 9), dtype)
        self._factors = np.zeros((len(self.pattern.columns), 9), dtype)
        self._inverse = np.zeros((len(self.order), 6), dtype)
        self._strips = strips([part.strips for part in parts], [len(part.order) for part in parts])
        self._second_ring = second_rings([part.second_ring for part in parts])
        self._coarse_space = coarse_spaces([part.coarse_space for part in parts])
        self._none_eliminated = no_eliminated(len(self.order), dtype)
        self._no_couplings = no_contact_couplings(dtype)
        self._eliminated, self.couplings = self._none_eliminated, self._no_couplings
        self.is_held = np.zeros(len(sizes), bool)  # groups, by pins, colliders or rigid bodies, in the last step
        self.is_at_start = False  # whether the matrix is that of the last step's end, with nothing but the sheets in it

    def with_remainders(self, state: State, x0: Array) -> Array:
        """Start of a step, (n, 4), that leads to the prediction with its remainder, in double, if any sheet is a rope: the
        forces and the damping of stiff segments have the digits of motions, not of positions."""
        if not len(self.lines):
            return x0
        start = x0.astype(float)
        start[:, :3] += state.remainder[self.order]
        return start

    def begin(self, state: State, x0: Array, bodies: bool) -> None:
        """Prepare a step. x0: where it starts, (n, 4). bodies: whether rigid bodies push the sheets."""
        for part, rows in zip(self.parts, self._of_parts, strict=True):
            part.begin(state, x0[rows], bodies)

    def stiffen(self, contacts: ContactSprings, bodies: BodySprings | None) -> None:
        """Choose how stiff contacts are. bodies: springs of the rigid bodies that push the sheets; None for none."""
        if bodies is not None:
            contacts.carry_bodies(bodies.pushed_rows())

    def elastic_response(self, state: State, force: Array, iterations: int, error: float) -> None:
        """Move the sheets as forces that have moved their vertices since the step, each by itself, move them as a whole.

        force: of all vertices, (n, 3) [N]. They have moved vertices by h^2 / M f; with the stiffness K that is to be
        (M / h^2 + K)^-1 f. Where sheets have moved by less than SLIGHT of the step's error [m], in the root mean square,
        that is next to nothing, and only their momentum stays; soft bodies turn too. Vertices of ropes are so light against
        their segments that all that has moved them since counts, by colliders too, in place of the force.
        """
        if len(self.lines):
            error, force = error * self.share_of_target, force.copy()
            moved_since = state.correction[self.lines, :3] - self._answered
            weights = state.x[self.lines, 3:].astype(float)
            force[self.lines] = np.where(weights > 0, moved_since / np.where(weights > 0, weights, 1.0), 0.0)
        force_of_rows, apart, residual = (np.empty((len(self.order), 3), kind) for kind in (float, float, self.values.dtype))
        if not take_forces(self.order, self.free, state.x, force, force_of_rows, apart, residual):
            return
        least = (SLIGHT * error) ** 2 * self.groups.sizes
        if self.is_solid or (self.groups.dots_of_bodies(apart, apart) > least).any():
            moved = self.solve(residual, None, iterations)
        else:
            moved = np.zeros_like(apart)
        self._keep_momentum(moved, apart, self.momentum_weights(state))
        state.move(self.order, moved - apart, self.free)
        self.count_as_answered(state)

    def count_as_answered(self, state: State) -> None:
        """Ropes have taken up what moves them until now as a whole: responses count from here on."""
        if len(self.lines):
            self._answered = state.correction[self.lines, :3].copy()

    def _keep_momentum(self, moved: Array, wanted: Array, weights: Array) -> None:
        """Move each group that nothing holds so that it has the momentum of a motion wanted, (n, 3) [m]. weights: see
        `momentum_weights`. Written: moved."""
        free = self.free & self.groups.at_rows(~self.is_held)
        if free.any():
            mean = self.groups.means_of_rows(weights, wanted - moved)
            run(shift_rows, len(moved), self.groups.of_row, free, mean, moved)

    def response(self, state: State, force: Array, iterations: int) -> tuple[Array, Array]:
        """The vertices that move, (k,), and how the sheets move as a whole under forces of all vertices, (n + 4, 3) [N],
        with the last step's matrix, (k, 3) [m]."""
        rows = self.order[self.free]
        force_of_rows = np.where(self.free[:, None], force[self.order], 0.0)
        displacement = self.solve(force_of_rows.astype(self.values.dtype), None, ITERATIONS * iterations, LATER_LEFT)
        weights = self.momentum_weights(state)
        self._keep_momentum(displacement, force_of_rows / np.maximum(weights, TINY)[:, None], weights)
        return rows, displacement[self.free]

    def correction(self, state: State, left: Array, held: Array, own_blocks: Array | None, iterations: int) -> Array:
        """The motion that takes away the force left at x, in the linear model there, (n, 3) [m], in the order of rows.

        left: force of all vertices [N], (n, 3), without that of limits which the step solves softer. held: vertices that
        stay, (n,) bool. own_blocks: what holds vertices beside this system [N/m], (n, 6): 00, 01, 02, 11, 12, 22.
        """
        stays, residual = held[self.order] & self.free, left[self.order].astype(float)
        is_of_step = self.is_at_start and not self.is_limited  # the matrix, and the force that belongs to it
        if not is_of_step or own_blocks is not None or stays.any():
            x0, inertia = state.x0[self.order], state.inertia * self.inertia(state.x[self.order])
            at = state.x[self.order, :3].astype(float) - x0[:, :3]
            for part, rows in zip(self.parts, self._of_parts, strict=True):
                part.start(state, x0[rows])
            self.evaluate(state, x0[:, :3] + at)
            self.linearise(state, x0, at)
            self.assemble(inertia)
            for part, rows in zip(self.parts, self._of_parts, strict=True):
                part.add_limits(residual[rows])
            residual[~self.free | stays] = 0
            diagonal = self.values[self.pattern.diagonal]
            if own_blocks is not None:
                diagonal += np.where(self.free[:, None], own_blocks[self.order][:, [0, 1, 2, 1, 3, 4, 2, 4, 5]], 0)
            diagonal[np.ix_(stays, [0, 4, 8])] *= STAYS
            self.values[self.pattern.diagonal] = diagonal
            self.factorise()
            self.is_at_start = False
        return self.solve(residual.astype(self.values.dtype), None, iterations)

    def inertia(self, x0: Array) -> Array:
        """M / h^2 [N/m], zero where not free, (n,)."""
        inertia = np.zeros(len(x0))
        np.divide(1.0, x0[:, 3], out=inertia, where=self.free)
        return inertia

    def evaluate(self, state: State, x: Array) -> Array:
        """The potential of stretch and bending of each group at x, (n, 3) double [J], (groups,)."""
        parts = zip(self.parts, self._of_parts, strict=True)
        return self.groups.sums(np.concatenate([part.potential(state, x[rows]) for part, rows in parts]))

    def linearise(self, state: State, x0: Array, move: Array) -> Array:
        """Minus the gradient at x0 + move [N], (n, 3), where the potential was evaluated last; the matrix is of there."""
        force = np.zeros((len(x0), 3))
        for part, rows in zip(self.parts, self._of_parts, strict=True):
            part.linearise(state, x0[rows], move[rows], force[rows])
        return force

    def store_displacements(self, state: State, swept: frozenset[int], x0: Array, move: Array) -> None:
        """Set the displacements of the elements of batches that are swept after a step that ends where the sheets were
        linearised last."""
        for part, rows in zip(self.parts, self._of_parts, strict=True):
            part.store_displacements(state, swept, np.zeros_like(move[rows]), x0[rows, :3] + move[rows])

    def own_traces(self) -> Array:
        """Traces of the vertices' own blocks [N/m], (n,)."""
        traces = np.empty(len(self.pattern.diagonal))
        sum_diagonals(self.pattern.diagonal, self.values, traces)
        return traces

    def with_springs(self, inertia: Array, predicted: Array, spring: Array) -> tuple[Array, Array]:
        """Inertia [N/m], (n,), and prediction [m], (n, 3), with springs, (n,) [N/m], that hold vertices to the motion of the
        sheet around them: two squares make one."""
        around, p = predicted.copy(), self.pattern
        for _ in range(RINGS):
            mean = np.empty_like(around)
            smooth(p.rows, p.columns, around, mean)
            around = mean
        total = inertia + spring
        share = np.where(spring > 0, spring / np.where(total > 0, total, 1.0), 0.0)[:, None]
        return total, predicted + share * (around - predicted)

    def assemble(self, inertia: Array, exact: Array | None = None) -> None:
        """Fill the matrix where the sheets have been linearised last. exact: without effect, it is positive."""
        self._eliminated, self.couplings = self._none_eliminated, self._no_couplings
        for part, rows, blocks in zip(self.parts, self._of_parts, self._blocks, strict=True):
            part.assemble(inertia[rows], self.values[blocks])

    def forget_bodies(self) -> None:
        """Take rigid bodies out of the matrix."""
        self._eliminated = self._none_eliminated

    def factorise(self) -> None:
        """The incomplete factors, and those of the coarse matrix."""
        for part, rows, blocks in zip(self.parts, self._of_parts, self._blocks, strict=True):
            part.factorise(self.values[blocks], self._factors[blocks], self._inverse[rows])
        copy_factors([part.coarse_space for part in self.parts], self._coarse_space)

    def take_out_torque(self, x0: Array, predicted: Array, move: Array) -> None:
        """Turn each free sheet so far that what moved it from the prediction has no torque about its centre of mass:
        the exact step keeps angular momentum, and one that is linearised gave a sheet that spins a quarter more in 8 s.
        Not where it is touched: contacts of moving surfaces are not in the step, and stiff sheets that support each other
        fall. Written: move.
        """
        groups, free = self.groups, self.free & self.groups.at_rows(~self.is_held)
        x = x0 + move
        centre = groups.means_of_bodies(self.mass, x)
        sums = groups.added_up(weigh_arms, 9, groups.body_of_segment, self.mass, x, centre, predicted, move)
        squares = sums[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
        inertia = np.trace(squares, axis1=1, axis2=2)[:, None, None] * np.eye(3) - squares
        turn = np.einsum("bij,bj->bi", np.linalg.pinv(inertia, hermitian=True), sums[:, 6:])
        run(turn_rows, len(move), groups.body_of_row, free, turn, x, centre, move)

    def momentum_weights(self, state: State, inertia: Array | None = None) -> Array:
        """Return the weight of each vertex's motion in the sum that inner forces do not change, (n,): M / h^2 with the step
        of its order of integration; of backward Euler alone h is the same, and its rounding need not come in. inertia: at
        the step's start, where it is known."""
        if not state.history[self.order].any():
            return self.mass
        return self.inertia(state.x0[self.order]) if inertia is None else inertia

    def rigid_motion(self, predicted: Array, of_momentum: Array, inertia: Array, warm_start: Array) -> Array:
        """Translation of each sheet as a whole [m], at its rows, (n, 3): that of its pins; without pins the mean of the
        prediction, which no inner force changes. of_momentum: (n,). warm_start: by contacts [N], (sheets, 3)."""
        groups = self.groups
        pins = groups.sums_of_bodies(self.pinned.astype(float))[:, None]
        of_pins = groups.sums_of_bodies(np.where(self.pinned[:, None], predicted, 0.0)) / np.maximum(pins, 1.0)
        weight, pushed = (np.maximum(groups.sums_of_bodies(w), TINY)[:, None] for w in (of_momentum, inertia))
        mean = groups.sums_of_bodies(of_momentum[:, None] * predicted) / weight + warm_start / pushed
        return np.repeat(np.where(pins > 0, of_pins, mean), groups.sizes, axis=0)

    def solve(
        self,
        residual: Array,
        ahead: Array | None,
        iterations: int | Array,
        least: float | Array = 0.0,
        slight: float | Array = 0.0,
    ) -> Array:
        """Approximate solution of A more = residual, zero where not free, (n, 3) double. ahead: its first direction.
        iterations, least, slight: of each group, see `deflated_conjugate_gradients`. Written: residual, (n, 3), of the
        solution."""
        dtype, p = self.values.dtype, self.pattern
        others = self._second_ring, self.free, self._eliminated.arrays, self.couplings
        matrix = p.rows, p.columns, p.diagonal, self.values, *others
        count = self.groups.count
        ends = np.full(count, iterations, np.int64), np.full(count, least, float), np.full(count, slight, float)
        work = np.empty((3, *residual.shape), dtype)
        if ahead is not None:
            work[0] = np.where(self.free[:, None], ahead, 0.0)
        more = np.zeros(residual.shape, dtype)
        factors = self._factors, self._inverse, self._strips
        deflated_conjugate_gradients(
            matrix, factors, self._coarse_space, ahead is not None, self.groups.segments, *ends, work, residual, more
        )
        return more.astype(float)

    def eliminate(self, bodies: BodySprings) -> None:
        """Take rigid bodies out of the unknowns, and deflates how the sheet follows those that move it."""
        self._eliminated = bodies.eliminated(self.values.dtype)
        self._eliminated.deflate(self.pattern, self.values, self._second_ring, self.free, SLIGHT)


def _side_by_side(parts: list[SheetPart]) -> list[SheetPart]:
    """Join those that stand beside each other, one after the other, as one part."""
    merged: list[SheetPart] = []
    for stands, some in groupby(parts, lambda part: part.stands_beside):
        group = list(some)
        merged += [type(group[0]).side_by_side(group)] if stands and len(group) > 1 else group
    return merged


def _one_after_the_other(sizes: list[int]) -> list[slice]:
    return [slice(last - size, last) for size, last in zip(sizes, accumulate(sizes), strict=True)]
