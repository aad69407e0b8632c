"""One body's linear system in the global step, and its step."""

from __future__ import annotations

import numpy as np

from ..device.threads import beside, run
from ..linalg.aggregates import aggregate_basis
from ..linalg.block_matrix import close_rows, multiply, pattern
from ..linalg.coarse_space import CoarseSpace
from ..linalg.conjugate_gradients import deflated_conjugate_gradients, dot
from ..linalg.eliminated import Eliminated, subtract_eliminated
from ..linalg.incomplete_cholesky import factor_pattern, factorise
from ..linalg.second_ring import add_second_ring, second_ring_couplings
from ..model.model import BodyPart, Model
from ..model.state import State
from ..topology.edges import unique_edges
from .bending import BendingSystem
from .body_springs import BodySprings
from .contact_springs import ContactSprings
from .limits import LimitSystem
from .row_order import along_longest_side, pairs_of_corners
from .sheet_kernels import add_to_diagonal, go, leave_residual, smooth

Array = np.ndarray

#: A step that raises the potential is halved up to this many times.
HALVINGS = 5
#: [N/m] Against division by zero.
TINY_INERTIA = 1e-30
#: Share of the potential that counts as rounding.
ROUNDING = 1e-9
#: Factors are made anew, with more care, while a pivot is below this share of its diagonal number.
CAREFUL, SMALLEST_PIVOT = (0.1, 0.3, 1.0), 2e-5
#: Systems of a step: the first at its start, each other at the last one's solution. More than two where a step is shortened,
#: or while more than a share of the squared force at its start is left before the last one. With 1 folds were drawn out by a
#: third; with 0.25 a sheet that falls taut lost three times what the exact step loses, and 0.02 costs a tenth more time.
PASSES, SETTLED = 6, 0.02
#: With limits a sheet is settled where a system lowers the potential by less than this share of what all have, or of what
#: inertia has at the start: the force that is left says nothing of what is yet to meet its limit. Its first step is taken
#: whole, and with all iterations, of a matrix of its own: what it stretches too far shows the next system which limits hold.
#: Shortened, or of an older matrix, that cost a sheet that swings a fifth of its energy, and a point more of stretch.
LEAST_GAIN = 0.03
#: The same where rigid bodies push: most of what falls is what keeps them from going through the sheet.
LEAST_GAIN_OF_BODIES = 1e-3
#: Share of its springs with the sheet in the stiffness of a vertex from which on a motion of a rigid body is deflated.
LEAST_SHARE = 0.05
#: Without contacts one system is enough where the potential falls as it foresees, but for this share, or for what so slight
#: an acceleration [m/s^2] would give the sheet: by as much would the next one lower it. What hangs needs no other; with a
#: share of 1e-3 a sheet that swings loses 7 % of its energy.
FORESEEN, SLIGHT = 3e-4, 1.0
#: h^2 k / m of bending above which contacts that push single vertices move much of a sheet, as of a board.
BOARD = 3.0
#: h^2 k / m of bending up to which the matrix may have none: beyond, each system overshoots what the last one left.
EXPLICIT = 1.0
#: Share of the trace of its block in the matrix that holds a vertex which the CCD clamp has held: as stiff as the sheet is.
HOLDING = 1 / 3
#: Times its own stiffness, a vertex that stays is held.
STAYS = 1e4
#: Rings of neighbours whose mean motion it is held to. With two, sheets that stall hop faster; held to the mean of
#: all, folds do not come to rest.
RINGS = 6


class SheetSystem:
    """The system of one body; its rows are the body's vertices along the body's longest side.

    order: vertex of each row in the model. rank: row of each of the body's vertices. systems, tethers, bends: (batch's
    number, its part in the system), of stretch, of tethers and of bending; solved: all of them. second_ring: couplings of
    vertices that are no neighbours. free: (n,) bool, not fixed and part of an element. is_board: see `BOARD`. is_limited:
    see `LEAST_GAIN`. pinned: (n,) bool. mass: kg, 0 where not free.

    Where contacts hold the sheet the matrix has no bending, only its force, unless that is stiff: with it, what contact had
    crushed stayed so (a sheet that falls on a ball, 5 to 8 substeps: mean stretch 0.09 % and not 0.06).
    """

    def __init__(
        self, model: Model, part: BodyPart, elements: list[tuple], tethers: list[tuple], bends: list[tuple], dtype: np.dtype
    ):
        """elements, tethers: (batch's number, class of the system, batch, its material, vertices (k, corners), places (k,)).
        bends: (batch's number, batch, its material)."""
        n = part.stop - part.start
        rest = part.body.vertices if part.body.rest_vertices is None else part.body.rest_vertices
        joined = np.concatenate([pairs_of_corners(vertices - part.start) for *_, vertices, _ in elements])
        order = along_longest_side(rest, unique_edges(joined))
        self.part, self.order, self.rank = part, order + part.start, np.empty(n, np.int64)
        self.rank[order] = np.arange(n)
        self.systems, self.tethers = (
            [
                (number, kind(batch, own, self.rank[vertices - part.start].astype(np.int32), places, dtype))
                for number, kind, batch, own, vertices, places in some
            ]
            for some in (elements, tethers)
        )
        self.bends = [
            (number, BendingSystem(model, batch, own, part.start, self.rank, rest)) for number, batch, own in bends
        ]
        self.solved = [*self.systems, *self.tethers, *self.bends]
        self.is_limited = bool(tethers) or any(isinstance(system, LimitSystem) for _, system in self.systems)
        self.is_stiff = any(bend.stiffness > EXPLICIT for _, bend in self.bends)
        self.is_board = any(bend.stiffness > BOARD for _, bend in self.bends)
        edges = unique_edges(np.concatenate([system.edges() for _, system in self.systems]))
        self.pattern = pattern(n, edges)
        self.factor_pattern = factor_pattern(self.pattern)
        for _, system in self.systems:
            system.fit(self.pattern, self.factor_pattern.place)
        self._all_couplings = second_ring_couplings(n, [system.fit(self.pattern) for _, system in self.bends], dtype)
        self.second_ring = self._no_couplings = second_ring_couplings(n, [], dtype)
        self.pinned = model.fixed[self.order]
        self.free = ~self.pinned & (np.diff(self.pattern.rows) > 1)
        self.mass = np.where(self.free, model.mass[self.order], 0.0)
        basis = aggregate_basis(rest[order], edges, self._all_couplings.pairs)
        self.coarse_space = CoarseSpace(basis, self.pattern, self._all_couplings, self.free, dtype)
        self.values = np.zeros((len(self.pattern.columns), 9), dtype)
        self.factors = np.zeros((len(self.pattern.columns), 9), dtype)
        self.inverse = np.zeros((n, 6), dtype)
        self.eliminated = self._none_eliminated = Eliminated(n, np.zeros(0), np.zeros((0, 3, 0)), dtype)
        self.is_held = False  # by pins, colliders or rigid bodies, in the last step
        self.is_at_start = False  # whether the matrix, that of the last substep's end, is worth a try

    def step(
        self,
        state: State,
        iterations: int,
        contacts: ContactSprings | None,
        bodies: BodySprings | None,
        swept: frozenset[int],
        held: Array | None,
        is_alone: bool,
    ) -> None:
        """Moves x, the prediction and what warm starts add, to the step's end, and the rigid bodies that push the sheet.
        Sets the forces of contacts, and the displacements of the elements of batches that are swept afterwards.

        held: how much each of the body's vertices is held by what the step does not know, 0 to 1, (n,); None for nowhere.
        is_alone: whether nothing touches anything.
        """
        springs = [kind for kind in (contacts, bodies) if kind is not None]
        x0 = state.x0[self.order]
        predicted = state.x[self.order, :3].astype(float) - x0[:, :3]
        inertia, goal = self._inertia(x0), predicted
        warm_start = np.zeros(3) if contacts is None else contacts.warm_start_force()
        of_momentum = self._momentum_weights(state)
        rigid_motion = self._rigid_motion(predicted, of_momentum, warm_start / max(inertia.sum(), TINY_INERTIA))
        weight = inertia
        if held is not None:
            held = np.where(self.free, held[self.order - self.part.start], 0.0)
        at = np.zeros_like(predicted)  # the motion that the system is linearised at
        move = np.where(self.free[:, None], rigid_motion, predicted)
        attempt, begun, start = 0, 0.0, move.copy()
        inertial = 0.5 * float((inertia[:, None] * (predicted - move) ** 2).sum())
        slight = 0.5 * SLIGHT**2 * float((self.mass * x0[:, 3] * self.mass).sum())
        untouched = not springs and held is None
        matrix_is_old = untouched and self.is_at_start
        ends, fallen = (predicted - rigid_motion)[self.pinned], 0.0
        for _, system in self.systems:
            if isinstance(system, LimitSystem):
                system.begin(bodies is not None)
        elastic = self._begin(state, x0, move)
        self.is_at_start = untouched and not self.is_limited
        on_colliders = contacts is not None and contacts.fixed > 0
        self.is_held = on_colliders or bodies is not None or bool(self.pinned.any())
        by_fall, least_gain = self.is_limited or bodies is not None, LEAST_GAIN if bodies is None else LEAST_GAIN_OF_BODIES
        while attempt < PASSES:
            force = self._linearise(state, x0, at, ends, anew=attempt == 0)
            if not matrix_is_old:
                self._assemble(inertia, bends=not springs or self.is_stiff)
                if held is not None:
                    if not attempt:
                        hold = held * HOLDING * self.values[self.pattern.diagonal][:, [0, 4, 8]].sum(1)
                        weight, goal = self._with_springs(inertia, predicted, hold)
                    add_to_diagonal(self.pattern.diagonal, weight - inertia, self.values)
                if contacts is not None:
                    estimate, of_prediction = (move, None) if attempt else (predicted, inertia)
                    contacts.activate(estimate, of_prediction, self.pattern.diagonal, self.values)
                if bodies is not None:
                    bodies.activate(move if attempt else predicted, attempt == 0, self.pattern.diagonal, self.values)
                self._factorise()
                if bodies is not None:
                    self._eliminate(bodies)
            # No inner force depends on a translation, so the first system need not multiply with it.
            residual = self._residual(weight, force, goal, move, move - at - (0.0 if attempt else rigid_motion), springs)
            left = dot(residual, residual)
            begun, before = begun if attempt else left + warm_start @ warm_start, residual.copy()
            if attempt:
                more = self._solve(residual, None, iterations)
            else:  # this one only says where to make the next
                count = iterations if self.is_limited else -(-iterations // 2)
                more = self._solve(residual, goal - move, count)
            if not (springs or self.is_held):  # the exact step keeps momentum
                more[self.free] -= of_momentum @ more / of_momentum.sum()
            whole = self.is_limited and not attempt
            share, elastic, fall = self._share(state, x0, goal, weight, move, more, elastic, springs, whole)
            if matrix_is_old:
                matrix_is_old = False
                if share < 1.0:  # directions have turned since, and what is stiff in one of now seems soft
                    self.is_at_start = False  # and will in the next substep
                    move, elastic = start, self._begin(state, x0, start)
                    continue
            fallen += fall
            most = abs(fallen) if bodies is not None else max(abs(fallen), inertial)
            settled = fall <= least_gain * most if by_fall else left <= SETTLED * begun
            if attempt and settled and (share == 1.0 or by_fall):
                break
            if whole and untouched and abs(fall - _foreseen(before, residual, more)) <= max(FORESEEN * most, slight):
                break
            attempt += 1
            if attempt < PASSES:
                at, ends = move.copy(), move[self.pinned]
        if self.is_limited and fallen < 0:  # of a first step that no other has made good
            more, move[:] = move - start, start
            elastic = self._elastic(state, x0[:, :3] + start)
            self._share(state, x0, goal, weight, move, more, elastic, springs, False)
        if is_alone and not self.is_held:
            self._take_out_torque(x0[:, :3], predicted, move)
        for number, system in (*self.systems, *self.tethers):
            if number in swept or hasattr(system.energy, "excess_at_start"):
                system.store_displacement((move - at).astype(self.values.dtype), state.displacements[number])
        for number, bend in self.bends:
            if number in swept:
                bend.store_displacement(x0[:, :3] + move, state.strains_at_start[number], state.displacements[number])
        pushed = np.zeros(3)
        if contacts is not None:
            pushed = contacts.store_forces(move)
        if bodies is not None:
            pushed = pushed + bodies.store_forces(move)
        if springs and not on_colliders and not self.pinned.any():  # what the others have lost
            move[self.free] += (pushed - inertia @ (move - predicted)) / inertia.sum()
        if bodies is not None:
            self.eliminated = self._none_eliminated  # what moves the sheet from here on leaves the bodies where they are
        state.move(self.order[self.free], (move - predicted)[self.free])

    def elastic_response(self, state: State, force: Array, iterations: int) -> tuple[float, float]:
        """Moves the sheet as forces that have moved its vertices since the step, each by itself, move it as a whole.

        force: of all vertices, (n, 3) [N]. They have moved vertices by h^2 / M f; with the stiffness K that is to be
        (M / h^2 + K)^-1 f. Returns the work of f on the one and on the other [J].
        """
        force = np.where(self.free[:, None], force[self.order], 0.0)
        if not force.any():
            return 0.0, 0.0
        x = state.x[self.order]
        apart, moved = x[:, 3:] * force, self._solve(force.astype(self.values.dtype), None, iterations)
        if not self.is_held:
            of_momentum = self._momentum_weights(state)
            moved[self.free] += of_momentum @ (apart - moved) / of_momentum.sum()
        state.move(self.order[self.free], (moved - apart)[self.free])
        return float((force * apart).sum()), float((force * moved).sum())

    def correction(self, state: State, left: Array, held: Array, own_blocks: Array | None, iterations: int) -> Array:
        """The motion that takes away the force left at x, in the linear model there, (n, 3) [m], in the order of rows.

        left: force of all vertices [N], (n, 3). held: vertices that stay, (n,) bool. own_blocks: what holds vertices beside
        this system [N/m], (n, 6): 00, 01, 02, 11, 12, 22.
        """
        stays = held[self.order] & self.free
        if not self.is_at_start or own_blocks is not None or stays.any():  # else it is the last step's matrix
            x0, inertia = state.x0[self.order], state.inertia * self._inertia(state.x[self.order])
            at = state.x[self.order, :3].astype(float) - x0[:, :3]
            for move, anew in ((np.zeros_like(at), True), (at, False)):
                self._linearise(state, x0, move, at[self.pinned], anew)
            self._assemble(inertia, bends=True)
            own = self.values[self.pattern.diagonal]
            if own_blocks is not None:
                own += np.where(self.free[:, None], own_blocks[self.order][:, [0, 1, 2, 1, 3, 4, 2, 4, 5]], 0)
            own[np.ix_(stays, [0, 4, 8])] *= STAYS
            self.values[self.pattern.diagonal] = own
            self._factorise()
            self.is_at_start = False
        return self._solve(left[self.order].astype(self.values.dtype), None, iterations)

    def _inertia(self, x0: Array) -> Array:
        """M / h^2 [N/m], zero where not free, (n,)."""
        return np.where(self.free, 1.0 / np.where(self.free, x0[:, 3], 1.0).astype(float), 0.0)

    def _linearise(self, state: State, x0: Array, at: Array, ends: Array, anew: bool) -> Array:
        """Minus the gradient at x0 + at [N], (n, 3). ends: motion of the pins to the step's end, less the rigid one if `at`
        is none. anew: damping starts there."""
        force = np.zeros((len(x0), 3))
        x = x0 if anew else np.concatenate([(x0[:, :3] + at).astype(x0.dtype), x0[:, 3:]], 1)
        exact = x0[:, :3] + at
        for number, system in self.systems:
            memory = state.strains_at_start[number]
            system.linearise(exact if isinstance(system, LimitSystem) else x, memory, anew, force)
        exact[self.pinned] = x0[self.pinned, :3] + ends
        for number, tether in self.tethers:
            tether.linearise(exact, state.strains_at_start[number], force)
        for _, bend in self.bends:
            bend.add_force(force)
        return force

    def _with_springs(self, inertia: Array, predicted: Array, spring: Array) -> tuple[Array, Array]:
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

    def _assemble(self, inertia: Array, bends: bool) -> None:
        """Fills the matrix where the systems have been linearised last; bends: with the stiffness of bending."""
        self.values[:] = 0
        self.eliminated = self._none_eliminated
        for _, system in self.systems:
            system.assemble(self.values)
        if bends:
            for _, bend in self.bends:
                bend.assemble(self.values)
        self.second_ring = self._all_couplings if bends else self._no_couplings
        p, weight = self.pattern, inertia.astype(self.values.dtype)
        run(close_rows, len(inertia), p.rows, p.columns, p.diagonal, self.free, weight, self.values)
        for _, tether in self.tethers:
            tether.assemble(p.diagonal, self.free, self.values)

    def _factorise(self) -> None:
        """The incomplete factors, and those of the coarse matrix."""
        done = beside(len(self.free), self._factorise_incompletely)
        self.coarse_space.factorise(self.values, self.second_ring is self._all_couplings)
        done()

    def _factorise_incompletely(self) -> None:
        f, p = self.factor_pattern, self.pattern
        pairs, matrix = (f.first, f.left, f.right, f.keep), (p.rows, p.columns, p.diagonal, self.values)
        for careful in CAREFUL:
            least = SMALLEST_PIVOT if careful < CAREFUL[-1] else 0.0
            if factorise(pairs, careful, least, matrix, p.mirror, self.free, self.factors, self.inverse) >= least:
                return

    def _take_out_torque(self, x0: Array, predicted: Array, move: Array) -> None:
        """Turns a free sheet so far that what moved it from the prediction has no torque about its centre of mass: the exact
        step keeps angular momentum, and one that is linearised gave a sheet that spins a quarter more in 8 s. Not where it
        is touched: contacts of moving surfaces are not in the step, and boards that support each other fall. Written: move.
        """
        arm = x0 + move
        arm -= self.mass @ arm / self.mass.sum()
        heavy = self.mass[:, None] * arm
        inertia = np.eye(3) * np.einsum("ij,ij->", heavy, arm) - heavy.T @ arm
        turn = np.linalg.pinv(inertia, hermitian=True) @ np.cross(heavy, predicted - move).sum(0)
        move[self.free] += np.cross(turn, arm)[self.free]

    def _momentum_weights(self, state: State) -> Array:
        """What a motion of each vertex counts by in the sum that inner forces do not change, (n,): M / h^2 with the step of
        its order of integration; of backward Euler alone h is the same, and its rounding need not come in."""
        return self._inertia(state.x0[self.order]) if state.history[self.order].any() else self.mass

    def _rigid_motion(self, predicted: Array, of_momentum: Array, warm_start: Array) -> Array:
        """Translation of the sheet as a whole (3,) [m]: that of its pins; without pins the mean of the prediction, which no
        inner force changes. of_momentum: (n,). warm_start: by the forces that contacts begin with, (3,) [m]."""
        if self.pinned.any():
            return predicted[self.pinned].mean(axis=0)
        return of_momentum @ predicted / of_momentum.sum() + warm_start

    def _residual(self, inertia: Array, force: Array, predicted: Array, move: Array, apart: Array, springs: list) -> Array:
        """b - A move [N], zero where not free. apart: what move has beyond the motion that the force is of, (n, 3) [m]; the
        force gains that of the contacts."""
        for kind in springs:
            kind.add_forces(move - apart, force)
        typed = apart.astype(self.values.dtype)
        product = self._times(typed) if apart.any() else np.zeros_like(typed)
        residual = np.empty_like(product)
        leave_residual(force, inertia, self.free, product, predicted, apart, move, residual)
        return residual

    def _times(self, move: Array) -> Array:
        """A move, with numbers where not free. move: (n, 3) of the matrix's type."""
        product, p = np.zeros_like(move), self.pattern
        run(multiply, len(move), p.rows, p.columns, self.values, move, product)
        add_second_ring(self.second_ring.arrays, self.free, move, product)
        subtract_eliminated(self.eliminated.arrays, move, product)
        return product

    def _solve(self, residual: Array, ahead: Array | None, iterations: int, least: float = 0.0) -> Array:
        """Approximate solution of A more = residual, zero where not free, (n, 3) double. ahead: its first direction. least:
        see `deflated_conjugate_gradients`."""
        dtype, p = self.values.dtype, self.pattern
        work = np.empty((3, *residual.shape), dtype)
        work[0] = 0.0 if ahead is None else np.where(self.free[:, None], ahead, 0.0)
        more = np.zeros(residual.shape, dtype)
        matrix = p.rows, p.columns, p.diagonal, self.values, self.second_ring.arrays, self.free, self.eliminated.arrays
        factors = self.factors, self.inverse
        coarse = self.coarse_space.arrays
        deflated_conjugate_gradients(matrix, factors, coarse, ahead is not None, iterations, least, work, residual, more)
        return more.astype(float)

    def _eliminate(self, bodies: BodySprings) -> None:
        """Takes rigid bodies out of the unknowns, and deflates how the sheet follows those that move it."""
        eliminated = bodies.eliminated(self.values.dtype)
        rows, couplings, _, _ = eliminated.arrays
        own, coupled = self.values[self.pattern.diagonal[rows]].reshape(-1, 3, 3).astype(float), couplings.astype(float)
        share, turn = np.linalg.eigh(np.einsum("tkr,tks->rs", coupled, np.linalg.solve(own, coupled)))
        motions, residual = [], np.zeros((len(self.free), 3), self.values.dtype)
        for way in turn[:, share > LEAST_SHARE].T:
            residual[:] = 0
            residual[rows] = coupled @ way
            motions.append(self._solve(residual, None, 1).astype(self.values.dtype))
        self.eliminated = eliminated
        if motions:
            eliminated.deflate(np.array(motions), np.array([self._times(motion) for motion in motions]))

    def _begin(self, state: State, x0: Array, move: Array) -> float:
        """The potential of stretch and bending at the first motion [J], after which bending has its forces at x0."""
        still = x0[:, :3].astype(float)
        if self.pinned.any() and np.ptp(move[self.pinned], axis=0).any():  # else it is a translation
            elastic = self._elastic(state, still + move)
            for number, bend in self.bends:
                bend.potential(state.strains_at_start[number], still)
            return elastic
        return self._elastic(state, still)

    def _elastic(self, state: State, x: Array) -> float:
        """The potential of stretch and bending at x, (n, 3) double [J]."""
        return sum(system.potential(state.strains_at_start[number], x) for number, system in self.solved)

    def _share(
        self, state: State, x0, predicted, inertia, move, more, elastic: float, springs: list, whole: bool
    ) -> tuple[float, float, float]:
        """The share of `more` that does not raise the potential, or all of it if `whole`; move becomes the motion with it.
        elastic: the potential of stretch and bending before; returned as it is then, and evaluated last there. The fall of
        the whole potential [J] comes last."""
        start, x = move.copy(), np.empty_like(move)

        def rest(share: float) -> float:
            total = go(start, more, share, x0, predicted, inertia, move, x)
            return total + sum(kind.potential(move) for kind in springs)

        before = rest(0.0) + elastic
        most = before + ROUNDING * abs(before)
        share = 1.0
        for _ in range(HALVINGS + 1):
            total = rest(share)
            now = self._elastic(state, x)
            if total + now <= most or whole:
                return share, now, before - (total + now)
            share *= 0.5
        rest(0.0)
        return 0.0, self._elastic(state, x), 0.0


def _foreseen(before: Array, after: Array, more: Array) -> float:
    """The fall of the linear model's potential [J] by the motion `more`. before, after: the residuals of it [N], (n, 3)."""
    return 0.5 * float(((before + after) * more).sum())
