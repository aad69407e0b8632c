"""The potential that a substep minimises, and the residual of its balance of forces.

    phi = inertia / (2 w) |x - x_pred|^2 + U(x) - load . x  [J]

w is h^2 / mass of a vertex. Backward Euler has inertia 1 and no load (gravity is in x_pred); a quasi-static solve has
inertia 0 and gravity as its load. Source: Martin et al. 2011, "Example-based elastic materials".
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..model.model import Model
from ..model.state import State
from .batch import add_gradient


def elastic(model: Model, state: State, x: np.ndarray, out: np.ndarray) -> float:
    """Set `out` to the gradient of the energies at x [N], (n, 4), and return their sum [J]."""
    out.fill(0)
    batches = zip(model.batches, state.strains_at_start, strict=True)
    return sum(add_gradient(batch, memory, x, out) for batch, memory in batches)


def gradient(model: Model, state: State, x: np.ndarray, correction: np.ndarray, out: np.ndarray) -> float:
    """Set `out` to the gradient of phi at x [N], (n, 4), 0 at fixed vertices; return phi [J]. correction: x - x_pred."""
    energy = elastic(model, state, x, out)
    kinetic, work = add_inertia(x, correction, state.load, x.dtype.type(state.inertia), out)
    return energy + kinetic - work


@kernel
def add_inertia(x, correction, load, inertia, out):
    """Add inertia and load to the gradient `out`, and clear it at fixed vertices; return the two energies [J].

    The work of the load is taken from x_pred on: what does not change has no digits to lose.
    """
    kinetic = 0.0
    work = 0.0
    for v in range(len(x)):
        if x[v, 3] <= 0:
            for i in range(4):
                out[v, i] = 0
            continue
        for i in range(3):
            moved = correction[v, i]
            pull = inertia * moved / x[v, 3]
            kinetic += 0.5 * float(pull * moved)
            work += float(load[v, i] * moved)
            out[v, i] += pull - load[v, i]
        out[v, 3] = 0
    return kinetic, work
