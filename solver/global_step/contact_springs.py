"""The contacts of one body with what no force moves, as the global stage needs them.

A contact pushes with `stiff` times its violation; friction is a spring back to where the collider's point goes, as stiff as
Coulomb's bound at the last estimate of the motion allows. A contact of a triangle or an edge joins its corners, which the
matrix has as neighbours already; one with another body, or with a far part of the same one, joins what it does not have as
neighbours, and is left to the sweeps. Afterwards the contacts take over their forces, as what their own sweeps keep.
Source of the friction: Li et al. 2020, "Incremental Potential Contact" (lagged), with the bound by iterative reweighting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..contact.constraints.linear import LinearContacts
from ..device.cpu import element, kernel
from ..linalg.block_matrix import Pattern

Array = np.ndarray

#: Tangential motion [m] below which friction is as stiff as the contact itself.
STILL = 1e-9
#: Contacts are as stiff as so many times the trace of their vertices' own blocks.
STIFFNESS = 0.03
#: A contact joins up to so many vertices of the body.
CORNERS = 4


@dataclass
class Kind:
    """Contacts of one stage of contact, with gap(d) = normal . d + gap >= 0 for the motion d of their point.

    source: where they are from. row: which of its contacts, (c,). corners: rows of the matrix, weights: of these, 0 for no
    corner, (c, CORNERS). normal (c, 3). gap [m] (c,). drift: motion of the other side [m], (c, 3). mu (c,).
    """

    source: LinearContacts
    row: Array
    corners: Array
    weights: Array
    normal: Array
    gap: Array
    drift: Array
    mu: Array


class ContactPlanes:
    """corners, weights, normal, gap, drift, mu: of all kinds. stiff, grip: along and across the normal [N/m], (c,). most:
    what stiff is where the contact pushes. places: of the blocks of all pairs of corners, (c, CORNERS^2)."""

    def __init__(self, kinds: list[Kind], pattern: Pattern):
        self._kinds = kinds
        self.corners = np.concatenate([kind.corners for kind in kinds]).astype(np.int32)
        self.weights, self.normal, self.gap, self.drift, self.mu = (
            np.ascontiguousarray(np.concatenate([getattr(kind, name) for kind in kinds]), float)
            for name in ("weights", "normal", "gap", "drift", "mu")
        )
        self.sizes = np.abs(self.weights)  # of the second element they are negative
        self.stiff, self.grip, self.most = np.zeros((3, len(self.gap)))
        self.places, _ = _blocks(pattern, self.corners)

    def touch(self, move: Array, weight: Array | None, diagonal: Array, values: Array) -> None:
        """Chooses the contacts that push at an estimate of the motion, and adds them to the matrix.

        weight: M / h^2 where the estimate is the prediction, (n,) [N/m]; None where it is a solution with these contacts.
        """
        self.most = STIFFNESS * (values[diagonal][:, [0, 4, 8]].sum(1)[self.corners] * self.sizes).sum(1).astype(float)
        force = self.most if weight is None else (weight[self.corners] * self.sizes).sum(1)
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

    def hand_over(self, move: Array) -> None:
        """The contacts keep the force that they have, as their sweeps do."""
        forces = np.zeros((len(self.stiff), 4))
        c = (self.corners, self.weights, self.normal, self.gap, self.drift, self.mu)
        hand_to_contacts(*c, self.stiff, self.grip, move, forces)
        first = 0
        for kind in self._kinds:
            kind.source.set_forces(kind.row, forces[first : first + len(kind.gap)])
            first += len(kind.gap)


def planes_of(contact, order: Array, rank: Array, free: Array, pattern: Pattern) -> ContactPlanes | None:
    """What a contact system has found for one body in this substep and the stage can solve for; None for nothing.

    order: vertex of each row of the system; rank: row of each of the body's vertices, whose first is order.min(); both (n,).
    free: rows that the system moves, (n,) bool.
    """
    if contact is None:
        return None
    start = int(order.min())
    kinds = [_of_body(source, start, rank, free, pattern) for source in contact.linear_contacts()]
    kinds = [kind for kind in kinds if len(kind.gap)]
    return ContactPlanes(kinds, pattern) if kinds else None


def _of_body(source: LinearContacts, start: int, rank: Array, free: Array, pattern: Pattern) -> Kind:
    """Those without a force yet whose corners that forces move are free neighbours of this body; others have no weight."""
    corners, weights = source.joined()
    used = weights != 0
    some = np.take_along_axis(corners, used.argmax(1)[:, None], 1)
    corners = np.where(used, corners, some) - start
    row = np.flatnonzero(((corners >= 0) & (corners < len(rank))).all(1))
    corners = rank[corners[row]]
    _, neighbours = _blocks(pattern, corners)
    fits = neighbours & free[corners].all(1) & source.without_force()[row]
    row, corners = row[fits], corners[fits]
    normal, gap, drift, friction = source.rows(row)
    return Kind(source, row, corners, weights[row].astype(float), normal, gap, drift, friction)


def _blocks(pattern: Pattern, corners: Array) -> tuple[Array, Array]:
    """Where the blocks of all pairs of corners stand, (c, CORNERS^2), and whether the matrix has them all, (c,) bool."""
    row, column = np.repeat(corners, CORNERS, 1), np.tile(corners, (1, CORNERS))
    places = np.minimum(pattern.places(row, column), len(pattern.columns) - 1)
    there = (pattern.columns[places] == column) & (pattern.rows[row] <= places) & (places < pattern.rows[row + 1])
    return places, there.all(1)


@element
def meeting(c, corners, weights, normal, gap, drift, move):
    """A contact's gap [m], below zero where it pushes, and its slip, the tangential motion over the other side (3) [m]."""
    d = (0.0, 0.0, 0.0)
    for a in range(CORNERS):
        w = weights[c, a]
        v = corners[c, a]
        d = (d[0] + w * move[v, 0], d[1] + w * move[v, 1], d[2] + w * move[v, 2])
    n = (normal[c, 0], normal[c, 1], normal[c, 2])
    over = (d[0] - drift[c, 0], d[1] - drift[c, 1], d[2] - drift[c, 2])
    along = n[0] * over[0] + n[1] * over[1] + n[2] * over[2]
    push = gap[c] + n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
    return push, (over[0] - along * n[0], over[1] - along * n[1], over[2] - along * n[2])


@kernel
def stiffen(corners, weights, normal, gap, drift, mu, most, weight, move, stiff, grip):
    """Chooses stiff and grip for an estimate of the motion, (n, 3). weight: force over violation there [N/m], (c,)."""
    for c in range(len(corners)):
        push, slip = meeting(c, corners, weights, normal, gap, drift, move)
        stiff[c] = 0.0
        grip[c] = 0.0
        if push < 0:
            stiff[c] = most[c]
            length = max(np.sqrt(slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2]), STILL)
            grip[c] = min(-mu[c] * weight[c] * push / length, most[c])


@kernel
def add_contacts(weights, normal, stiff, grip, places, values):
    """values += (stiff n n^T + grip (1 - n n^T)) for all pairs of corners."""
    for c in range(len(weights)):
        if stiff[c] == 0:
            continue
        for a in range(CORNERS):
            for b in range(CORNERS):
                both = weights[c, a] * weights[c, b]
                if both == 0:
                    continue
                at = places[c, CORNERS * a + b]
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
        push, slip = meeting(c, corners, weights, normal, gap, drift, moved)
        for i in range(3):
            pull = stiff[c] * push * normal[c, i] + grip[c] * slip[i]
            for a in range(CORNERS):
                force[corners[c, a], i] -= weights[c, a] * pull


@kernel
def contact_potential(corners, weights, normal, gap, drift, most, grip, move):
    """Energy of the contacts' springs [J]; which of them push is asked anew."""
    total = 0.0
    for c in range(len(corners)):
        push, slip = meeting(c, corners, weights, normal, gap, drift, move)
        push = min(push, 0.0)
        total += 0.5 * most[c] * push * push
        total += 0.5 * grip[c] * (slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2])
    return total


@kernel
def hand_to_contacts(corners, weights, normal, gap, drift, mu, stiff, grip, move, forces):
    """forces: of each contact's push and, three numbers, of its friction [N], (c, 4)."""
    for c in range(len(corners)):
        if stiff[c] == 0:
            continue
        push, slip = meeting(c, corners, weights, normal, gap, drift, move)
        force = max(-stiff[c] * push, 0.0)
        wanted = grip[c] * np.sqrt(slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2])
        share = 0.0
        if wanted > 0:
            share = min(1.0, mu[c] * force / wanted)
        forces[c, 0] = force
        for i in range(3):
            forces[c, 1 + i] = -share * grip[c] * slip[i]
