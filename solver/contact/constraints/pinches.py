"""Pinched contacts: contacts of one vertex with immovable objects that cannot all keep their distance.

Between two colliders nearer than twice the kept distance, the contacts oppose each other. Projected in turn, the last one
prevails: the vertex ends beside one collider, clamped in every substep. Opposed contacts therefore share the room in
proportion to their distances, and both can be satisfied.
"""

from __future__ import annotations

import numpy as np

from ...device.cpu import f32
from ...device.uncounted import inline, uncounted_kernel
from ...steering import SAFE_SHARE
from ..broad_phase.candidates import CANDIDATE, CandidatePairs
from .tables import SELECTED, Array

ONE, TWO = f32(1), f32(2)


def share_room(chosen: Array, selected: Array, candidates: CandidatePairs, x0: Array, count: int) -> Array:
    """Let opposed contacts of a vertex share the room between them.

    chosen: candidate pair of each contact, (k,). selected: (k, SELECTED.width). x0: [m], h^2/m in the last column, (n, 4).
    count: vertices of bodies. Returns which contacts keep less than SAFE_SHARE of their distance, (k,) bool. Written: the
    share of the thickness that contacts keep.
    """
    corners = candidates.corners[chosen]
    thicknesses = candidates.values[chosen, CANDIDATE.thickness] * selected[:, SELECTED.thickness_share]
    side = np.zeros(len(chosen), "int8")
    near, against = np.full((2, count), -1, "int32")
    find_opposed(corners, chosen < candidates.split, thicknesses, selected, x0, side, near, against)
    thickness_shares = np.full(len(chosen), 1.0, selected.dtype)
    if (against >= 0).any():
        share(corners, side, thicknesses, selected, x0, near, against, thickness_shares)
        selected[:, SELECTED.thickness_share] *= thickness_shares
    return thickness_shares < SAFE_SHARE


@inline
def _moves(corners, c, is_point, x0):
    """Return the movable side of a contact: 1 the first element, -1 the second, 0 both or none."""
    a, b = x0[corners[c, 0], 3] > 0, x0[corners[c, 1], 3] > 0
    second = x0[corners[c, 2], 3] > 0 or x0[corners[c, 3], 3] > 0
    if is_point:
        return int(a) - int(b or second)
    return int(a or b) - int(second)


@inline
def _along(selected, side, c, other):
    """Cosine between the directions of two contacts on their movable side."""
    total = selected[c, SELECTED.vector] * selected[other, SELECTED.vector]
    total += selected[c, SELECTED.vector + 1] * selected[other, SELECTED.vector + 1]
    total += selected[c, SELECTED.vector + 2] * selected[other, SELECTED.vector + 2]
    return side[c] * side[other] * total / (selected[c, SELECTED.distance] * selected[other, SELECTED.distance])


@uncounted_kernel
def find_opposed(corners, is_point, thicknesses, selected, x0, side, near, against):
    """Find for each vertex the contact with the least share of its distance, and the opposed one with the least.

    corners: (k, 4). is_point: whether the first corner alone is the first element, (k,) bool. thicknesses: kept
    distances [m], (k,). Written: side (k,), see `_moves`; near, against (n,), -1 for none.
    """
    for turn in range(2):
        for c in range(len(corners)):
            if turn == 0:
                side[c] = _moves(corners, c, is_point[c], x0)
            if side[c] == 0:
                continue
            has = selected[c, SELECTED.distance] / thicknesses[c]
            for q in range(4):
                i = corners[c, q]
                if x0[i, 3] == 0 or (turn == 1 and not _along(selected, side, c, near[i]) < 0):
                    continue
                least = near[i] if turn == 0 else against[i]
                if least < 0 or has < selected[least, SELECTED.distance] / thicknesses[least]:
                    if turn == 0:
                        near[i] = c
                    else:
                        against[i] = c


@uncounted_kernel
def share(corners, side, thicknesses, selected, x0, near, against, thickness_shares):
    """Share the distance between contacts: opposed ones keep the share of both that fits between them, perpendicular ones
    all of it. Written: thickness_shares (k,)."""
    for c in range(len(corners)):
        if side[c] == 0:
            continue
        for q in range(4):
            i = corners[c, q]
            if x0[i, 3] == 0 or against[i] < 0:
                continue
            for other in (near[i], against[i]):
                fits = (selected[c, SELECTED.distance] + selected[other, SELECTED.distance]) / (
                    thicknesses[c] + thicknesses[other]
                )
                opposed = -_along(selected, side, c, other)
                if opposed > 0 and fits < ONE:
                    thickness_shares[c] = min(thickness_shares[c], ONE - min(ONE, TWO * opposed) * (ONE - fits))
