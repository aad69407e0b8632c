"""Newton's method for the implicit step of the bodies of one linear system, up to an error in metres.

The step's motion d from the start x0 minimises

    1/2 (d - p)^T M/h^2 (d - p) + E(x0 + d) + springs of contacts(d)

with the prediction p. It begins with the motion at the velocities of its start; a sheet with limits, which is so stiff that
this says nothing, where only pins and each body as a whole have moved; soft bodies there or at the prediction, whichever has
the lower potential. Each linear system is solved by conjugate gradients, its motion shortened where it would raise the
potential. The next one has the contacts that push there, and those on which the whole motion would have ended: without
them, its motion goes the same way again. The residual force, r, is measured in the norm of the matrix A: since that is
M/h^2 at least,

    error^2 = r^T A^-1 r / sum(M/h^2)

bounds the mean square of the missing displacement, weighted by mass, and missing stretch counts by its energy. One
preconditioned iteration stands in for A^-1. The step ends where that error is below its target, or below a tenth of
the motion that it starts with. Conjugate gradients end at a share of what a system began with, as the next linearisation
is not known better (Eisenstat and Walker 1996, "Choosing the forcing terms in an inexact Newton method").

Elements resist motion across them by |S| + D e in place of their stress S (`membrane.side_stiffness`): the absolute value,
since compression buckles a face as much as tension holds it, and D e with the strain e of what the last motion has turned.
Without both, a step in a direction that is soft to first order, as across a taut sheet, is a hundred edges long, and the
line search shortens the motion of all for that of one spot.
Source of |S|: Chen, Zheng, Zhu, Gao, Chen 2024, "Stabler neo-Hookean simulation: absolute eigenvalue filtering for projected
Newton"; of a damping by what a step leaves unforeseen: Levenberg 1944, "A method for the solution of certain non-linear
problems in least squares".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.threads import run
from ..model.state import State
from ..steering import HALVINGS, ITERATIONS, LATER_LEFT, LEAST_GAIN, LEFT, ROUNDING, SLIGHT, SYSTEMS, UNSOLVED
from .body_springs import BodySprings
from .contact_springs import ContactSprings
from .groups import TINY
from .sheet_kernels import add_to_diagonal, gather_start, go, leave_residual, shift_rows, weigh_solution
from .sheet_system import SheetSystem

Array = np.ndarray


@dataclass
class Around:
    """External actions on the bodies of a system. contacts, bodies: springs of contacts, with rigid bodies the
    second; None for none. held: how much the CCD clamp holds each vertex, 0 to 1, (n,); None for nowhere. is_alone: whether
    nothing touches anything."""

    contacts: ContactSprings | None
    bodies: BodySprings | None
    held: Array | None
    is_alone: bool

    @property
    def springs(self) -> list:
        return [kind for kind in (self.contacts, self.bodies) if kind is not None]

    def on_colliders(self, groups: int) -> Array:
        """Return which groups have contacts with surfaces that no force moves, (groups,) bool."""
        return np.zeros(groups, bool) if self.contacts is None else self.contacts.with_fixed

    def pushes(self, groups: int) -> Array:
        """Return which groups anything pushes, (groups,) bool."""
        of_contacts = np.zeros(groups, bool) if self.contacts is None else self.contacts.there
        return of_contacts | (self.bodies is not None)


class NewtonStep:
    """One step of a system, of which each group ends by itself. target: of the error [m]. count: linear systems solved;
    error: the last estimate [m], (groups,); shares: of each system's motion that was taken, (groups,)."""

    def __init__(self, system: SheetSystem, state: State, iterations: int, target: float, around: Around):
        self._system, self._state, self._around, self._springs = system, state, around, around.springs
        self._iterations = iterations
        n, self._groups = len(system.order), system.groups
        self.x0, self.predicted, self._on = np.empty((n, 4), state.x0.dtype), *np.empty((2, n, 3))
        self.inertia = self._weight = np.empty(n)
        state_at_start = system.order, system.free, state.x, state.x0, state.v_before, system.h
        run(gather_start, n, *state_at_start, self.x0, self.predicted, self.inertia, self._on)
        self.x0 = system.with_remainders(state, self.x0)
        self._goal = self.predicted
        self._of_momentum = system.momentum_weights(state, self.inertia)
        self._weights = self._groups.sums_of_bodies(self.inertia)
        share = system.share_alone if around.is_alone else system.share_of_target
        self._most, self._target = target, target * np.minimum(share, self._share_of_motion(target))
        self._slight = np.zeros(self._groups.count)
        if not around.is_alone:  # friction leaves next to nothing of what rests, and a share of that is less
            self._slight = 2 * LEFT * self._target**2 * -self._groups.largest(-self._weights)
        self._x = np.empty(self.predicted.shape)
        self.count, self.error = 0, np.full(system.groups.count, np.inf)
        self.shares: list[Array] = []
        self._traces = np.zeros(0)

    def _share_of_motion(self, target: float) -> Array:
        """Return the share of the target that each group's errors may have, (groups,): slow bodies tremble with the
        deficit."""
        groups = self._groups
        if self._state.inertia == 0:
            return np.ones(groups.count)
        weight = np.maximum(groups.sums(self._weights), TINY)
        square = groups.spread(self.inertia, self._on) / weight
        return np.clip(SLIGHT * np.sqrt(square) / max(target, TINY), 0.25, 1.0)

    def take(self, swept: frozenset[int]) -> None:
        """Move x, the prediction and what warm starts add, to the step's end, and the rigid bodies that push the system.
        Sets the forces of contacts, and the displacements of the elements of batches that are swept afterwards."""
        system, groups = self._system, self._groups
        self._begin()
        self.move = self._start()
        start = self.move.copy()
        force = system.linearise(self._state, self.x0, self.move)
        exact, fallen = np.ones(groups.count, bool), np.zeros(groups.count)
        most = max(1, int(self._iterations * (SYSTEMS if self._springs else system.systems_alone)))
        while self.count < most:
            self._fill(exact)
            more, share, fall, foreseen, left = self._solve(force)
            fallen += fall
            force = system.linearise(self._state, self.x0, self.move)
            solved = (share == 1.0) & (left <= UNSOLVED)
            if system.is_limited:
                ends = ~self._gains(fall, foreseen, fallen)
            else:
                unforeseen = np.where(solved, self._unforeseen(fall, foreseen, left), np.inf)
                ends = self._is_within_target(unforeseen, force, solved | ~exact)
            self._goes_on &= ~(ends | ((share == 0.0) & ~exact))
            if not self._goes_on.any():
                break
            exact &= solved | ~self._goes_on
            self._choose_contacts(share, more)
        rises = system.is_limited & (fallen < 0)  # by a first motion that no other has made good
        if rises.any():
            self._take_back(start, rises)
        self._end(swept)

    def _begin(self) -> None:
        """Find what holds the groups, and prepare the system."""
        system, around, groups = self._system, self._around, self._groups
        system.begin(self._state, self.x0, around.bodies is not None)
        if around.contacts is not None:
            system.stiffen(around.contacts, around.bodies)
        held, count = groups.any_of_rows(system.pinned), groups.count
        system.is_held = around.on_colliders(count) | (around.bodies is not None) | held
        self._is_free = ~around.on_colliders(count) & ~held
        system.is_at_start = not self._springs and around.held is None and not system.is_limited
        self._is_alone = ~around.pushes(count) & ~system.is_held
        self._rows_alone = groups.at_rows(self._is_alone) & system.free
        self._goes_on = np.ones(count, bool)

    def _solve(self, force: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Solve a linear system for the force at the motion, (n, 3) [N], and take its motion as far as the potential falls.

        Returns its motion, (n, 3) [m], and of each group the share that was taken, the fall of the potential and that of its
        linear model [J], and the share of the squared residual that is left, (groups,). Written: force, see `_residual`.
        """
        system, groups = self._system, self._groups
        residual = self._residual(force)
        first = residual.copy()
        is_whole = system.is_limited and not self.count  # strains beyond the limits show the active ones
        ahead = self._goal - self.move if is_whole else None
        slight = 0.0 if self.count else self._slight  # looser later systems are more: stiff sheets that hit
        more = system.solve(residual, ahead, *self._accuracy(is_whole), slight)
        square, left, foreseen = groups.sums(groups.added_up(weigh_solution, 3, first, residual, more)).T
        if self._is_alone.any():  # the exact step keeps momentum
            mean = groups.means_of_rows(self._of_momentum, more)
            run(shift_rows, len(more), groups.of_row, self._rows_alone, -mean, more)
        share, fall = self._line_search(more, is_whole)
        self.shares.append(share)
        self.count += 1
        return more, share, fall, foreseen, left / np.maximum(square, TINY)

    def _is_within_target(self, error: Array, force: Array, may_end: Array) -> Array:
        """Return the groups whose error is below its target, (groups,) bool, and set the error.

        error: the part that the last linear model has not predicted [m], force: at the motion, (n, 3) [N]. may_end: groups
        whose error is worth an estimate.
        """
        asks = self._goes_on & (error > self._target) & may_end
        if asks.any():
            error = np.where(asks, self._error_of(self._residual(force.copy() if self._springs else force)), error)
        if self._around.contacts is not None:  # its friction is as it was chosen, by an earlier slip
            mass = np.maximum(self._groups.sums(self._weights), TINY)
            least = UNSOLVED if self.count > 1 else 0.0
            error = np.maximum(error, self._around.contacts.beyond_bound(self.move, least) / mass)
        self.error = np.where(self._goes_on, error, self.error)
        return self.error <= self._target

    def _choose_contacts(self, share: Array, more: Array) -> None:
        """Choose the contacts of the next system: those that push at the motion, and ahead, where the whole motion of the
        last one, `more`, would have ended. share: of it that was taken, (groups,)."""
        ahead = self.move
        is_full = bool((share == 1).all())
        if self._springs and not is_full and not len(self._system.lines):  # ropes would hold more than by Coulomb
            ahead = self.move + self._groups.at_rows(1.0 - share)[:, None] * more
        for kind in self._springs:
            kind.choose(self.move, ahead, self._traces, self._goes_on)

    def _take_back(self, start: Array, rises: Array) -> None:
        """Shorten the motion since the start of groups whose potential it raises, (groups,) bool."""
        more = np.where(self._groups.at_rows(rises)[:, None], self.move - start, 0.0)
        self._potential_of(self.move - more)
        self._line_search(more, False)
        self._system.linearise(self._state, self.x0, self.move)

    def _accuracy(self, is_whole: bool) -> tuple[int, float | Array]:
        """Iterations of the next system at most, and the share of the residual, squared, that it may leave, (groups,)."""
        if is_whole and self._around.bodies is None:  # pushing rigid bodies require more
            return self._iterations, 0.0
        wanted = 2 * LATER_LEFT * (self._target / np.maximum(self.error, TINY)) ** 2
        return ITERATIONS * self._iterations, np.clip(wanted, LEFT, LATER_LEFT)

    def _start(self) -> Array:
        """The motion to begin at, (n, 3) [m], where the energies are evaluated last."""
        system, contacts = self._system, self._around.contacts
        if not (system.is_solid or system.is_limited):
            self._potential_of(self._as_before())
            return self.move
        groups, warm_start = self._groups, np.zeros((len(system.rows), 3))
        if contacts is not None:
            warm_start = groups.sums_of_bodies(contacts.warm_start_forces(len(self.predicted)))
        whole = system.rigid_motion(self.predicted, self._of_momentum, self.inertia, warm_start)
        still = np.where(system.free[:, None], whole, self.predicted)
        self._asked = 0.5 * groups.sums_of_rows(self.inertia * ((self.predicted - still) ** 2).sum(1))
        if not system.is_solid:
            self._potential_of(still)
            return self.move
        of_still, of_predicted = (self._potential_of(start) for start in (still, self.predicted.copy()))
        is_still = of_still <= of_predicted
        if is_still.any():
            self._potential_of(np.where(groups.at_rows(is_still)[:, None], still, self.predicted))
        return self.move

    def _as_before(self) -> Array:
        """The motion at the velocities that the step starts with, (n, 3) [m]; pins go where they are led, and what nothing
        holds keeps its momentum, which is not left to the linear systems."""
        on, groups, alone = self._on, self._groups, self._is_alone
        if alone.any():
            mean = groups.means_of_rows(self._of_momentum, self.predicted - on)
            run(shift_rows, len(on), groups.of_row, groups.at_rows(alone), mean, on)
        return on

    def _potential_of(self, move: Array) -> Array:
        """The potential without contacts at a motion that becomes that of the step [J], (groups,)."""
        self.move = move
        self._go(move, move, np.zeros(self._groups.count))
        return self._of_inertia + self._energy

    def _go(self, start: Array, more: Array, share: Array) -> None:
        """The motion becomes start + share more; the potentials of inertia and of the energies there [J], (groups,)."""
        arrays = self.x0, self._goal, self._weight, self.move, self._x
        self._of_inertia = go(self._groups, start, more, share, *arrays)
        self._energy = self._system.evaluate(self._state, self._x)

    def _potential(self) -> Array:
        """The whole potential at the motion [J], (groups,)."""
        return self._of_inertia + sum(kind.potential(self.move) for kind in self._springs) + self._energy

    def _fill(self, exact: Array) -> None:
        """The matrix where the energies were linearised last, and its factors."""
        system, around = self._system, self._around
        system.assemble(self.inertia, exact)
        if around.held is not None:
            if not self.count:
                held = np.where(system.free, around.held, 0.0)
                hold = held * system.own_traces() / 3
                self._weight, self._goal = system.with_springs(self.inertia, self.predicted, hold)
                self._of_inertia = 0.5 * self._groups.sums_of_rows(self._weight * ((self.move - self._goal) ** 2).sum(1))
            add_to_diagonal(system.pattern.diagonal, self._weight - self.inertia, system.values)
        if not self.count and self._springs:
            self._traces = system.own_traces()
            if around.contacts is not None:
                around.contacts.choose_first(self.predicted, self._on, self._traces, self.inertia, self._most)
            if around.bodies is not None:
                around.bodies.choose_first(self.predicted, self._traces)
        for kind in self._springs:
            kind.add_to(system.values)
        if around.contacts is not None:
            system.couplings = around.contacts.couplings(system.values.dtype)
        system.factorise()
        if around.bodies is not None:
            system.eliminate(around.bodies)

    def _residual(self, force: Array) -> Array:
        """The force left at the motion, (n, 3) [N], zero where not free and of groups that do not continue. Written: force
        gains that of contacts."""
        for kind in self._springs:
            kind.add_forces(self.move, force)
        residual = np.empty(self.move.shape, self._system.values.dtype)
        on = self._groups.of_row, self._goes_on
        run(leave_residual, len(force), *on, force, self._weight, self._system.free, self._goal, self.move, residual)
        return residual

    def _gains(self, fall: Array, foreseen: Array, fallen: Array) -> Array:
        """Return whether sheets with limits need another system. fall, `foreseen`: of the potential by the last one, and by
        its linear model, fallen: by all [J]; all (groups,)."""
        slight = 0.125 * self._target**2 * self._groups.sums(self._weights)
        most = np.maximum(np.maximum(np.abs(fallen), self._asked), slight)
        return fall > LEAST_GAIN * most if self.count > 1 else np.abs(fall - foreseen) > LEFT * most

    def _unforeseen(self, fall: Array, foreseen: Array, left: Array) -> Array:
        """Estimate the error from the fall of the potential that the linear model has neither predicted nor solved for [m].

        left: share of the residual, squared; all (groups,)."""
        weight = -self._groups.largest(-self._weights)
        return np.sqrt(2 * (np.abs(fall - foreseen) + left * np.abs(foreseen)) / np.maximum(weight, TINY))

    def _error_of(self, residual: Array) -> Array:
        """The estimated error of the body of each group that has the largest [m], (groups,)."""
        step = self._system.solve(residual.copy(), None, 1)
        energy = np.maximum(self._groups.dots_of_bodies(residual, step), 0.0)
        square = self._groups.largest(np.where(self._weights > 0, energy / np.maximum(self._weights, TINY), 0.0))
        return np.sqrt(np.where(np.isfinite(square), square, np.inf))

    def _line_search(self, more: Array, is_whole: bool) -> tuple[Array, Array]:
        """The share of `more` that does not raise the potential, or all of it, and the fall of the potential [J], of each
        group; the motion becomes that with it, where the energies are evaluated last."""
        before, start = self._potential(), self.move.copy()
        most, share = before + ROUNDING * np.abs(before), np.ones(self._groups.count)
        for halvings in range(HALVINGS + 2):
            self._go(start, more, share)
            total = self._potential()
            falls = (total <= most) | is_whole | (share == 0.0)
            if falls.all():
                break
            share = np.where(falls, share, 0.5 * share if halvings < HALVINGS else 0.0)
        return share, np.where(share > 0, before - total, 0.0)

    def _end(self, swept: frozenset[int]) -> None:
        """Hand the motion over to the state, the elements and the contacts."""
        system, around, move = self._system, self._around, self.move
        if around.is_alone and not system.is_held.all() and np.isfinite(move).all():
            system.take_out_torque(self.x0[:, :3], self.predicted, move)
        system.store_displacements(self._state, swept, self.x0, move)
        groups = self._groups
        pushed = np.zeros((groups.count, 3))
        if around.contacts is not None:
            pushed = around.contacts.store_forces(move)
        if around.bodies is not None:
            taken_up = self.inertia @ (move - self.predicted) - pushed[0] if self._is_free[0] else None
            pushed = pushed + around.bodies.store_forces(move, taken_up)
            system.forget_bodies()  # what moves the system from here on leaves the bodies where they are
        rows = system.free & groups.at_rows(around.pushes(groups.count) & self._is_free)
        if rows.any():  # what the others have lost
            gone = groups.means_of_rows(self.inertia, move - self.predicted)
            mean = pushed / np.maximum(groups.sums(self._weights), TINY)[:, None] - gone
            run(shift_rows, len(move), groups.of_row, rows, mean, move)
        self._state.move(system.order, move - self.predicted, system.free)
        system.count_as_answered(self._state)
