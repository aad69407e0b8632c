"""The linear system of soft bodies in the global step, and their step: one body, or several that touch each other.

As of sheets (`sheet_system`), but for what a solid that hardly gives way in volume asks for. It moves on smoothly, so
Newton's method begins at the prediction, unless the potential is lower where nothing has moved but the pins: each system
squares what is left of a change of volume. Conjugate gradients go on until a share of the residual is left, some three
iterations at a Poisson ratio of 0.45 and a dozen at 0.4995, and there are as many systems as it takes. Where nothing
touches, the second one has the matrix of the first.
"""

from __future__ import annotations

import numpy as np

from ..linalg.conjugate_gradients import dot
from ..model.state import State
from .body_springs import BodySprings
from .contact_springs import ContactSprings
from .sheet_kernels import add_to_diagonal, go
from .sheet_system import HOLDING, SheetSystem
from .solid_part import SolidPart

Array = np.ndarray

#: Iterations of a system, at most, for each of a sheet's; it ends where this share of its residual, squared, is left.
ITERATIONS, LEFT = 5, 3e-4
#: Systems of a step, at most; and the share of the potential's fall so far below which a system's own fall, or what the
#: linear model has foreseen otherwise, is too little for another.
PASSES, SETTLED = 6, 1e-4
#: A system that leaves more than this share of its residual, squared, has met a direction in which the true second
#: derivative is negative: there conjugate gradients end. However little the potential has fallen then, it says nothing.
UNSOLVED = 0.25
#: Contacts are as stiff as so many times the trace of their vertices' own blocks. With the softer ones of sheets an impact
#: is left to what pushes single vertices, which crushes the elements there and throws the body as high as it fell from.
STIFFNESS = 1.0
#: A step that raises the potential is halved up to so many times.
HALVINGS = 6
#: Share of the potential that counts as rounding.
ROUNDING = 1e-12


class SolidSystem(SheetSystem):
    """The system of some soft bodies. count: systems that the last step has solved; shares: of their motions taken."""

    parts: list[SolidPart]  # type: ignore[assignment]
    count = 0
    shares: list[float] = []

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
        """See `SheetSystem.step`; elements keep no displacements."""
        springs = [kind for kind in (contacts, bodies) if kind is not None]
        x0 = state.x0[self.order]
        predicted = state.x[self.order, :3].astype(float) - x0[:, :3]
        weight = inertia = self._inertia(x0)
        goal = predicted
        if contacts is not None:
            contacts.stiffen(STIFFNESS)
        if held is not None:
            held = np.where(self.free, held, 0.0)
        of_momentum = self._momentum_weights(state)
        on_colliders = contacts is not None and contacts.with_fixed
        self.is_held = on_colliders or bodies is not None or bool(self.pinned.any())
        for part in self.parts:
            part.take_strains(state)
        move = self._start(state, x0, predicted, inertia, of_momentum)
        fallen, self.count, self.shares, exact = 0.0, 0, [], True
        while self.count < PASSES:
            force = np.concatenate([part.force() for part in self.parts])
            if springs or held is not None or self.count != 1 or not exact:  # else the first one's matrix will do
                self._fill(inertia, exact)
                if held is not None:
                    if not self.count:
                        hold = held * HOLDING * self.values[self.pattern.diagonal][:, [0, 4, 8]].sum(1)
                        weight, goal = self._with_springs(inertia, predicted, hold)
                    add_to_diagonal(self.pattern.diagonal, weight - inertia, self.values)
                if contacts is not None:
                    estimate, of_prediction = (move, None) if self.count else (predicted, inertia)
                    contacts.activate(estimate, of_prediction, self.pattern.diagonal, self.values)
                    self._couplings = contacts.couplings(self.values.dtype)
                if bodies is not None:
                    bodies.activate(move if self.count else predicted, not self.count, self.pattern.diagonal, self.values)
                self._factorise()
                if bodies is not None:
                    self._eliminate(bodies)
            for kind in springs:
                kind.add_forces(move, force)
            residual = np.where(self.free[:, None], force + weight[:, None] * (goal - move), 0.0).astype(self.values.dtype)
            before = residual.copy()
            more = self.solve(residual, None, ITERATIONS * iterations, LEFT)
            if not (springs or self.is_held):  # the exact step keeps momentum
                more[self.free] -= of_momentum @ more / of_momentum.sum()
            share, fall = self._line_search(state, x0, goal, weight, move, more, springs)
            self.count += 1
            self.shares.append(share)
            fallen += fall
            foreseen = 0.5 * (dot(before, more) + dot(residual, more))
            is_solved = share == 1.0 and dot(residual, residual) <= UNSOLVED * dot(before, before)
            if is_solved and min(fall, abs(foreseen - fall)) <= SETTLED * fallen and (self.count > 1 or not springs):
                break
            if share == 0.0 and not exact:
                break
            exact = exact and is_solved
        if is_alone and not self.is_held and np.isfinite(move).all():  # else the simulation says so after the frame
            self._take_out_torque(x0[:, :3], predicted, move)
        pushed = sum((kind.store_forces(move) for kind in springs), np.zeros(3))
        if springs and not on_colliders and not self.pinned.any():  # what the others have lost
            move[self.free] += (pushed - inertia @ (move - predicted)) / inertia.sum()
        if bodies is not None:
            self._eliminated = self._none_eliminated  # what moves the bodies from here on leaves the others where they are
        state.move(self.order[self.free], (move - predicted)[self.free])

    def _start(self, state: State, x0: Array, predicted: Array, inertia: Array, of_momentum: Array) -> Array:
        """The motion that Newton's method begins at, (n, 3) [m]: the prediction, or that of the pins and as a whole alone,
        whichever has less of a potential."""
        no_force = np.zeros((len(self.parts), 3))
        still = np.where(self.free[:, None], self._rigid_motion(predicted, of_momentum, inertia, no_force), predicted)
        least = self._total(state, x0, predicted, inertia, still, [])
        if self._total(state, x0, predicted, inertia, predicted, []) <= least:
            return predicted.copy()
        self._total(state, x0, predicted, inertia, still, [])
        return still

    def _total(self, state: State, x0: Array, goal: Array, weight: Array, move: Array, springs: list) -> float:
        """The potential at a motion [J]; the energies are those there then."""
        at, x = np.empty_like(move), np.empty_like(move)
        total = go(move, move, 0.0, x0, goal, weight, at, x)
        self._energy = self._elastic(state, x)
        return total + sum(kind.potential(move) for kind in springs) + self._energy

    def _fill(self, inertia: Array, exact: bool) -> None:
        """Fills the matrix where the potential was asked for last. exact: see `SolidPart.assemble`."""
        self._eliminated, self._couplings = self._none_eliminated, self._no_couplings
        for part, own, blocks in zip(self.parts, self.rows, self._blocks, strict=True):
            part.assemble(inertia[own], exact, self.values[blocks])

    def _line_search(
        self, state: State, x0: Array, goal: Array, weight: Array, move: Array, more: Array, springs: list
    ) -> tuple[float, float]:
        """The share of `more` that does not raise the potential, and the potential's fall [J]; move becomes the motion with
        it, where the potential is asked for last."""
        at, x = np.empty_like(move), np.empty_like(move)
        before = go(move, move, 0.0, x0, goal, weight, at, x) + sum(kind.potential(move) for kind in springs) + self._energy
        most, start, share = before + ROUNDING * abs(before), move.copy(), 1.0
        for _ in range(HALVINGS + 1):
            move[:] = start + share * more
            now = self._total(state, x0, goal, weight, move, springs)
            if now <= most:
                return share, before - now
            share *= 0.5
        move[:] = start
        self._total(state, x0, goal, weight, move, springs)
        return 0.0, 0.0
