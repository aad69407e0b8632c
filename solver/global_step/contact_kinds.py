"""Kinds of contacts that the system of some sheets solves for, taken from the stages of contact.

rank: row of each vertex of the model in the system, -1 for none. free: rows that the system moves, (n,) bool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..contact.constraints.linear import LinearContacts
from ..contact.constraints.pairs import PairContacts
from ..device.cpu import kernel
from ..linalg.block_matrix import Pattern, place_of_block
from ..model.state import State
from ..steering import STIFFNESS, STIFFNESS_WITH_BODIES
from .groups import Groups
from .soft_side import SoftSide, push_corners

Array = np.ndarray

#: A contact joins up to so many vertices of the body.
CORNERS = 4


class TakesForces(Protocol):
    """Contacts of one kind that take the forces of a solution, see `LinearContacts`."""

    def set_forces(self, which: Array, forces: Array) -> None:
        """Give contacts a force."""

    def settle(self, which: Array, missing: Array) -> None:
        """Count contacts as met."""


@dataclass
class ContactKind:
    """Contacts of one stage of contact, with gap(d) = normal . d + gap >= 0 for the motion d of their point.

    source: where they are from. row: which of its contacts, (c,). corners: rows of the matrix, int32, weights: of these, 0
    for no corner, (c, CORNERS). places: of the blocks of all pairs of corners on the same side, else -1, (c, CORNERS^2).
    normal (c, 3). gap [m] (c,). drift: motion of the other side [m], (c, 3). mu (c,). last: its force in the last substep,
    along the normal and, three numbers, across it [N], (c, 4). stiffness: times the trace of its vertices' own blocks. soft:
    the other side, where that is of soft bodies. is_between: whether both sides are of the system. most: greatest stiffness
    of each [N/m], (c,); None for no bound.
    """

    source: TakesForces
    row: Array
    corners: Array
    weights: Array
    places: Array
    normal: Array
    gap: Array
    drift: Array
    mu: Array
    last: Array
    stiffness: float = STIFFNESS
    soft: SoftSide | None = None
    is_between: bool = False
    most: Array | None = None


def contacts_from_outside(source: LinearContacts, rank: Array, free: Array, pattern: Pattern, groups: Groups) -> ContactKind:
    """Make contacts without a force yet whose corners that forces move are free neighbours of the system; others have no
    weight."""
    row, _, corners, weights, places = _fitting(source, source.without_force(), False, rank, free, pattern, groups)
    return ContactKind(source, row, corners, weights, places, *source.rows(row))


def contacts_between(
    source: PairContacts, rank: Array, free: Array, pattern: Pattern, groups: Groups, state: State
) -> ContactKind:
    """Make contacts between free parts of the sheets of a group, after their warm start has been taken back."""
    every = np.ones(len(source), bool)
    row, vertices, corners, weights, places = _fitting(source, every, True, rank, free, pattern, groups)
    rows = source.rows(row)
    take_back(source, row, vertices, weights, rows.normal, state)
    return ContactKind(source, row, corners, weights, places, *rows, is_between=True)


def _fitting(
    source: LinearContacts, may: Array, is_between: bool, rank: Array, free: Array, pattern: Pattern, groups: Groups
) -> tuple[Array, ...]:
    """Contacts of a stage that fit a system, see `choose_fitting`: their number in the stage, vertices of the model, rows of
    the matrix, weights and places."""
    corners, weights = source.joined()
    count, known = len(corners), (rank, free, groups.of_row, pattern.rows, pattern.columns)
    row, (vertices, ranks) = np.empty(count, np.int64), np.empty((2, count, CORNERS), np.int32)
    shares, places = np.empty((count, CORNERS)), np.empty((count, CORNERS * CORNERS), np.int32)
    chosen = row, vertices, ranks, shares, places
    count = choose_fitting(corners, weights, may, is_between, *known, *chosen)
    return tuple(array[:count] for array in chosen)


def contacts_with_soft_bodies(
    source: PairContacts, rank: Array, free: Array, pattern: Pattern, state: State, is_soft: Array
) -> ContactKind:
    """Make contacts between free neighbours of the system and soft bodies, after their warm start has been taken back."""
    corners, weights = source.joined()
    used, n = weights != 0, len(is_soft)
    mine = _rows(rank, corners)
    is_sheet, other = used & (mine >= 0), used & is_soft[np.minimum(corners, n - 1)]
    row = np.flatnonzero(is_sheet.any(1) & other.any(1) & (is_sheet | other | ~used).all(1))
    mine = np.where(is_sheet[row], mine[row], np.take_along_axis(mine[row], is_sheet[row].argmax(1)[:, None], 1))
    places, fits = pattern.blocks(mine.astype(np.int32))
    fits &= free[mine].all(1)
    row, mine, places = row[fits], mine[fits].astype(np.int32), places[fits]
    corners, weights, is_sheet, other = corners[row], weights[row].astype(float), is_sheet[row], other[row]
    normal, gap, drift, mu, last = source.rows(row)
    take_back(source, row, np.where(is_sheet | other, corners, 0), weights, normal, state)
    soft = SoftSide(state, np.where(other, corners, 0), np.where(other, weights, 0.0))
    moved = soft.motion()
    gap, drift = gap + (normal * moved).sum(1), drift - moved
    weights = np.where(is_sheet, weights, 0.0)
    places = np.where(on_same_side(weights), places, -1)
    return ContactKind(source, row, mine, weights, places, normal, gap, drift, mu, last, STIFFNESS_WITH_BODIES, soft)


def _rows(rank: Array, corners: Array) -> Array:
    """The system's rows of corners, -1 for those of others. rank: row of each vertex of the model, (n,)."""
    return np.where(corners < len(rank), rank[np.minimum(corners, len(rank) - 1)], -1)


def on_same_side(weights: Array) -> Array:
    """Return whether the corners of each pair are on the same side of a contact, (c, CORNERS^2) bool."""
    return (weights[:, :, None] * weights[:, None, :] > 0).reshape(-1, CORNERS * CORNERS)


def take_back(source: PairContacts, row: Array, corners: Array, weights: Array, normal: Array, state: State) -> None:
    """Contacts begin anew: what their warm start has moved is moved back, and they have no force. corners: vertices of the
    model, any where the weight is 0; weights: of these; both (c, CORNERS). normal: (c, 3)."""
    begun = source.forces(row)
    if begun.any():
        push_corners(state, corners, weights * state.x[corners, 3], -(begun[:, :1] * normal + begun[:, 1:]))
        source.set_forces(row, 0 * begun)


@kernel
def choose_fitting(
    corners, weights, may, is_between, rank, free, of_row, rows, columns, chosen, vertices, ranks, shares, places
):  # fmt: skip
    """Return the number of contacts with free corners of one group of the system, of those that may, (c,) bool. is_between:
    forces move both sides; else only one, of neighbours. of_row: group of each row, rows, columns: of the matrix's pattern.
    Written: of each chosen contact its number, the vertices and rows of its corners, unused ones as the first used one,
    their weights, and the places of their blocks, see `ContactKind`."""
    count = 0
    for c in range(len(corners)):
        first, ahead, behind = -1, False, False
        for a in range(CORNERS):
            if weights[c, a] != 0 and first < 0:
                first = a
            ahead |= weights[c, a] > 0
            behind |= weights[c, a] < 0
        fits = may[c] and first >= 0 and (ahead and behind) == is_between
        for a in range(CORNERS if fits else 0):
            v = corners[c, a] if weights[c, a] != 0 else corners[c, first]
            row = rank[v] if v < len(rank) else -1
            vertices[count, a], ranks[count, a], shares[count, a] = v, row, weights[c, a]
            fits = fits and row >= 0 and free[row] and of_row[row] == of_row[ranks[count, 0]]
        for at in range(CORNERS * CORNERS if fits else 0):
            a, b = at // CORNERS, at % CORNERS
            places[count, at] = -1
            if weights[c, a] * weights[c, b] > 0:
                places[count, at] = place_of_block(rows, columns, ranks[count, a], ranks[count, b])
                fits = fits and (is_between or places[count, at] >= 0)
        if fits:
            chosen[count] = c
            count += 1
    return count
