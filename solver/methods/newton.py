"""Newton's method on the potential of a substep: the reference that the other methods are measured against.

A sweep is one Newton step: the Hessian's system by conjugate gradients, preconditioned by the vertices' own 3x3 blocks, then
a line search that halves the step until the potential falls. The Hessian is the true one as long as it is positive along
the directions met, else the energies' positive one. Each system is solved the more exactly, the closer the end is, so the
last steps converge quadratically. Source: Nocedal and Wright 2006, "Numerical Optimization", sections 7.1 and 3.1;
close to the end, Hager and Zhang 2005, "A new conjugate gradient method with guaranteed descent and an efficient line
search".

Choose `dtype="float64"` with it: in float32 rounding ends the descent at a residual near 1e-4.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from ..device.counters import counters
from ..linalg.conjugate_gradients import advance, dot
from ..model.model import Model
from ..model.state import State
from . import newton_loops, potential
from .batch import add_diagonal_blocks, add_hessian_times

#: Residual, over that of the prediction, at which a substep is solved; a setting's tolerance may require less.
SOLVED = {"float64": 1e-10, "float32": 1e-5}
#: A system is solved to this share of its right side at first, and more exactly as the residual falls.
LOOSEST = 0.1
#: Conjugate gradients stop after this many iterations; meshes 100 elements long need a few hundred.
MOST_ITERATIONS = 1000
#: Least decrease of a step as a share of its linear prediction; largest number of halvings.
ARMIJO = 1e-4
HALVINGS = 30


class Newton:
    """Newton steps on all vertices of a model. `methods/__init__.py` defines a method."""

    needs = ("gradient", "hessian_times")
    takes_changing_elements = False

    def __init__(self, model: Model):
        self.model = model
        dtype = np.dtype(model.settings.dtype)
        n = model.n_vertices + 4
        self.goal = SOLVED[model.settings.dtype]
        if model.settings.tolerance is not None:
            self.goal = min(self.goal, 0.5 * model.settings.tolerance)
        self.gradient, self.direction, self.product, self.residual, self.z, self.trial = np.zeros((6, n, 4), dtype)
        self.correction = np.zeros((n, 4), dtype)
        self.inverse = np.zeros((n, 6), dtype)
        self.first = 0.0
        self.systems = 0
        self.products = 0

    @staticmethod
    def state_numbers(energy: ModuleType) -> int:
        return 0

    def begin(self, state: State) -> None:
        """Forget the last substep."""
        self.first = 0.0

    def sweep(self, state: State, iteration: int) -> bool:
        """One Newton step; true if there was nothing left to do."""
        x = state.x
        value = potential.gradient(self.model, state, x, state.correction, self.gradient)
        left = newton_loops.norm(self.gradient)
        self.first = max(self.first, left)
        if left <= self.goal * self.first:
            return True
        share = min(LOOSEST, left / self.first)
        self._prepare(state)
        for exact in (1, 0):
            if not self._solve(state, exact, share * left):
                continue
            if self._descend(state, value, left):
                return False
        return True  # rounding hides any descent

    def _prepare(self, state: State) -> None:
        """The inverses of the vertices' blocks at x."""
        self.inverse.fill(0)
        for batch, memory in zip(self.model.batches, state.strains_at_start, strict=True):
            add_diagonal_blocks(batch, memory, state.x, self.inverse)
        newton_loops.invert_blocks(state.x, state.x.dtype.type(state.inertia), self.inverse)

    def _multiply(self, state: State, exact: int) -> None:
        """product = Hessian times direction."""
        self.products += 1
        counters.matrix_products += 1
        self.product.fill(0)
        for batch, memory in zip(self.model.batches, state.strains_at_start, strict=True):
            add_hessian_times(batch, memory, state.x, self.direction, exact, self.product)
        newton_loops.add_inertia_times(state.x, self.direction, state.x.dtype.type(state.inertia), self.product)

    def _solve(self, state: State, exact: int, goal: float) -> bool:
        """Set `trial` to the Newton step; false if the Hessian turned out not to be positive."""
        self.systems += 1
        counters.linear_systems += 1
        step = self.trial
        step.fill(0)
        self.residual[...] = -self.gradient
        number = state.x.dtype.type
        old = newton_loops.precondition(self.inverse, self.residual, self.z)
        self.direction[...] = self.z
        for _ in range(MOST_ITERATIONS):
            counters.cg_iterations += 1
            self._multiply(state, exact)
            curvature = dot(self.direction, self.product)
            if not curvature > 0:
                return old == 0
            advance(number(old / curvature), self.direction, self.product, step, self.residual)
            if newton_loops.norm(self.residual) <= goal:
                break
            new = newton_loops.precondition(self.inverse, self.residual, self.z)
            newton_loops.turn(self.z, number(new / old), self.direction)
            old = new
        return True

    def _descend(self, state: State, value: float, left: float) -> bool:
        """Go along the step while the potential falls; false if it does not fall at all. left: norm of the gradient."""
        step, trial = self.direction, self.product
        step[...] = self.trial
        slope = dot(self.gradient, step)
        if not slope < 0:
            return False
        share = 1.0
        for _ in range(HALVINGS):
            length = state.x.dtype.type(share)
            newton_loops.moved(state.x_pred, state.correction, length, step, self.correction, trial)
            new = potential.gradient(self.model, state, trial, self.correction, self.z)
            # Close to the end the potential falls by less than its rounding; its slopes still have their digits.
            flatter = dot(self.z, step) <= -(1 - 2 * ARMIJO) * slope and newton_loops.norm(self.z) < left
            if new <= value + ARMIJO * share * slope or flatter:
                state.x[...] = trial
                state.correction[...] = self.correction
                return True
            share *= 0.5
        return False
