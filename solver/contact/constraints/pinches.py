"""Pinched contacts: those with what no force moves, of one vertex, that cannot all keep their distance.

Between two colliders nearer than twice the distance kept, what pushes one way is pushed back by the other side, and both
pushes grow. So they share the room that there is: each keeps the share of its distance that both can have.
"""

from __future__ import annotations

from ...device import arrays
from ...device.cpu import f32
from ...device.uncounted import inline, uncounted_kernel
from ..broad_phase.candidates import CANDIDATE
from .tables import SELECTED, Array

ONE, ZERO, TWO = f32(1), f32(0), f32(2)
#: Contacts that keep less than this share of their distance are told: less is missing where a fold is pressed a little.
TOLD = f32(0.9)


def share_room(chosen: Array, selected: Array, candidates, x0: Array, count: int) -> Array:
    """Lets contacts that oppose each other at a vertex share the room between what pushes it.

    chosen: candidate pair of each contact, (k,). selected: (k, SELECTED.width). x0: [m], h^2/m in the last column, (n, 4).
    count: vertices of bodies. Returns which contacts have no room, (k,) bool. Written: the share of the thickness that
    contacts keep.
    """
    pinched = arrays.zeros(len(chosen), bool, x0)
    near, against = arrays.full((2, count), -1, "int32", x0)
    find_nearest(chosen, selected, candidates, x0, near, against)
    if arrays.any(against >= 0):
        share(chosen, selected, candidates, x0, near, against, arrays.copy(selected), pinched)
    return pinched


@inline
def _outside(corners, split, p, x0):
    """On which side of a pair something moves, 0 first, 1 second; -1 where on both, or none."""
    a, b = x0[corners[p, 0], 3] > 0, x0[corners[p, 1], 3] > 0
    c, d = x0[corners[p, 2], 3] > 0, x0[corners[p, 3], 3] > 0
    first = a if p < split else a or b
    second = b or c or d if p < split else c or d
    if first and not second:
        return 0
    if second and not first:
        return 1
    return -1


@inline
def _along(selected, c, side, other, other_side):
    """Cosine between the directions that two contacts push what moves in."""
    dot = selected[c, SELECTED.vector] * selected[other, SELECTED.vector]
    dot += selected[c, SELECTED.vector + 1] * selected[other, SELECTED.vector + 1]
    dot += selected[c, SELECTED.vector + 2] * selected[other, SELECTED.vector + 2]
    dot /= selected[c, SELECTED.distance] * selected[other, SELECTED.distance]
    return dot if side == other_side else -dot


@inline
def _kept(chosen, selected, candidates, c):
    return candidates.values[chosen[c], CANDIDATE.thickness] * selected[c, SELECTED.thickness_share]


@uncounted_kernel
def find_nearest(chosen, selected, candidates, x0, near, against):
    """Of each vertex the contact that lacks most of its distance, and of those that push against it the one that does.
    Written: near, against (n,), -1 for none."""
    corners, split = candidates.corners, candidates.split
    for turn in range(2):
        for c in range(len(chosen)):
            p = chosen[c]
            side = _outside(corners, split, p, x0)
            if side < 0:
                continue
            lack = selected[c, SELECTED.distance] / _kept(chosen, selected, candidates, c)
            for q in range(4):
                i = corners[p, q]
                if x0[i, 3] == 0:
                    continue
                if turn == 0:
                    n = near[i]
                    if n < 0 or lack < selected[n, SELECTED.distance] / _kept(chosen, selected, candidates, n):
                        near[i] = c
                else:
                    n = near[i]
                    if _along(selected, c, side, n, _outside(corners, split, chosen[n], x0)) < 0:
                        a = against[i]
                        if a < 0 or lack < selected[a, SELECTED.distance] / _kept(chosen, selected, candidates, a):
                            against[i] = c


@uncounted_kernel
def share(chosen, selected, candidates, x0, near, against, before, pinched):
    """Written: the share of the thickness in `selected`; pinched (k,), those that keep less than TOLD. before: copy of it."""
    corners, split = candidates.corners, candidates.split
    for c in range(len(chosen)):
        p = chosen[c]
        side = _outside(corners, split, p, x0)
        if side < 0:
            continue
        for q in range(4):
            i = corners[p, q]
            if x0[i, 3] == 0 or against[i] < 0:
                continue
            for o in (near[i], against[i]):
                if o == c:
                    continue
                opposed = -_along(before, c, side, o, _outside(corners, split, chosen[o], x0))
                if opposed <= 0:
                    continue
                d = before[c, SELECTED.distance] + before[o, SELECTED.distance]
                both = _kept(chosen, before, candidates, c) + _kept(chosen, before, candidates, o)
                if d >= both:
                    continue
                keeps = ONE - min(ONE, TWO * opposed) * (ONE - d / both)
                selected[c, SELECTED.thickness_share] = min(
                    selected[c, SELECTED.thickness_share], keeps * before[c, SELECTED.thickness_share]
                )
                pinched[c] |= keeps < TOLD
