"""The contacts of a substep: frozen planes that push and do not pull, with Coulomb friction, projected one after the other.

A contact is gap(x) = n . sum a_c (x_c - x0_c) + gap0 >= 0 over the four corners of a pair, with the weights a, the
normal n and gap0 frozen. The multiplier of the normal is kept, as the share of h^2/m that the contact has moved its
corners by in this substep; a later projection may take some of it back, never more. Friction is kept likewise, at most
mu times the normal.
"""

from __future__ import annotations

import math

import numpy as np

from ...device.cpu import f32
from ...device.inner import inner, loop
from ...device.simd.row_sums import moved, push
from ...mathlib.vec3 import dot
from ..broad_phase.candidates import THICK
from .half_spaces import target_distance
from .selection import APART, KEPT, WAY, WEIGHTS, WHEN

ONE, ZERO, TINY = f32(1), f32(0), f32(1e-30)
#: Parts of the list of contacts that are swept in turns.
STREAMS = 8

# Columns of a contact: normal (3), gap at the start over the target, motion of corners that no force moves (3), weights (4),
# 1 / sum a^2 h^2/m, friction, multiplier, tangential multipliers (3), how much less than the full distance the target is.
NORMAL, GAP, DRIFT, WEIGHT, INVERSE, MU, LAMBDA, TANGENT, MISSING, COLUMNS = 0, 3, 4, 7, 11, 12, 13, 14, 17, 18


@loop
def fill(
    begin, finish, chosen, choices, split, pair_corners, ids, values, distance, x0, x1, friction, allowance, corners, rows,
    keys,
):  # fmt: skip
    """Starts the contacts begin..finish, with no force yet. The first `split` pairs are of vertices.

    chosen: pair of each contact, (k,). choices: see `choice`. x0, x1: particles (count, 4) [m]. allowance: depenetration in
    this substep [m]. Written: corners (k, 4), of body vertices that forces move (others have weight 0), rows (k, COLUMNS),
    keys (k,) int64, of the pairs.
    """
    for c in range(begin, finish):
        p, row = chosen[c], place(c, len(corners))
        thick, d0 = values[p, THICK], distance[p]
        keys[row] = (np.int64(p >= split) << 62) | (np.int64(ids[p, 0]) << 31) | np.int64(ids[p, 1])
        _start(p, choices[c], pair_corners, thick, d0, x0, x1, friction, allowance, corners[row], rows[row])


@inner
def place(number, count):
    """Row of one of `count` contacts: `STREAMS` parts of the list take turns.

    Contacts that follow each other in the list share vertices; each would wait for the one before it.
    """
    size = (count + STREAMS - 1) // STREAMS
    at = number % size
    return at * (count // size) + min(at, count % size) + number // size


@inner
def _start(p, choice, pair_corners, thick, d0, x0, x1, friction, allowance, corner, r):
    spread, base = ZERO * thick, pair_corners[p, 0]
    for c in range(4):
        i = pair_corners[p, c]
        if x0[i, 3] > 0:
            spread += choice[WEIGHTS + c] * choice[WEIGHTS + c] * x0[i, 3]
            base = i
    inverse = ONE / choice[APART]
    for axis in range(3):
        r[NORMAL + axis] = choice[WAY + axis] * inverse
        r[DRIFT + axis], r[TANGENT + axis] = ZERO, ZERO
    first = pair_corners[p, 0]
    for c in range(4):
        i, w = pair_corners[p, c], choice[WEIGHTS + c]
        free = x0[i, 3] > 0
        corner[c] = i if free else base
        r[WEIGHT + c] = w if free else ZERO
        if not free:
            for axis in range(3):
                r[DRIFT + axis] += w * (x1[i, axis] - x0[i, axis])
    gap = choice[APART]
    if choice[WHEN] > ZERO:  # the plane is of later; the gap is that of the start
        gap = ZERO * gap
        for c in range(4):
            for axis in range(3):
                at = x0[pair_corners[p, c], axis] - x0[first, axis]
                gap += r[NORMAL + axis] * choice[WEIGHTS + c] * at
    thick *= choice[KEPT]
    target = target_distance(thick, d0, allowance)
    r[GAP], r[MISSING], r[LAMBDA] = gap - target, thick - target, ZERO
    # A contact whose free corners have no weight moves nothing.
    r[INVERSE] = ONE / spread if spread > 1e-30 else ZERO * spread
    r[MU] = math.sqrt(friction[first] * friction[pair_corners[p, 2]])


@inner
def displacement(c, corners, r, x0, x):
    """Relative displacement of a contact's two points since the start."""
    d = moved(
        x, x0, corners[c, 0], corners[c, 1], corners[c, 2], corners[c, 3],
        r[WEIGHT], r[WEIGHT + 1], r[WEIGHT + 2], r[WEIGHT + 3],
    )  # fmt: skip
    return r[DRIFT] + d[0], r[DRIFT + 1] + d[1], r[DRIFT + 2] + d[2]


@loop
def sweep(count, corners, rows, x0, x):
    """Projects all contacts in order. Written: rows, x."""
    for c in range(count):
        r = rows[c]
        d = displacement(c, corners, r, x0, x)
        n = (r[NORMAL], r[NORMAL + 1], r[NORMAL + 2])
        along = dot(n, d)
        gap, before = along + r[GAP], r[LAMBDA]
        if gap >= 0 and before == 0:
            continue
        inverse = r[INVERSE]
        after = max(ZERO, before - gap * inverse)
        more = after - before
        tx = r[TANGENT] - (d[0] - along * n[0]) * inverse
        ty = r[TANGENT + 1] - (d[1] - along * n[1]) * inverse
        tz = r[TANGENT + 2] - (d[2] - along * n[2]) * inverse
        most, square = r[MU] * after, tx * tx + ty * ty + tz * tz
        # A denormal length would make the reciprocal infinite, and zero times infinity is no number.
        share = min(ONE, most / math.sqrt(max(square, TINY)))
        tx, ty, tz = share * tx, share * ty, share * tz
        mx = more * n[0] + tx - r[TANGENT]
        my = more * n[1] + ty - r[TANGENT + 1]
        mz = more * n[2] + tz - r[TANGENT + 2]
        r[LAMBDA], r[TANGENT], r[TANGENT + 1], r[TANGENT + 2] = after, tx, ty, tz
        for q in range(4):
            push(x, corners[c, q], r[WEIGHT + q], mx, my, mz)


@loop
def measure(count, corners, rows, x0, x, touched):
    """Number of contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
    pushing, deepest = 0, ZERO * x[0, 0]
    for c in range(count):
        r = rows[c]
        if r[LAMBDA] > 0:
            pushing += 1
            n = (r[NORMAL], r[NORMAL + 1], r[NORMAL + 2])
            deepest = max(deepest, r[MISSING] - dot(n, displacement(c, corners, r, x0, x)) - r[GAP])
            for q in range(4):
                if r[WEIGHT + q] != 0:
                    touched[corners[c, q]] = True
    return pushing, deepest


@loop
def missed(count, corners, rows, x0, x):
    """The largest distance by which a contact misses its target [m]."""
    most = ZERO * x[0, 0]
    for c in range(count):
        r = rows[c]
        n = (r[NORMAL], r[NORMAL + 1], r[NORMAL + 2])
        most = max(most, -dot(n, displacement(c, corners, r, x0, x)) - r[GAP])
    return most
