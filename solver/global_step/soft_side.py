"""The soft bodies' side of a sheet's contacts in the global step's linear system.

The system knows where a soft body is predicted and how heavy its vertices are, not how they resist each other: that is swept
afterwards. A vertex has a compliance of h^2 / m, so a spring of stiffness k to a soft body is to the sheet one of

    k / (1 + k c),  c = sum w^2 h^2 / m over the corners on the other side,

and neither needs unknowns of its own. A vertex in several contacts counts with an equal share of its mass in each: all of
them move it by the mean of their predictions, so that they gain no energy together.
Source: Tonge, Benevolenski, Voroshilov 2012, "Mass splitting for jitter-free parallel rigid body simulation".
"""

from __future__ import annotations

import numpy as np

from ..model.state import State

Array = np.ndarray


class SoftSide:
    """Soft side of each contact. vertices: of the model, (c, 4); weights: of these, 0 for none, (c, 4); mobility: h^2 / m
    times the weights [s^2/kg], (c, 4)."""

    def __init__(self, state: State, vertices: Array, weights: Array) -> None:
        self._state, self._vertices, self._weights = state, vertices, weights
        self._mobility = weights * state.x[vertices, 3].astype(float)

    def motion(self) -> Array:
        """Return the motion of the points of contact since the substep's start [m], (c, 3)."""
        moved = self._state.x[self._vertices, :3].astype(float) - self._state.x0[self._vertices, :3]
        return np.einsum("ca,cai->ci", self._weights, moved)

    def compliance(self, pushes: Array) -> Array:
        """Return the compliance of each point [m/N], (c,). pushes: which contacts share the mass, (c,) bool."""
        on = pushes[:, None] & (self._weights != 0)
        contacts = np.bincount(self._vertices[on], minlength=len(self._state.x))
        return (self._weights * self._mobility * np.maximum(contacts[self._vertices], 1)).sum(1)

    def push(self, forces: Array) -> None:
        """Move the bodies by the forces of their contacts [N], (c, 3)."""
        push_corners(self._state, self._vertices, self._mobility, forces)


def push_corners(state: State, vertices: Array, mobility: Array, forces: Array) -> None:
    """Move the corners of contacts by forces [N], (c, 3). vertices, mobility: see `SoftSide`."""
    moves = np.zeros((len(state.x), 3))
    np.add.at(moves, vertices, mobility[:, :, None] * forces[:, None])
    rows = np.unique(vertices[mobility != 0])
    state.move(rows, moves[rows])
