"""Kinds of contacts that the system of some sheets solves for, taken from the stages of contact.

rank: row of each vertex of the model in the system, -1 for none. free: rows that the system moves, (n,) bool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..contact.constraints.linear import LinearContacts
from ..contact.constraints.pairs import PairContacts
from ..linalg.block_matrix import Pattern
from ..model.state import State
from ..steering import STIFFNESS, STIFFNESS_WITH_BODIES
from .groups import Groups
from .soft_side import SoftSide, push_corners

if TYPE_CHECKING:
    from .tie_contacts import Ties

Array = np.ndarray

#: A contact joins up to so many vertices of the body.
CORNERS = 4


@dataclass
class ContactKind:
    """Contacts of one stage of contact, with gap(d) = normal . d + gap >= 0 for the motion d of their point.

    source: where they are from. row: which of its contacts, (c,). corners: rows of the matrix, weights: of these, 0 for no
    corner, (c, CORNERS). normal (c, 3). gap [m] (c,). drift: motion of the other side [m], (c, 3). mu (c,). warm_start,
    friction: its force in the last substep, along the normal and across it [N], (c,) and (c, 3). stiffness: times the trace
    of its vertices' own blocks. soft: the other side, where that is of soft bodies. is_between: whether both sides are of
    the system. most: greatest stiffness of each [N/m], (c,); None for no bound.
    """

    source: LinearContacts | Ties
    row: Array
    corners: Array
    weights: Array
    normal: Array
    gap: Array
    drift: Array
    mu: Array
    warm_start: Array
    friction: Array
    stiffness: float = STIFFNESS
    soft: SoftSide | None = None
    is_between: bool = False
    most: Array | None = None


def contacts_from_outside(source: LinearContacts, rank: Array, free: Array, pattern: Pattern) -> ContactKind:
    """Make contacts without a force yet whose corners that forces move are free neighbours of the system; others have no
    weight."""
    corners, weights = source.joined()
    some = np.take_along_axis(corners, (weights != 0).argmax(1)[:, None], 1)
    places = _rows(rank, np.where(weights != 0, corners, some))
    row = np.flatnonzero((places >= 0).all(1) & (weights != 0).any(1) & ~_has_two_sides(weights))
    places = places[row]
    neighbours = (places == places[:, :1]).all(1)  # a single vertex is
    others = np.flatnonzero(~neighbours)
    neighbours[others] = pattern.blocks(places[others])[1]
    fits = neighbours & free[places].all(1) & source.without_force()[row]
    row, places = row[fits], places[fits]
    normal, gap, drift, mu = source.rows(row)
    begun = source.warm_start_forces(row), source.warm_start_friction(row)
    return ContactKind(source, row, places, weights[row].astype(float), normal, gap, drift, mu, *begun)


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
    fits = pattern.blocks(mine)[1] & free[mine].all(1)
    row, mine = row[fits], mine[fits]
    corners, weights, is_sheet, other = corners[row], weights[row].astype(float), is_sheet[row], other[row]
    take_back(source, row, np.where(is_sheet | other, corners, 0), weights, state)
    normal, gap, drift, mu = source.rows(row)
    soft = SoftSide(state, np.where(other, corners, 0), np.where(other, weights, 0.0))
    moved = soft.motion()
    gap, drift = gap + (normal * moved).sum(1), drift - moved
    weights = np.where(is_sheet, weights, 0.0)
    begun = source.warm_start_forces(row), source.warm_start_friction(row)
    return ContactKind(source, row, mine, weights, normal, gap, drift, mu, *begun, STIFFNESS_WITH_BODIES, soft)


def contacts_between(source: PairContacts, rank: Array, free: Array, groups: Groups, state: State) -> ContactKind:
    """Make contacts between free parts of the sheets of a group, after their warm start has been taken back."""
    corners, weights = source.joined()
    used, places = weights != 0, _rows(rank, corners)
    row = np.flatnonzero(((places >= 0) | ~used).all(1) & _has_two_sides(weights))
    first = used[row].argmax(1)[:, None]
    corners, places = (np.where(used[row], a[row], np.take_along_axis(a[row], first, 1)) for a in (corners, places))
    fits = free[places].all(1) & (groups.of_row[places] == groups.of_row[places[:, :1]]).all(1)
    row, corners, places, weights = row[fits], corners[fits], places[fits], weights[row[fits]].astype(float)
    take_back(source, row, corners, weights, state)
    normal, gap, drift, mu = source.rows(row)
    begun = source.warm_start_forces(row), source.warm_start_friction(row)
    return ContactKind(source, row, places, weights, normal, gap, drift, mu, *begun, is_between=True)


def _rows(rank: Array, corners: Array) -> Array:
    """The system's rows of corners, -1 for those of others. rank: row of each vertex of the model, (n,)."""
    return np.where(corners < len(rank), rank[np.minimum(corners, len(rank) - 1)], -1)


def _has_two_sides(weights: Array) -> Array:
    """Return whether forces move both sides of contacts, (c,) bool."""
    return (weights > 0).any(1) & (weights < 0).any(1)


def take_back(source: PairContacts, row: Array, corners: Array, weights: Array, state: State) -> None:
    """Contacts begin anew: what their warm start has moved is moved back, and they have no force. corners: vertices of the
    model, any where the weight is 0; weights: of these; both (c, CORNERS)."""
    begun = source.forces(row)
    if begun.any():
        normal, _, _, _ = source.rows(row)
        push_corners(state, corners, weights * state.x[corners, 3], -(begun[:, :1] * normal + begun[:, 1:]))
        source.set_forces(row, 0 * begun)
