"""The contact planes of one body's vertices, as the global stage needs them.

A plane pushes with `stiff` times its violation; friction is a spring back to where the collider's point goes, as stiff as
Coulomb's bound at the last estimate of the motion allows. Both only add to a vertex's own block, so contact costs the
system nothing. Afterwards the contacts take over their forces, as the displacements that their own sweeps keep.
Source of the friction: Li et al. 2020, "Incremental Potential Contact" (lagged), with the bound by iterative reweighting.
"""

from __future__ import annotations

import numpy as np

from ..contact.vertex_contact import DRIFT, GAP, LAMBDA, MU, NORMAL, SLOTS, TANGENT
from ..device.cpu import kernel

Array = np.ndarray

#: Tangential motion [m] below which friction is as stiff as the contact itself.
STILL = 1e-9
#: Contacts are as stiff as so many times the trace of their vertex's own block.
STIFFNESS = 1.0


class ContactPlanes:
    """row: of the contacts' slots, (c,). vertex: row of the system, (c,). normal (c, 3). gap: at the substep's start [m], (c,).
    drift: motion of the collider's point [m], (c, 3). mu (c,). stiff, grip: normal and tangential stiffness [N/m], (c,).
    most: what stiff is where a contact pushes, for each row of the system [N/m], (n,)."""

    def __init__(self, row: Array, vertex: Array, slots: Array):
        self.row, self.vertex = row, vertex
        self.normal = np.ascontiguousarray(slots[:, NORMAL : NORMAL + 3])
        self.gap, self.mu = np.ascontiguousarray(slots[:, GAP]), np.ascontiguousarray(slots[:, MU])
        self.drift = np.ascontiguousarray(slots[:, DRIFT : DRIFT + 3])
        self.stiff, self.grip, self.most = np.zeros(len(row)), np.zeros(len(row)), np.zeros(0)

    def set_most(self, trace: Array) -> None:
        """trace: of each vertex's own block without contacts [N/m], (n,)."""
        self.most = STIFFNESS * trace.astype(float)

    def touch(self, move: Array, weight: Array, diagonal: Array, values: Array) -> None:
        """Chooses the contacts that push at an estimate of the motion, and adds them to the matrix.

        weight: [N] that a metre of violation stands for at the estimate, (n,).
        """
        c = (self.vertex, self.normal)
        stiffen(*c, self.gap, self.drift, self.mu, self.most, weight, move, self.stiff, self.grip)
        add_blocks(*c, self.stiff, self.grip, diagonal, values)

    def add_forces(self, moved: Array, force: Array) -> None:
        add_forces(self.vertex, self.normal, self.gap, self.drift, self.stiff, self.grip, moved, force)

    def potential(self, move: Array) -> float:
        """Energy of the contacts' springs [J]. move: (n, 3) [m]."""
        return contact_potential(self.vertex, self.normal, self.gap, self.drift, self.most, self.grip, move)

    def hand_over(self, contact, x0: Array, move: Array) -> None:
        """The contacts keep what they have moved the vertices."""
        c = (self.normal, self.gap, self.drift, self.mu, self.stiff, self.grip)
        hand_to_contacts(self.row, self.vertex, *c, x0, move, contact.slots)


def planes_of(contact, start: int, stop: int, rank: Array) -> ContactPlanes | None:
    """What a contact system has found for the vertices start to stop in this substep; None for nothing.

    rank: row of each vertex in the system, (stop - start,).
    """
    if contact is None or not len(contact.hot):
        return None
    hot = contact.hot[np.searchsorted(contact.hot, start) : np.searchsorted(contact.hot, stop)]
    if not len(hot):
        return None
    number = contact.number[hot]
    ends = np.cumsum(number)
    row = np.repeat(hot * SLOTS - (ends - number), number) + np.arange(ends[-1])
    return ContactPlanes(row, np.repeat(rank[hot - start], number), contact.slots[row].astype(float))


@kernel
def stiffen(vertex, normal, gap, drift, mu, most, weight, move, stiff, grip):
    """Chooses stiff and grip for an estimate of the motion. most: [N/m] for each vertex, (n,). weight: [N] of force
    a metre of violation stands for at the estimate, (n,). move: the estimate [m], (n, 3)."""
    for c in range(len(vertex)):
        v = vertex[c]
        d0 = move[v, 0]
        d1 = move[v, 1]
        d2 = move[v, 2]
        along = normal[c, 0] * d0 + normal[c, 1] * d1 + normal[c, 2] * d2
        stiff[c] = 0.0
        grip[c] = 0.0
        if along + gap[c] >= 0:
            continue
        stiff[c] = most[v]
        r0 = d0 - drift[c, 0]
        r1 = d1 - drift[c, 1]
        r2 = d2 - drift[c, 2]
        along = normal[c, 0] * r0 + normal[c, 1] * r1 + normal[c, 2] * r2
        square = r0 * r0 + r1 * r1 + r2 * r2 - along * along
        force = -weight[v] * (normal[c, 0] * d0 + normal[c, 1] * d1 + normal[c, 2] * d2 + gap[c])
        grip[c] = min(mu[c] * force / max(np.sqrt(max(square, 0.0)), STILL), most[v])


@kernel
def add_blocks(vertex, normal, stiff, grip, diagonal, values):
    """Adds the contacts' stiffness to the vertices' own blocks."""
    for c in range(len(vertex)):
        if stiff[c] == 0:
            continue
        at = diagonal[vertex[c]]
        more = stiff[c] - grip[c]
        for i in range(3):
            for j in range(3):
                number = more * normal[c, i] * normal[c, j]
                if i == j:
                    number += grip[c]
                values[at, 3 * i + j] += number


@kernel
def add_forces(vertex, normal, gap, drift, stiff, grip, moved, force):
    """Adds the contacts' forces [N] with their stiffness as chosen, at a motion (n, 3) [m]."""
    for c in range(len(vertex)):
        if stiff[c] == 0:
            continue
        v = vertex[c]
        push = gap[c]
        along = 0.0
        for i in range(3):
            push += normal[c, i] * moved[v, i]
            along += normal[c, i] * (moved[v, i] - drift[c, i])
        for i in range(3):
            slip = moved[v, i] - drift[c, i] - along * normal[c, i]
            force[v, i] -= stiff[c] * push * normal[c, i] + grip[c] * slip


@kernel
def contact_potential(vertex, normal, gap, drift, most, grip, move):
    total = 0.0
    for c in range(len(vertex)):
        v = vertex[c]
        push = gap[c]
        along = 0.0
        square = 0.0
        for i in range(3):
            d = move[v, i]
            r = d - drift[c, i]
            push += normal[c, i] * d
            along += normal[c, i] * r
            square += r * r
        push = min(push, 0.0)
        total += 0.5 * most[v] * push * push + 0.5 * grip[c] * max(square - along * along, 0.0)
    return total


@kernel
def hand_to_contacts(row, vertex, normal, gap, drift, mu, stiff, grip, x0, move, slots):
    """Sets the multiplier and the friction of the contacts to their forces at `move`."""
    for c in range(len(vertex)):
        if stiff[c] == 0:
            continue
        v = vertex[c]
        w = float(x0[v, 3])
        push = gap[c]
        along = 0.0
        for i in range(3):
            push += normal[c, i] * move[v, i]
            along += normal[c, i] * (move[v, i] - drift[c, i])
        force = max(-stiff[c] * push, 0.0)
        slots[row[c], LAMBDA] = w * force
        square = 0.0
        for i in range(3):
            slip = move[v, i] - drift[c, i] - along * normal[c, i]
            square += slip * slip
        wanted = grip[c] * np.sqrt(square)
        share = 0.0
        if wanted > 0:
            share = min(1.0, mu[c] * force / wanted)
        for i in range(3):
            slip = move[v, i] - drift[c, i] - along * normal[c, i]
            slots[row[c], TANGENT + i] = -w * share * grip[c] * slip
