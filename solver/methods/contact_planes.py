"""The contacts of one body's vertices and triangles, as the global stage needs them.

A contact pushes with `stiff` times its violation; friction is a spring back to where the collider's point goes, as stiff as
Coulomb's bound at the last estimate of the motion allows. A contact of a triangle joins its corners, which the matrix has as
neighbours already. Afterwards the contacts take over their forces, as the displacements that their own sweeps keep.
Source of the friction: Li et al. 2020, "Incremental Potential Contact" (lagged), with the bound by iterative reweighting.
"""

from __future__ import annotations

import numpy as np

from ..contact.vertex_contact import DRIFT, GAP, LAMBDA, MU, NORMAL, SLOTS, TANGENT
from ..device.cpu import kernel
from .block_matrix import Pattern

Array = np.ndarray

#: Tangential motion [m] below which friction is as stiff as the contact itself.
STILL = 1e-9
#: Contacts are as stiff as so many times the trace of their vertices' own blocks.
STIFFNESS = 0.03


class ContactPlanes:
    """slots: the contacts' own rows, (c, columns), written by `hand_over`. corners: rows of the system, (c, 3); of a vertex
    all the same. weights: of the corners, (c, 3). stiff, grip: normal and tangential stiffness [N/m], (c,). most: what stiff
    is where the contact pushes."""

    def __init__(self, kinds: list[tuple[Array, Array, Array, Array]], pattern: Pattern):
        """kinds: slots of all contacts of a kind, their rows in use, corners and weights."""
        self._kinds = [(slots, row) for slots, row, _, _ in kinds]
        slots = np.concatenate([slots[row] for slots, row, _, _ in kinds]).astype(float)
        self.corners = np.concatenate([corners for *_, corners, _ in kinds]).astype(np.int32)
        self.weights = np.concatenate([weights for *_, weights in kinds]).astype(float)
        self.normal = np.ascontiguousarray(slots[:, NORMAL : NORMAL + 3])
        self.gap, self.mu = np.ascontiguousarray(slots[:, GAP]), np.ascontiguousarray(slots[:, MU])
        self.drift = np.ascontiguousarray(slots[:, DRIFT : DRIFT + 3])
        c = len(slots)
        self.stiff, self.grip, self.most = np.zeros(c), np.zeros(c), np.zeros(c)
        pairs = [(a, b) for a in range(3) for b in range(3)]
        self.places = np.stack([pattern.places(self.corners[:, a], self.corners[:, b]) for a, b in pairs], 1)

    def touch(self, move: Array, weight: Array | None, diagonal: Array, values: Array) -> None:
        """Chooses the contacts that push at an estimate of the motion, and adds them to the matrix.

        weight: M / h^2 where the estimate is the prediction, (n,) [N/m]; None where it is a solution with these contacts.
        """
        self.most = STIFFNESS * (values[diagonal][:, [0, 4, 8]].sum(1)[self.corners] * self.weights).sum(1).astype(float)
        force = self.most if weight is None else (weight[self.corners] * self.weights).sum(1)
        c = (self.corners, self.weights, self.normal, self.gap, self.drift, self.mu)
        stiffen(*c, self.most, force, move, self.stiff, self.grip)
        add_contacts(self.weights, self.normal, self.stiff, self.grip, self.places, values)

    def add_forces(self, moved: Array, force: Array) -> None:
        c = (self.corners, self.weights, self.normal, self.gap, self.drift)
        add_forces(*c, self.stiff, self.grip, moved, force)

    def potential(self, move: Array) -> float:
        """Energy of the contacts' springs [J]. move: (n, 3) [m]."""
        c = (self.corners, self.weights, self.normal, self.gap, self.drift)
        return contact_potential(*c, self.most, self.grip, move)

    def hand_over(self, x0: Array, move: Array) -> None:
        """The contacts keep what they have moved their point."""
        kept = np.zeros((len(self.stiff), 4))
        c = (self.corners, self.weights, self.normal, self.gap, self.drift, self.mu)
        hand_to_contacts(*c, self.stiff, self.grip, x0, move, kept)
        first = 0
        for slots, row in self._kinds:
            own = kept[first : first + len(row)]
            slots[row, LAMBDA] = own[:, 0]
            slots[row, TANGENT : TANGENT + 3] = own[:, 1:]
            first += len(row)


def planes_of(contact, start: int, stop: int, rank: Array, pattern: Pattern) -> ContactPlanes | None:
    """What a contact system has found for the vertices start to stop in this substep; None for nothing.

    rank: row of each vertex in the system, (stop - start,).
    """
    if contact is None:
        return None
    kinds = []
    hot = contact.hot[np.searchsorted(contact.hot, start) : np.searchsorted(contact.hot, stop)]
    if len(hot):
        number = contact.number[hot]
        ends = np.cumsum(number)
        row = np.repeat(hot * SLOTS - (ends - number), number) + np.arange(ends[-1])
        corners = np.repeat(np.repeat(rank[hot - start], number)[:, None], 3, 1)
        kinds.append((contact.slots, row, corners, np.tile([1.0, 0.0, 0.0], (len(row), 1))))
    some = contact.contacts
    corners = some.corners[: some.count]
    row = np.flatnonzero((corners[:, 0] >= start) & (corners[:, 0] < stop))
    if len(row):
        kinds.append((some.slots, row, rank[corners[row] - start], some.weights[row]))
    return ContactPlanes(kinds, pattern) if kinds else None


@kernel
def stiffen(corners, weights, normal, gap, drift, mu, most, weight, move, stiff, grip):
    """Chooses stiff and grip for an estimate of the motion, (n, 3). weight: force over violation there [N/m], (c,)."""
    for c in range(len(corners)):
        push = gap[c]
        along = 0.0
        square = 0.0
        for i in range(3):
            d = 0.0
            for a in range(3):
                d += weights[c, a] * move[corners[c, a], i]
            push += normal[c, i] * d
            along += normal[c, i] * (d - drift[c, i])
            square += (d - drift[c, i]) ** 2
        stiff[c] = 0.0
        grip[c] = 0.0
        if push < 0:
            stiff[c] = most[c]
            slip = max(np.sqrt(max(square - along * along, 0.0)), STILL)
            grip[c] = min(-mu[c] * weight[c] * push / slip, most[c])


@kernel
def add_contacts(weights, normal, stiff, grip, places, values):
    """values += (stiff n n^T + grip (1 - n n^T)) for all pairs of corners."""
    for c in range(len(weights)):
        if stiff[c] == 0:
            continue
        for a in range(3):
            for b in range(3):
                both = weights[c, a] * weights[c, b]
                if both == 0:
                    continue
                at = places[c, 3 * a + b]
                more = both * (stiff[c] - grip[c])
                for i in range(3):
                    for j in range(3):
                        number = more * normal[c, i] * normal[c, j]
                        if i == j:
                            number += both * grip[c]
                        values[at, 3 * i + j] += number


@kernel
def add_forces(corners, weights, normal, gap, drift, stiff, grip, moved, force):
    """Adds the contacts' forces [N] with their stiffness as chosen, at a motion (n, 3) [m]."""
    for c in range(len(corners)):
        if stiff[c] == 0:
            continue
        push = gap[c]
        along = 0.0
        for i in range(3):
            d = 0.0
            for a in range(3):
                d += weights[c, a] * moved[corners[c, a], i]
            push += normal[c, i] * d
            along += normal[c, i] * (d - drift[c, i])
        for i in range(3):
            d = 0.0
            for a in range(3):
                d += weights[c, a] * moved[corners[c, a], i]
            pull = stiff[c] * push * normal[c, i] + grip[c] * (d - drift[c, i] - along * normal[c, i])
            for a in range(3):
                force[corners[c, a], i] -= weights[c, a] * pull


@kernel
def contact_potential(corners, weights, normal, gap, drift, most, grip, move):
    """Energy of the contacts' springs [J]; which of them push is asked anew."""
    total = 0.0
    for c in range(len(corners)):
        push = gap[c]
        along = 0.0
        square = 0.0
        for i in range(3):
            d = 0.0
            for a in range(3):
                d += weights[c, a] * move[corners[c, a], i]
            push += normal[c, i] * d
            along += normal[c, i] * (d - drift[c, i])
            square += (d - drift[c, i]) ** 2
        push = min(push, 0.0)
        total += 0.5 * most[c] * push * push + 0.5 * grip[c] * max(square - along * along, 0.0)
    return total


@kernel
def hand_to_contacts(corners, weights, normal, gap, drift, mu, stiff, grip, x0, move, kept):
    """kept: how far each contact has moved its point by its push and, three numbers, by its friction [m], (c, 4)."""
    for c in range(len(corners)):
        if stiff[c] == 0:
            continue
        w = 0.0
        for a in range(3):
            w += weights[c, a] * weights[c, a] * x0[corners[c, a], 3]
        push = gap[c]
        along = 0.0
        square = 0.0
        for i in range(3):
            d = 0.0
            for a in range(3):
                d += weights[c, a] * move[corners[c, a], i]
            push += normal[c, i] * d
            along += normal[c, i] * (d - drift[c, i])
            square += (d - drift[c, i]) ** 2
        force = max(-stiff[c] * push, 0.0)
        wanted = grip[c] * np.sqrt(max(square - along * along, 0.0))
        share = 0.0
        if wanted > 0:
            share = min(1.0, mu[c] * force / wanted)
        kept[c, 0] = w * force
        for i in range(3):
            d = 0.0
            for a in range(3):
                d += weights[c, a] * move[corners[c, a], i]
            kept[c, 1 + i] = -w * share * grip[c] * (d - drift[c, i] - along * normal[c, i])
