"""The tables of constraints that kernels take, and the contents of their columns.

A multiplier is kept as the share of h^2/m that a constraint has moved its corners by in this substep; of a half-space, which
pushes one vertex only, it is a displacement [m]. The multipliers across the normal follow the one along it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES
from ...device.layout import layout

Array = np.ndarray


def by_contact(packs: Array) -> Array:
    """Packs with a contact's columns last, (packs, 16, columns); shares memory with them, (packs, columns * 16)."""
    return packs.reshape(len(packs), packs.shape[1] // LANES, LANES).transpose(0, 2, 1)


#: Values of a selected candidate pair: weights of its corners, vector from the second element to the first [m], its length
#: [m], the share of the motion at which these are taken, and the share of the thickness that the contact keeps.
SELECTED = layout(weight=4, vector=3, distance=1, time=1, thickness_share=1)

#: Contact of a pair: normal, gap at the start over the target [m], motion of corners that no force moves [m], weights of the
#: corners, 1 / sum a^2 h^2/m, friction, multiplier, multipliers across the normal, and how much less than the full thickness
#: the target is [m].
PAIR = layout(normal=3, gap=1, drift=3, weight=4, effective_mass=1, friction=1, multiplier=1, tangential=3, shortfall=1)

#: Force of a contact of a pair [N]: along the normal, and across it.
FORCE = layout(normal=1, friction=3)

#: Contact of a vertex with a half-space: as `PAIR`; drift is the motion of the half-space [m].
HALF_SPACE = layout(normal=3, gap=1, friction=1, multiplier=1, tangential=3, drift=3, shortfall=1)

#: Contact of coupled vertices: as `PAIR`; effective_mass along the normal, across the smallest one across it; drift includes
#: what rigid bodies move by without contact [m]; pushes: 1 where the body has a force of it that is not in the multipliers;
#: first, second: numbers of its elements from 1 on, the first below 0 where they are edges, the second where it is a plane.
COUPLED = layout(
    normal=3, gap=1, drift=3, effective_mass=1, across=1, friction=1, multiplier=1, tangential=3, shortfall=1, pushes=1,
    first=1, second=1,
)  # fmt: skip
#: One of the two rigid bodies in a contact: sum of the weights of its corners, and of these times their arms [m].
COUPLED_SIDE = layout(weight=1, arm=3)

#: Separation constraint: direction, motion that is missing without any corner moving [m], weights of the corners,
#: 1 / sum a^2 h^2/m, largest multiplier, multiplier.
SEPARATION = layout(direction=3, missing=1, weight=5, effective_mass=1, limit=1, multiplier=1)

#: Half-spaces that act on a vertex at once: one that leads out of a collider, and three planes.
SLOTS = 4


class VertexTable(NamedTuple):
    """Table of particles. movable: whether forces move it, bool. distance: kept from colliders [m]. friction [1]. owner: its
    body."""

    movable: Array
    distance: Array
    friction: Array
    owner: Array


class ColliderTable(NamedTuple):
    """The triangles of all colliders, (k,): rows (k, 3) of the poses, numbers of the collider and of the closed part,
    `outward` and `front` (see `ColliderTables`), thickness [m], friction [1]."""

    triangles: Array
    shape: Array
    part: Array
    outward: Array
    front: Array
    thickness: Array
    friction: Array


class PoseTable(NamedTuple):
    """Vertices of all colliders at a substep's ends [m], (m, 3), and a tree of boxes around their triangles at the start."""

    start: Array
    end: Array
    order: Array
    leaves: int
    nodes: Array


class SlotTable(NamedTuple):
    """Half-spaces by vertex. number: of half-spaces that act on it, (n,) int32. rows: (n, SLOTS, HALF_SPACE.width)."""

    number: Array
    rows: Array


class HalfSpaceTable(NamedTuple):
    """Contacts with half-spaces in packs of 16. vertices: (k,). packs: (packs, HALF_SPACE.width * 16), column by column.
    whole: packs in which no vertex occurs twice."""

    vertices: Array
    packs: Array
    whole: int


class PairTable(NamedTuple):
    """Contacts of pairs in packs of 16, which move no vertex in common. corners: body vertices that forces move, others have
    weight 0 and another's number, (packs, 4 * 16) int32; packs: (packs, PAIR.width * 16), both column by column. keys: of
    the pairs, (packs * 16,) int64. Lanes without a contact have no weights, corners of the pack's first, keys below 0."""

    corners: Array
    packs: Array
    keys: Array


class CouplingTable(NamedTuple):
    """Drivers of particles. first_collider: particles from here on belong to colliders. body: rigid body of each, point: its
    row among the embedded points, -1 for none, (count,) int32. corners, weights: of the embedded points, (p, 4)."""

    first_collider: int
    body: Array
    point: Array
    corners: Array
    weights: Array


class RigidTable(NamedTuple):
    """Rigid bodies in a substep. start, predicted: centres at its ends [m], (b, 3). push: h^2/m [s^2/kg], (b,). swing: h^2
    times the inverse inertia, (b, 3, 3). twist: displacement [m] and turn [rad] by contact, (b, 6)."""

    start: Array
    predicted: Array
    push: Array
    swing: Array
    twist: Array


class CoupledTable(NamedTuple):
    """Contacts of coupled vertices. corners, weights: of up to 16 particles, (k, 16); used: number of particles, (k,).
    bodies: rigid
    bodies, -1 for none, (k, 2); sides: their columns, (k, 2, COUPLED_SIDE.width). rows: (k, COUPLED.width)."""

    corners: Array
    weights: Array
    used: Array
    bodies: Array
    sides: Array
    rows: Array


class SeparationTable(NamedTuple):
    """Separation constraints. corners: two of an edge, three of a triangle, (k, 5). rows: (k, SEPARATION.width)."""

    corners: Array
    rows: Array
