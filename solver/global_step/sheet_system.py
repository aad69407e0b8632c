"""The linear system of sheets in the global step, and their step: one sheet, or several that touch each other."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from ..device.counters import counters
from ..device.threads import run
from ..linalg.block_matrix import multiply
from ..linalg.conjugate_gradients import deflated_conjugate_gradients
from ..linalg.contact_couplings import add_contact_couplings, no_contact_couplings
from ..linalg.eliminated import Eliminated, subtract_eliminated
from ..linalg.second_ring import add_second_ring
from ..linalg.side_by_side import coarse_spaces, copy_factors, patterns, second_rings, strips
from ..model.model import Model
from ..model.state import State
from .body_springs import BodySprings
from .contact_springs import ContactSprings
from .sheet_kernels import add_to_diagonal, go, leave_residual, rough_energy, smooth
from .sheet_part import SheetPart

Array = np.ndarray

#: A step that raises the potential is halved up to this many times.
HALVINGS = 5
#: [N/m] Against division by zero.
TINY_INERTIA = 1e-30
#: Share of the potential that counts as rounding.
ROUNDING = 1e-9
#: Systems of a step: the first at its start, each other at the last one's solution. More than two where a step is shortened,
#: or while the force before the last one could, vertex by vertex, lower the potential by more than this share of what all
#: systems have, or of what inertia has at the start. So it says the same at each resolution: squared forces do not, for the
#: finer a mesh the more of them single edges have, which weigh nothing. What the last system has lowered the potential by
#: says too little of these: a membrane of 64 x 64 was stretched by a tenth more, with more systems. A hanging sheet (64 x 64
#: springs) is 4.1 mm from the fine solution, 4.7 with 1e-4, and 3.0 if each step is solved exactly.
PASSES, SETTLED = 6, 4e-5
#: Iterations of a system but the first, at most, for each that is asked for; it ends where this share of its residual,
#: squared, is left. Four leave a hundred-thousandth of what hangs, and a half of what sinks to a drape: silk on a drapemeter
#: came to rest at 63 % and not at 40, and the finer the mesh, the higher. Boards have as many as are asked for: with
#: more, contacts that are answered again and again throw over what stands.
ITERATIONS, LEFT = 8, 1e-3
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
#: Share of the trace of its block in the matrix that holds a vertex which the CCD clamp has held: as stiff as the sheet is.
HOLDING = 1 / 3
#: Times its own stiffness, a vertex that stays is held.
STAYS = 1e4
#: Rings of neighbours whose mean motion it is held to. With two, sheets that stall hop faster; held to the mean of
#: all, folds do not come to rest.
RINGS = 6


class SheetSystem:
    """The system of some sheets, one after the other in its rows.

    parts: the sheets; rows: slice of each. order: vertex of each row in the model; rank: row of each vertex of the model, -1
    for none. pattern, free, pinned, mass: see `SheetPart`. is_limited: whether any sheet is, see `LEAST_GAIN`.

    Where anything but these sheets holds a sheet the matrix has none of its bending, only the force, unless that is stiff:
    with it, what contact had crushed stayed so (a sheet that falls on a ball, 5 to 8 substeps: mean stretch 0.09 % and not
    0.06).
    """

    def __init__(self, model: Model, parts: list[SheetPart]):
        self.parts, dtype = parts, np.dtype(model.settings.dtype)
        self.rows = _one_after_the_other([len(part.order) for part in parts])
        self._blocks = _one_after_the_other([len(part.pattern.columns) for part in parts])
        self.order, self.free, self.pinned, self.mass = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("order", "free", "pinned", "mass")
        )
        self.rank = np.full(model.n_vertices, -1)
        self.rank[self.order] = np.arange(len(self.order))
        self.pattern = patterns([part.pattern for part in parts])
        self.is_limited = any(part.is_limited for part in parts)
        self.is_board = any(part.is_board for part in parts)
        self.values = np.zeros((len(self.pattern.columns), 9), dtype)
        self._factors = np.zeros((len(self.pattern.columns), 9), dtype)
        self._inverse = np.zeros((len(self.order), 6), dtype)
        self._strips = strips([part.strips for part in parts], [len(part.order) for part in parts])
        self._second_ring = second_rings([part.no_second_ring for part in parts])
        self._coarse_space = coarse_spaces([part.coarse_space for part in parts])
        self._none_eliminated = Eliminated(len(self.order), np.zeros(0), np.zeros((0, 3, 0)), dtype)
        self._no_couplings = no_contact_couplings(dtype)
        self._eliminated, self._couplings = self._none_eliminated, self._no_couplings
        self._bends = [False] * len(parts)  # whether the matrix has the stiffness of bending, of each sheet
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

        held: how much each vertex is held by what the step does not know, 0 to 1, (n,); None for nowhere.
        is_alone: whether nothing touches anything.
        """
        springs = [kind for kind in (contacts, bodies) if kind is not None]
        if contacts is not None and bodies is not None:
            contacts.stiffen_between()
        x0 = state.x0[self.order]
        predicted = state.x[self.order, :3].astype(float) - x0[:, :3]
        inertia, goal = self._inertia(x0), predicted
        warm_start = np.zeros((len(self.rows), 3))
        if contacts is not None:
            forces = contacts.warm_start_forces(len(predicted))
            warm_start = np.array([forces[own].sum(0) for own in self.rows])
        of_momentum = self._momentum_weights(state)
        rigid_motion = self._rigid_motion(predicted, of_momentum, inertia, warm_start)
        weight = inertia
        if held is not None:
            held = np.where(self.free, held, 0.0)
        at = np.zeros_like(predicted)  # the motion that the system is linearised at
        move = np.where(self.free[:, None], rigid_motion, predicted)
        attempt, start = 0, move.copy()
        accuracy = (iterations, 0.0) if self.is_board and bodies is None else (ITERATIONS * iterations, LEFT)
        inertial = 0.5 * float((inertia[:, None] * (predicted - move) ** 2).sum())
        slight = 0.5 * SLIGHT**2 * float((self.mass * x0[:, 3] * self.mass).sum())
        untouched = not springs and held is None
        matrix_is_old = untouched and self.is_at_start
        ends, fallen = predicted - rigid_motion, 0.0
        for part, own in zip(self.parts, self.rows, strict=True):
            part.begin(state, x0[own], bodies is not None)
        elastic = self._begin(state, x0, move)
        self.is_at_start = untouched and not self.is_limited
        on_colliders = contacts is not None and contacts.with_fixed
        outside = np.zeros(len(move), bool)  # whether anything but these sheets holds it
        for kind in springs:
            kind.mark_outside(outside)
        self._bends = [part.is_stiff or not outside[own].any() for part, own in zip(self.parts, self.rows, strict=True)]
        self.is_held = on_colliders or bodies is not None or bool(self.pinned.any())
        is_one_sided = self.is_limited or bodies is not None
        least_gain = LEAST_GAIN if bodies is None else LEAST_GAIN_OF_BODIES
        while attempt < PASSES:
            force = self._linearise(state, x0, at, ends, anew=attempt == 0)
            if not matrix_is_old:
                self._assemble(inertia)
                if held is not None:
                    if not attempt:
                        hold = held * HOLDING * self.values[self.pattern.diagonal][:, [0, 4, 8]].sum(1)
                        weight, goal = self._with_springs(inertia, predicted, hold)
                    add_to_diagonal(self.pattern.diagonal, weight - inertia, self.values)
                if contacts is not None:
                    estimate, of_prediction = (move, None) if attempt else (predicted, inertia)
                    contacts.activate(estimate, of_prediction, self.pattern.diagonal, self.values)
                    self._couplings = contacts.couplings(self.values.dtype)
                if bodies is not None:
                    bodies.activate(move if attempt else predicted, attempt == 0, self.pattern.diagonal, self.values)
                self._factorise()
                if bodies is not None:
                    self._eliminate(bodies)
            # No inner force depends on a translation, so the first system need not multiply with it.
            residual = self._residual(weight, force, goal, move, move - at - (0.0 if attempt else rigid_motion), springs)
            before = residual.copy()
            rough = rough_energy(residual, self.pattern.diagonal, self.values)
            if attempt:
                more = self.solve(residual, None, *accuracy)
            else:  # this one only says where to make the next
                count = iterations if self.is_limited else -(-iterations // 2)
                more = self.solve(residual, goal - move, count)
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
            most = abs(fallen) if bodies is not None else max(abs(fallen), inertial, slight)
            settled = fall <= least_gain * most if is_one_sided else rough <= SETTLED * most
            if attempt and settled and (share == 1.0 or is_one_sided):
                break
            if whole and untouched and abs(fall - _foreseen(before, residual, more)) <= max(FORESEEN * most, slight):
                break
            attempt += 1
            if attempt < PASSES:
                at, ends = move.copy(), move
        if self.is_limited and fallen < 0:  # of a first step that no other has made good
            more, move[:] = move - start, start
            elastic = self._elastic(state, x0[:, :3] + start)
            self._share(state, x0, goal, weight, move, more, elastic, springs, False)
        if is_alone and not self.is_held:
            self._take_out_torque(x0[:, :3], predicted, move)
        since = (move - at).astype(self.values.dtype)
        for part, own in zip(self.parts, self.rows, strict=True):
            part.store_displacements(state, swept, since[own], x0[own, :3] + move[own])
        pushed = np.zeros(3)
        if contacts is not None:
            pushed = contacts.store_forces(move)
        is_alone_with_bodies = not on_colliders and not self.pinned.any()
        if bodies is not None:
            taken_up = inertia @ (move - predicted) - pushed if is_alone_with_bodies else None
            pushed = pushed + bodies.store_forces(move, taken_up)
        if springs and is_alone_with_bodies:  # what the others have lost
            move[self.free] += (pushed - inertia @ (move - predicted)) / inertia.sum()
        if bodies is not None:
            self._eliminated = self._none_eliminated  # what moves the sheet from here on leaves the bodies where they are
        state.move(self.order[self.free], (move - predicted)[self.free])

    def elastic_response(self, state: State, force: Array, iterations: int) -> tuple[Array, Array]:
        """Moves the sheets as forces that have moved their vertices since the step, each by itself, move them as a whole.

        force: of all vertices, (n, 3) [N]. They have moved vertices by h^2 / M f; with the stiffness K that is to be
        (M / h^2 + K)^-1 f. Returns the work of f on the one and on the other [J], of each sheet.
        """
        apart, force = self.apart(state, force), np.where(self.free[:, None], force[self.order], 0.0)
        if not force.any():
            return np.zeros(len(self.parts)), np.zeros(len(self.parts))
        moved = self.solve(force.astype(self.values.dtype), None, iterations)
        if not self.is_held:
            of_momentum = self._momentum_weights(state)
            moved[self.free] += of_momentum @ (apart - moved) / of_momentum.sum()
        state.move(self.order[self.free], (moved - apart)[self.free])
        asked, done = (np.array([float((force[own] * way[own]).sum()) for own in self.rows]) for way in (apart, moved))
        return asked, done

    def apart(self, state: State, force: Array) -> Array:
        """How forces on all vertices, (n, 3) [N], move those of the sheets one by one, (k, 3) [m]."""
        return np.where(self.free[:, None], state.x[self.order, 3:] * force[self.order], 0.0)

    def response(self, state: State, force: Array, iterations: int) -> tuple[Array, Array]:
        """The vertices that move, (k,), and how the sheets move as a whole under forces of all vertices, (n + 4, 3) [N],
        with the last step's matrix, (k, 3) [m]."""
        rows = self.order[self.free]
        own = np.where(self.free[:, None], force[self.order], 0.0)
        way = self.solve(own.astype(self.values.dtype), None, ITERATIONS * iterations, LEFT)
        if not self.is_held:
            of_momentum = self._momentum_weights(state)
            way[self.free] += (own.sum(0) - of_momentum @ way) / of_momentum.sum()
        return rows, way[self.free]

    def correction(self, state: State, left: Array, held: Array, own_blocks: Array | None, iterations: int) -> Array:
        """The motion that takes away the force left at x, in the linear model there, (n, 3) [m], in the order of rows.

        left: force of all vertices [N], (n, 3). held: vertices that stay, (n,) bool. own_blocks: what holds vertices beside
        this system [N/m], (n, 6): 00, 01, 02, 11, 12, 22.
        """
        stays = held[self.order] & self.free
        if not self.is_at_start or own_blocks is not None or stays.any():  # else it is the last step's matrix
            x0, inertia = state.x0[self.order], state.inertia * self._inertia(state.x[self.order])
            at = state.x[self.order, :3].astype(float) - x0[:, :3]
            for part, own in zip(self.parts, self.rows, strict=True):
                part.start(state, x0[own])
            self._linearise(state, x0, np.zeros_like(at), at, True)
            self._elastic(state, x0[:, :3] + at)
            self._linearise(state, x0, at, at, False)
            self._bends = [True] * len(self.parts)
            self._assemble(inertia)
            own = self.values[self.pattern.diagonal]
            if own_blocks is not None:
                own += np.where(self.free[:, None], own_blocks[self.order][:, [0, 1, 2, 1, 3, 4, 2, 4, 5]], 0)
            own[np.ix_(stays, [0, 4, 8])] *= STAYS
            self.values[self.pattern.diagonal] = own
            self._factorise()
            self.is_at_start = False
        return self.solve(left[self.order].astype(self.values.dtype), None, iterations)

    def _inertia(self, x0: Array) -> Array:
        """M / h^2 [N/m], zero where not free, (n,)."""
        return np.where(self.free, 1.0 / np.where(self.free, x0[:, 3], 1.0).astype(float), 0.0)

    def _linearise(self, state: State, x0: Array, at: Array, ends: Array, anew: bool) -> Array:
        """Minus the gradient at x0 + at [N], (n, 3). See `SheetPart.linearise`; ends: of the pins, (n, 3)."""
        force = np.zeros((len(x0), 3))
        for part, own in zip(self.parts, self.rows, strict=True):
            part.linearise(state, x0[own], at[own], ends[own][part.pinned], anew, force[own])
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

    def _assemble(self, inertia: Array) -> None:
        """Fills the matrix where the sheets have been linearised last."""
        self._eliminated, self._couplings = self._none_eliminated, self._no_couplings
        for part, own, blocks, bends in zip(self.parts, self.rows, self._blocks, self._bends, strict=True):
            part.assemble(inertia[own], bends, self.values[blocks])
        self._second_ring = second_rings(
            [part.second_ring if bends else part.no_second_ring for part, bends in zip(self.parts, self._bends, strict=True)]
        )

    def _factorise(self) -> None:
        """The incomplete factors, and those of the coarse matrix."""
        for part, own, blocks, bends in zip(self.parts, self.rows, self._blocks, self._bends, strict=True):
            part.factorise(self.values[blocks], bends, self._factors[blocks], self._inverse[own])
        copy_factors([part.coarse_space for part in self.parts], self._coarse_space)

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

    def _rigid_motion(self, predicted: Array, of_momentum: Array, inertia: Array, warm_start: Array) -> Array:
        """Translation of each sheet as a whole [m], at its rows, (n, 3): that of its pins; without pins the mean of the
        prediction, which no inner force changes. of_momentum: (n,). warm_start: by contacts [N], (sheets, 3)."""
        motion = np.empty_like(predicted)
        for own, force in zip(self.rows, warm_start, strict=True):
            pinned, weight = self.pinned[own], of_momentum[own]
            if pinned.any():
                motion[own] = predicted[own][pinned].mean(axis=0)
            else:
                motion[own] = weight @ predicted[own] / weight.sum() + force / max(inertia[own].sum(), TINY_INERTIA)
        return motion

    def _residual(self, inertia: Array, force: Array, predicted: Array, move: Array, apart: Array, springs: list) -> Array:
        """b - A move [N], zero where not free. apart: what move has beyond the motion that the force is of, (n, 3) [m]; the
        force gains that of the contacts."""
        for kind in springs:
            kind.add_forces(move - apart, force)
        typed = apart.astype(self.values.dtype)
        product = self._times(typed) if apart.any() else np.zeros_like(typed)
        residual = np.empty_like(product)
        run(leave_residual, len(move), force, inertia, self.free, product, predicted, apart, move, residual)
        return residual

    def _times(self, move: Array) -> Array:
        """A move, with numbers where not free. move: (n, 3) of the matrix's type."""
        counters.matrix_products += 1
        product, p = np.zeros_like(move), self.pattern
        run(multiply, len(move), p.rows, p.columns, self.values, move, product)
        run(add_second_ring, len(move), self._second_ring, self.free, move, product)
        subtract_eliminated(self._eliminated.arrays, move, product)
        add_contact_couplings(self._couplings, move, product)
        return product

    def solve(self, residual: Array, ahead: Array | None, iterations: int, least: float = 0.0) -> Array:
        """Approximate solution of A more = residual, zero where not free, (n, 3) double. ahead: its first direction. least:
        see `deflated_conjugate_gradients`. Written: residual, (n, 3), what is left."""
        dtype, p = self.values.dtype, self.pattern
        work = np.empty((3, *residual.shape), dtype)
        work[0] = 0.0 if ahead is None else np.where(self.free[:, None], ahead, 0.0)
        more = np.zeros(residual.shape, dtype)
        others = self._second_ring, self.free, self._eliminated.arrays, self._couplings
        matrix = p.rows, p.columns, p.diagonal, self.values, *others
        factors = self._factors, self._inverse, self._strips
        deflated_conjugate_gradients(
            matrix, factors, self._coarse_space, ahead is not None, iterations, least, work, residual, more
        )
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
            motions.append(self.solve(residual, None, 1).astype(self.values.dtype))
        self._eliminated = eliminated
        if motions:
            eliminated.deflate(np.array(motions), np.array([self._times(motion) for motion in motions]))

    def _begin(self, state: State, x0: Array, move: Array) -> float:
        """The potential of stretch and bending at the first motion [J], after which both have their forces at x0."""
        still = x0[:, :3].astype(float)
        if self.pinned.any() and np.ptp(move[self.pinned], axis=0).any():  # else it is a translation
            elastic = self._elastic(state, still + move)
            for part, own in zip(self.parts, self.rows, strict=True):
                part.evaluate(state, still[own])
            return elastic
        return self._elastic(state, still)

    def _elastic(self, state: State, x: Array) -> float:
        """The potential of stretch and bending at x, (n, 3) double [J]."""
        return sum(part.potential(state, x[own]) for part, own in zip(self.parts, self.rows, strict=True))

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


def _one_after_the_other(sizes: list[int]) -> list[slice]:
    return [slice(last - size, last) for size, last in zip(sizes, accumulate(sizes), strict=True)]


def _foreseen(before: Array, after: Array, more: Array) -> float:
    """The fall of the linear model's potential [J] by the motion `more`. before, after: the residuals of it [N], (n, 3)."""
    return 0.5 * float(((before + after) * more).sum())
