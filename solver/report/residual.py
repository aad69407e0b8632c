"""The residual: the force of a state's imbalance in its integrator's equation, over that at the prediction.

Positions are stored in `Settings.dtype`. Their rounding alone causes a force, in single precision a large one for a stiff
sheet in free fall: no sweep removes it, and it says nothing about the state. So it is measured, by moving every coordinate
by its last digit up or down. A substep that starts with no larger force has nothing to solve; one that has come down to it
has converged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device.cpu import kernel
from ..methods import potential
from ..model.model import Model
from ..model.state import State

Array = np.ndarray

#: Sweeps leave up to 1.5 times the force that moving every coordinate by its last digit causes (measured with all methods,
#: fabrics and jellies in free fall and turning, 1 to 500 sweeps).
ROUNDING_FACTOR = 3.0
#: Of all elastic forces at the prediction, without inertia the share that counts at least.
LEAST = 1e-3


@dataclass(frozen=True)
class ResidualScale:
    """Reference for the residual force of a substep.

    at_prediction: the force at the prediction, and rounding: its change under a displacement by the last digit, [N], (n + 4,
    4). least: the smallest force that counts [N], 0 with inertia. Without it, a thousandth of all elastic forces at the
    prediction, including those on the pins: without loads on free vertices, there is no other reference.
    """

    at_prediction: Array
    rounding: Array
    least: float

    def relative(self, left: Array, begun: Array, pushed: Array) -> float:
        """Return the size of the residual force over that at the substep's start [1]; 0 if it is rounding.

        pushed: vertices with contact forces, (n,) bool. The energies do not contain contacts, so the force there balances
        contact: it is no error of the state, but counts as a force at the start, for a body at ease until it lands.
        """
        of_contact, rounding = size(left, ~pushed), size(self.rounding, pushed)
        return relative(size(left, pushed), size(begun, pushed), of_contact, rounding, self.least)

    def is_rounding(self, left: Array, pushed: Array) -> bool:
        """Return whether the residual force is no larger than that of rounding: further sweeps have no effect."""
        return size(left, pushed) <= ROUNDING_FACTOR * size(self.rounding, pushed)


def relative(left: float, begun: float, of_contact: float, rounding: float, least: float) -> float:
    """See `ResidualScale.relative`. Sizes of forces [N]: left, begun and rounding of vertices without contact, of_contact:
    left of those with contact."""
    began = math.hypot(begun, of_contact)
    return 0.0 if began <= ROUNDING_FACTOR * rounding else left / max(began, least)


def residual_scale(model: Model, state: State) -> ResidualScale:
    """Made once for a substep, before or after its sweeps."""
    nowhere = np.zeros(state.x.shape, state.x.dtype)
    at_prediction, _ = force_at(model, state, state.x_pred, nowhere)
    beside, _ = force_at(model, state, rounded(state.x_pred), nowhere)
    least = 0.0
    if state.inertia == 0:
        elastic = np.empty_like(state.x)
        potential.elastic(model, state, state.x_pred, elastic)
        least = least_force(elastic, model.n_vertices)
    return ResidualScale(at_prediction, beside - at_prediction, least)


def least_force(elastic: Array, n: int) -> float:
    """The smallest force that counts without inertia [N]. elastic: all elastic forces at the prediction, (n + 4, 4)."""
    return LEAST * size(elastic, np.zeros(n, bool))


@dataclass(frozen=True)
class Forces:
    """Forces of a report: the residual force at x, (n + 4, 4) [N], the elastic energy there [J], their scale."""

    left: Array
    elastic_energy: float
    scale: ResidualScale


def forces_of(model: Model, state: State) -> Forces:
    """Measure at the end of a substep."""
    scale = residual_scale(model, state)
    return Forces(*force_at(model, state, state.x, state.correction), scale)


def force_at(model: Model, state: State, x: Array, correction: Array) -> tuple[Array, float]:
    """M correction / h^2 + grad U at x [N], without inertia grad U less gravity; 0 at fixed vertices: (n + 4, 4). And U [J].

    correction: x - x_pred [m], (n + 4, 4).
    """
    force = np.empty_like(x)
    elastic = potential.elastic(model, state, x, force)
    potential.add_inertia(x, correction, state.load, x.dtype.type(state.inertia), force)
    return force, elastic


def rounded(x: Array) -> Array:
    """x with every coordinate moved to the next number of its type, up or down without a pattern. x: (n, 4)."""
    moved = x.copy()
    add_last_digits(moved)
    return moved


@kernel
def add_last_digits(x):
    """Move every coordinate to the next number of its type, up or down by Knuth's multiplicative hash. x: (n, 4)."""
    for v in range(len(x)):
        for k in range(3):
            digit = np.spacing(abs(x[v, k]))
            x[v, k] += digit if ((3 * v + k) * 2654435761 >> 16) & 1 else -digit


@kernel
def size(force, skip):
    """Root of the sum of squares over the vertices that are not skipped [N]; finite for finite forces."""
    total = 0.0
    for i in range(len(skip)):
        if not skip[i]:
            for k in range(3):
                total += float(force[i, k]) ** 2
    return math.sqrt(total)
