"""Ties of vertices to rigid bodies in a substep: contacts that stick in every direction, without a distance to keep.

The bodies feel the force of a tie, as that of a contact, by their twist. Its arm is that of the substep's start, where the
momenta are: so the vertices and the body keep their angular momentum together.
"""

from __future__ import annotations

import math

import numpy as np

from ...device.cpu import kernel
from ...device.uncounted import subroutine
from ...mathlib.vec3 import cross, dot
from ...model.rigid_ties import RigidTies
from ...steering import LEAST_TOLERANCE, MOST_PASSES
from .coupling import Coupling
from .linear import LinearRows
from .tables import COUPLED_SIDE, Array

#: Gap [m] and coefficient of friction of a contact without a normal that always sticks: its bound is beyond any force.
STICKS = -1e-8, 1e12


class TiedBodies:
    """The ties of a world in one substep. gap: at the substep's start, and what the bodies move by without ties [m]. arm: of
    the bodies' points, times their weight [m]. force: on the vertices' points [N]; all (k, 3)."""

    def __init__(self, coupling: Coupling, ties: RigidTies, distance: Array) -> None:
        """distance: kept by the particles [m], (n,); ties miss their target by a small share of the least."""
        self._coupling, self.ties = coupling, ties
        dtype, count = coupling.table.weights.dtype, len(ties)
        self._weights, self._side = ties.weights.astype(dtype), ties.side.astype(dtype)
        self.gap, self.arm, self.force = np.zeros((3, count, 3), dtype)
        self._stiffness = np.zeros((count, 3, 3), dtype)
        self._tolerance = dtype.type(LEAST_TOLERANCE * float(distance[ties.corners].min(initial=1.0)))

    def __len__(self) -> int:
        return len(self.ties)

    def begin(self, x0: Array) -> None:
        """Start the ties, with no force yet. x0: h^2/m in the last column, (n, 4)."""
        ties, rigid = self.ties, self._coupling.rigid
        self.gap[:] = rigid.tied_vertices + ties.of_bodies(rigid)
        self.arm[:] = ties.arms(rigid.start_turn)
        self.force[:] = 0
        self.reweigh(x0)

    def reweigh(self, x0: Array) -> None:
        """Set the forces that close each gap by a metre anew. x0: see `begin`."""
        if not len(self):
            return
        ties, rigid = self.ties, self._coupling.rigid
        across = np.cross(self.arm.astype(float)[:, None, :], np.eye(3))  # arm x e_i
        compliance = np.einsum("kia,kab,kjb->kij", across, rigid.swing[ties.body].astype(float), across)
        spread = (ties.weights**2 * x0[ties.corners, 3]).sum(1) + rigid.push[ties.body]
        compliance += spread[:, None, None] * np.eye(3)
        moves = spread > 0  # none of what sleeps, and of pins
        self._stiffness[moves] = np.linalg.inv(compliance[moves])
        self._stiffness[~moves] = 0

    def sweep(self, x0: Array, x: Array) -> None:
        """Close the gaps, in place, one after the other until each is within the tolerance. x: (n, 4) [m]; the bodies' part
        is kept as their twist."""
        ties, rigid = self.ties, self._coupling.rigid
        for _ in range(MOST_PASSES if len(self) else 0):
            vertices, bodies = (ties.corners, self._weights), (ties.body, self._side, self.arm)
            tables = self.gap, self._stiffness, self.force, rigid.push, rigid.swing, rigid.twist
            if sweep(*vertices, *bodies, *tables, self._tolerance, x0, x) <= self._tolerance:
                return

    def end(self) -> None:
        """Mark the end of a substep: the next one begins with its forces."""
        self._coupling.rigid.tie_forces[:] = self.force

    def corners(self) -> Array:
        """The vertices that ties may push, any number of times, (k,)."""
        return self.ties.corners[self.ties.weights != 0]

    def mark(self, touched: Array) -> None:
        """Written: touched, true at the vertices that ties push, (n,) bool."""
        touched[self.corners()] = True

    def joined(self) -> tuple[Array, Array]:
        """See `LinearContacts`."""
        return self.ties.corners, self._weights

    def without_force(self) -> Array:
        """Return which ties have no force yet, (k,) bool."""
        return (self.force == 0).all(1)

    def rows(self, which: Array) -> LinearRows:
        """See `LinearContacts`."""
        count, force = len(which), self._coupling.rigid.tie_forces[which]
        gap, mu = (np.full(count, number) for number in STICKS)
        last = np.column_stack([np.zeros(count), force])
        return LinearRows(np.zeros((count, 3)), gap, -self.gap[which].astype(float), mu, last)

    def sides(self, which: Array) -> tuple[Array, Array]:
        """See `CoupledContacts.sides`."""
        bodies, sides = np.full((len(which), 2), -1, "int32"), np.zeros((len(which), 2, COUPLED_SIDE.width))
        bodies[:, 0], sides[:, 0, COUPLED_SIDE.weight] = self.ties.body[which], self.ties.side[which]
        sides[:, 0, COUPLED_SIDE.arm :] = self.arm[which]
        return bodies, sides

    def push_bodies(self, which: Array, forces: Array, missing: Array) -> None:
        """Let bodies feel forces that a linear system has found; sweeps continue from these.

        forces: on the vertices' points [N], missing: of the gaps, which counts as met [m], both (k, 3)."""
        rigid = self._coupling.rigid
        self.force[which] += forces.astype(self.force.dtype)
        self.gap[which] -= missing.astype(self.gap.dtype)
        push(which, self.ties.body, self._side, self.arm, self.force, rigid.push, rigid.swing, rigid.twist)


@kernel
def push(which, body, side, arm, force, mobility, swing, twist):
    """Move the bodies of ties by the forces of these [N], (k, 3). Written: twist (b, 6)."""
    for c in which:
        _push(c, body, side, arm, force[c, 0], force[c, 1], force[c, 2], mobility, swing, twist)


@kernel
def sweep(
    corners, weights, body, side, arm, gap, stiffness, force, mobility, swing, twist, tolerance, x0, x
):  # fmt: skip
    """Close the gaps of ties that exceed the tolerance [m]; return the largest one found [m]. Written: force, twist, x."""
    most = tolerance - tolerance
    for c in range(len(body)):
        b, w, zero = body[c], side[c], tolerance - tolerance
        turn = cross((twist[b, 3], twist[b, 4], twist[b, 5]), (arm[c, 0], arm[c, 1], arm[c, 2]))
        d = (gap[c, 0] + w * twist[b, 0] + turn[0], gap[c, 1] + w * twist[b, 1] + turn[1],
             gap[c, 2] + w * twist[b, 2] + turn[2])  # fmt: skip
        for a in range(corners.shape[1]):
            v, share = corners[c, a], weights[c, a]
            d = (d[0] + share * (x[v, 0] - x0[v, 0]), d[1] + share * (x[v, 1] - x0[v, 1]),
                 d[2] + share * (x[v, 2] - x0[v, 2]))  # fmt: skip
        miss = math.sqrt(dot(d, d))
        most = max(most, miss)
        if miss <= tolerance:
            continue
        k = stiffness[c]
        f = (zero - k[0, 0] * d[0] - k[0, 1] * d[1] - k[0, 2] * d[2],
             zero - k[1, 0] * d[0] - k[1, 1] * d[1] - k[1, 2] * d[2],
             zero - k[2, 0] * d[0] - k[2, 1] * d[1] - k[2, 2] * d[2])  # fmt: skip
        for a in range(corners.shape[1]):
            v = corners[c, a]
            share = weights[c, a] * x[v, 3]
            for i in range(3):
                x[v, i] += share * f[i]
        for i in range(3):
            force[c, i] += f[i]
        _push(c, body, side, arm, f[0], f[1], f[2], mobility, swing, twist)
    return most


@subroutine
def _push(c, body, side, arm, x, y, z, mobility, swing, twist):
    """Move the body of a tie by a force on its vertices [N]. Written: twist."""
    b = body[c]
    t = cross((arm[c, 0], arm[c, 1], arm[c, 2]), (x, y, z))
    w = side[c] * mobility[b]
    twist[b, 0] += w * x
    twist[b, 1] += w * y
    twist[b, 2] += w * z
    for i in range(3):
        twist[b, 3 + i] += swing[b, i, 0] * t[0] + swing[b, i, 1] * t[1] + swing[b, i, 2] * t[2]
