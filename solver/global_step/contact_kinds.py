"""Kinds of contacts of one sheet that the global step solves for, taken from the stages of contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..contact.constraints.linear import LinearContacts
from ..contact.constraints.pairs import PairContacts
from ..linalg.block_matrix import Pattern
from ..model.state import State
from .soft_side import SoftSide, push_corners

Array = np.ndarray

#: Contacts are as stiff as so many times the trace of their vertices' own blocks.
STIFFNESS = 0.03
#: The same of contacts with soft bodies, before these give way: as of rigid ones in `body_springs`.
STIFFNESS_OF_SOFT = 3.0
#: The same of contacts of a sheet with itself, which one side gives way to as the other: softer ones let a rope that is wound
#: tight store what the sweeps of contacts push apart again.
STIFFNESS_OF_SELF = 0.3
#: A contact joins up to so many vertices of the body.
CORNERS = 4


@dataclass
class ContactKind:
    """Contacts of one stage of contact, with gap(d) = normal . d + gap >= 0 for the motion d of their point.

    source: where they are from. row: which of its contacts, (c,). corners: rows of the matrix, weights: of these, 0 for no
    corner, (c, CORNERS). normal (c, 3). gap [m] (c,). drift: motion of the other side [m], (c, 3). mu (c,). warm_start: what
    it pushed with in the last substep [N], (c,). stiffness: times the trace of its vertices' own blocks. soft: the other side,
    where that is of soft bodies. is_self: whether both sides are of the sheet itself.
    """

    source: LinearContacts
    row: Array
    corners: Array
    weights: Array
    normal: Array
    gap: Array
    drift: Array
    mu: Array
    warm_start: Array
    stiffness: float = STIFFNESS
    soft: SoftSide | None = None
    is_self: bool = False


def contacts_of_body(source: LinearContacts, start: int, rank: Array, free: Array, pattern: Pattern) -> ContactKind:
    """Those without a force yet whose corners that forces move are free neighbours of this body; others have no weight."""
    corners, weights = source.joined()
    used = weights != 0
    some = np.take_along_axis(corners, used.argmax(1)[:, None], 1)
    corners = np.where(used, corners, some) - start
    row = np.flatnonzero(((corners >= 0) & (corners < len(rank))).all(1))
    corners = rank[corners[row]]
    neighbours = (corners == corners[:, :1]).all(1)  # a single vertex is
    others = np.flatnonzero(~neighbours)
    neighbours[others] = blocks(pattern, corners[others])[1]
    fits = neighbours & free[corners].all(1) & source.without_force()[row]
    row, corners = row[fits], corners[fits]
    normal, gap, drift, friction = source.rows(row)
    warm_start = source.warm_start_forces(row)
    return ContactKind(source, row, corners, weights[row].astype(float), normal, gap, drift, friction, warm_start)


def contacts_with_soft_bodies(
    source: PairContacts, start: int, rank: Array, free: Array, pattern: Pattern, state: State, is_soft: Array
) -> ContactKind:
    """Those between free neighbours of this sheet and soft bodies, after their warm start has been taken back."""
    corners, weights = source.joined()
    used, n = weights != 0, len(is_soft)
    own = used & (corners >= start) & (corners < start + len(rank))
    other = used & is_soft[np.minimum(corners, n - 1)]
    row = np.flatnonzero(own.any(1) & other.any(1) & (own | other | ~used).all(1))
    some = np.take_along_axis(corners[row], own[row].argmax(1)[:, None], 1)
    mine = rank[np.where(own[row], corners[row], some) - start]
    fits = blocks(pattern, mine)[1] & free[mine].all(1)
    row, mine = row[fits], mine[fits]
    corners, weights, own, other = corners[row], weights[row].astype(float), own[row], other[row]
    take_back(source, row, np.where(own | other, corners, 0), weights, state)
    normal, gap, drift, friction = source.rows(row)
    soft = SoftSide(state, np.where(other, corners, 0), np.where(other, weights, 0.0))
    moved = soft.motion()
    gap, drift = gap + (normal * moved).sum(1), drift - moved
    weights, warm_start = np.where(own, weights, 0.0), source.warm_start_forces(row)
    return ContactKind(source, row, mine, weights, normal, gap, drift, friction, warm_start, STIFFNESS_OF_SOFT, soft)


def contacts_with_itself(source: PairContacts, start: int, rank: Array, free: Array, state: State) -> ContactKind:
    """Those between free parts of this sheet, after their warm start has been taken back."""
    corners, weights = source.joined()
    used, both = weights != 0, (weights > 0).any(1) & (weights < 0).any(1)
    row = np.flatnonzero(((corners >= start) & (corners < start + len(rank)) | ~used).all(1) & both)
    some = np.take_along_axis(corners[row], used[row].argmax(1)[:, None], 1)
    corners = np.where(used[row], corners[row], some)
    fits = free[rank[corners - start]].all(1)
    row, corners = row[fits], corners[fits]
    mine, weights = rank[corners - start], weights[row].astype(float)
    take_back(source, row, corners, weights, state)
    normal, gap, drift, friction = source.rows(row)
    warm_start = source.warm_start_forces(row)
    it = STIFFNESS_OF_SELF
    return ContactKind(source, row, mine, weights, normal, gap, drift, friction, warm_start, it, is_self=True)


def take_back(source: PairContacts, row: Array, corners: Array, weights: Array, state: State) -> None:
    """Contacts begin anew: what their warm start has moved is moved back, and they have no force. corners: vertices of the
    model, any where the weight is 0; weights: of these; both (c, CORNERS)."""
    begun = source.forces(row)
    if begun.any():
        normal, _, _, _ = source.rows(row)
        push_corners(state, corners, weights * state.x[corners, 3], -(begun[:, :1] * normal + begun[:, 1:]))
        source.set_forces(row, 0 * begun)


def blocks(pattern: Pattern, corners: Array) -> tuple[Array, Array]:
    """Where the blocks of all pairs of corners stand, (c, CORNERS^2), and whether the matrix has them all, (c,) bool."""
    row, column = np.repeat(corners, CORNERS, 1), np.tile(corners, (1, CORNERS))
    places = np.minimum(pattern.places(row, column), len(pattern.columns) - 1)
    there = (pattern.columns[places] == column) & (pattern.rows[row] <= places) & (places < pattern.rows[row + 1])
    return places, there.all(1)
