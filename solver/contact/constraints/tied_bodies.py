"""Ties of vertices to rigid bodies in a substep: contacts that stick in every direction, without a distance to keep.

The bodies feel the force of a tie, as that of a contact, by their twist. Its arm is that of the substep's start, where the
momenta are: so the vertices and the body keep their angular momentum together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cpu import kernel
from ...device.uncounted import inline
from ...mathlib.vec3 import add_scaled, cross, dot
from ...model.rigid_ties import RigidTies
from ...steering import LEAST_TOLERANCE, MOST_PASSES
from .coupling import Coupling
from .linear import LinearRows
from .tables import COUPLED_SIDE, Array

#: Gap [m] and coefficient of friction of a contact without a normal that always sticks: its bound is beyond any force.
STICKS = -1e-8, 1e12


class TiedTable(NamedTuple):
    """Ties in one substep. corners, weights: of the vertices, (k, 4). body: (k,). side: weight of the body's point, (k,).

    arm: of this point, times its weight [m], gap: without ties [m], force: on the vertices' points [N]; all (k, 3).
    stiffness: force that closes the gap by a metre [N/m], (k, 3, 3).
    """

    corners: Array
    weights: Array
    body: Array
    side: Array
    arm: Array
    gap: Array
    force: Array
    stiffness: Array


class TiedBodies:
    """The ties of a world in one substep. table: see `TiedTable`."""

    def __init__(self, coupling: Coupling, ties: RigidTies, distance: Array) -> None:
        """distance: kept by the particles [m], (n,); ties miss their target by a small share of the least."""
        self._coupling, self.ties = coupling, ties
        dtype, count = coupling.table.weights.dtype, len(ties)
        weights, side = ties.weights.astype(dtype), ties.side.astype(dtype)
        arm, gap, force = np.zeros((3, count, 3), dtype)
        self.table = TiedTable(ties.corners, weights, ties.body, side, arm, gap, force, np.zeros((count, 3, 3), dtype))
        self._tolerance = dtype.type(LEAST_TOLERANCE * float(distance[ties.corners].min(initial=1.0)))
        self._rigid = coupling.rigid_table()

    def __len__(self) -> int:
        return len(self.ties)

    def begin(self, x0: Array) -> None:
        """Start the ties, with no force yet. x0: h^2/m in the last column, (n, 4)."""
        ties, rigid, table = self.ties, self._coupling.rigid, self.table
        self._rigid = self._coupling.rigid_table()
        table.gap[:] = rigid.tied_vertices + ties.of_bodies(rigid)
        table.arm[:] = ties.arms(rigid.start_turn)
        table.force[:] = 0
        self.reweigh(x0)

    def reweigh(self, x0: Array) -> None:
        """Update the effective stiffness of each tie: force that closes its gap by a metre. x0: see `begin`."""
        if not len(self):
            return
        ties, rigid, stiffness = self.ties, self._coupling.rigid, self.table.stiffness
        across = np.cross(self.table.arm.astype(float)[:, None, :], np.eye(3))  # arm x e_i
        compliance = np.einsum("kia,kab,kjb->kij", across, rigid.swing[ties.body].astype(float), across)
        spread = (ties.weights**2 * x0[ties.corners, 3]).sum(1) + rigid.push[ties.body]
        compliance += spread[:, None, None] * np.eye(3)
        moves = spread > 0  # none of what sleeps, and of pins
        stiffness[moves] = np.linalg.inv(compliance[moves])
        stiffness[~moves] = 0

    def sweep(self, x0: Array, x: Array) -> None:
        """Close the gaps, in place, one after the other until each is within the tolerance. x: (n, 4) [m]; the bodies' part
        is kept as their twist."""
        for _ in range(MOST_PASSES if len(self) else 0):
            if sweep(self.table, self._rigid, self._tolerance, x0, x) <= self._tolerance:
                return

    def end(self) -> None:
        """Keep the forces, with which the next substep begins."""
        self._coupling.rigid.tie_forces[:] = self.table.force

    def corners(self) -> Array:
        """The vertices that ties may push, any number of times, (k,)."""
        return self.ties.corners[self.ties.weights != 0]

    def mark(self, touched: Array) -> None:
        """Written: touched, true at the vertices that ties push, (n,) bool."""
        touched[self.corners()] = True

    def joined(self) -> tuple[Array, Array]:
        """See `LinearContacts`."""
        return self.table.corners, self.table.weights

    def without_force(self) -> Array:
        """Return which ties have no force yet, (k,) bool."""
        return (self.table.force == 0).all(1)

    def rows(self, which: Array) -> LinearRows:
        """See `LinearContacts`."""
        count, force = len(which), self._coupling.rigid.tie_forces[which]
        gap, mu = (np.full(count, number) for number in STICKS)
        last = np.column_stack([np.zeros(count), force])
        return LinearRows(np.zeros((count, 3)), gap, -self.table.gap[which].astype(float), mu, last)

    def sides(self, which: Array) -> tuple[Array, Array]:
        """See `CoupledContacts.sides`."""
        bodies, sides = np.full((len(which), 2), -1, "int32"), np.zeros((len(which), 2, COUPLED_SIDE.width))
        bodies[:, 0], sides[:, 0, COUPLED_SIDE.weight] = self.ties.body[which], self.ties.side[which]
        sides[:, 0, COUPLED_SIDE.arm :] = self.table.arm[which]
        return bodies, sides

    def push_bodies(self, which: Array, forces: Array, missing: Array) -> None:
        """Let bodies feel forces that a linear system has found; sweeps continue from these.

        forces: on the vertices' points [N], missing: of the gaps, which counts as met [m], both (k, 3)."""
        gap, force = self.table.gap, self.table.force
        force[which] += forces.astype(force.dtype)
        gap[which] -= missing.astype(gap.dtype)
        push(which, self.table, self._rigid)


@kernel
def push(which, table, rigid):
    """Move the bodies of ties by the forces of these. Written: twists."""
    for c in which:
        _push(c, (table.force[c, 0], table.force[c, 1], table.force[c, 2]), table, rigid)


@kernel
def sweep(table, rigid, tolerance, x0, x):
    """Close the gaps of ties that exceed the tolerance [m]; return the largest one found [m]. Written: forces, twists, x."""
    corners, weights, body, side, arm, gap, force, stiffness = table
    twist = rigid.twist
    zero = tolerance - tolerance
    most = zero
    for c in range(len(body)):
        t, w = twist[body[c]], side[c]
        turn = cross((t[3], t[4], t[5]), (arm[c, 0], arm[c, 1], arm[c, 2]))
        d = (gap[c, 0] + w * t[0] + turn[0], gap[c, 1] + w * t[1] + turn[1], gap[c, 2] + w * t[2] + turn[2])
        for a in range(corners.shape[1]):
            v = corners[c, a]
            d = add_scaled(d, weights[c, a], (x[v, 0] - x0[v, 0], x[v, 1] - x0[v, 1], x[v, 2] - x0[v, 2]))
        miss = math.sqrt(dot(d, d))
        most = max(most, miss)
        if miss <= tolerance:
            continue
        k = stiffness[c]
        f = (
            zero - k[0, 0] * d[0] - k[0, 1] * d[1] - k[0, 2] * d[2],
            zero - k[1, 0] * d[0] - k[1, 1] * d[1] - k[1, 2] * d[2],
            zero - k[2, 0] * d[0] - k[2, 1] * d[1] - k[2, 2] * d[2],
        )
        for a in range(corners.shape[1]):
            v = corners[c, a]
            share = weights[c, a] * x[v, 3]
            x[v, 0] += share * f[0]
            x[v, 1] += share * f[1]
            x[v, 2] += share * f[2]
        force[c, 0] += f[0]
        force[c, 1] += f[1]
        force[c, 2] += f[2]
        _push(c, f, table, rigid)
    return most


@inline
def _push(c, f, table, rigid):
    """Move the body of a tie by a force on its vertices [N]."""
    b, arm = table.body[c], table.arm
    twist, swing, w = rigid.twist, rigid.swing, table.side[c] * rigid.push[b]
    t = cross((arm[c, 0], arm[c, 1], arm[c, 2]), f)
    for i in range(3):
        twist[b, i] += w * f[i]
        twist[b, 3 + i] += swing[b, i, 0] * t[0] + swing[b, i, 1] * t[1] + swing[b, i, 2] * t[2]
