"""The contacts of a substep: frozen planes that push and do not pull, with Coulomb friction, projected one after the other.

A contact is gap(x) = n . sum a_c (x_c - x0_c) + gap0 >= 0 over the four corners of a pair, with the weights a, the
normal n and gap0 frozen. The multiplier of the normal is kept, as the share of h^2/m that the contact has moved its
corners by in this substep; a later projection may take some of it back, never more. Friction is kept likewise, at most
mu times the normal.
"""

from __future__ import annotations

import math

from ..device.cpu import f32, kernel
from ..mathlib.vec3 import dot
from .ground import CLOSER
from .inner import inner
from .nearest import between
from .search import THICK

ONE, ZERO = f32(1), f32(0)

# Columns of a contact: normal (3), gap at the start over the target, motion of corners that no force moves (3), weights (4),
# 1 / sum a^2 h^2/m, friction, multiplier, tangential multipliers (3), how much less than the full distance the target is.
NORMAL, GAP, DRIFT, WEIGHT, INVERSE, MU, LAMBDA, TANGENT, MISSING, COLUMNS = 0, 3, 4, 7, 11, 12, 13, 14, 17, 18


@kernel
def fill(which, vertex_pairs, pair_corners, values, distance, when, kept, x0, x1, friction, allowance, corners, rows):
    """Starts the contacts of the pairs `which`, with no force yet.

    kept: see `nearest.choose`. x0, x1: particles (count, 4) [m]. allowance: depenetration in this substep [m]. Written:
    corners (k, 4), of body vertices that forces move (others have weight 0), rows (k, COLUMNS). Returns how many there
    are.
    """
    count = 0
    for q in range(len(which)):
        p = which[q]
        t = when[p]
        i, j, k, m = pair_corners[p, 0], pair_corners[p, 1], pair_corners[p, 2], pair_corners[p, 3]
        w, v, d, _ = between(x0, x1, i, j, k, m, p < vertex_pairs, t)
        if not d > 1e-12:
            continue
        r = rows[count]
        spread, base = ZERO * t, -1
        for c in range(4):
            corner = pair_corners[p, c]
            if x0[corner, 3] > 0:
                spread += w[c] * w[c] * x0[corner, 3]
                base = corner
        if not spread > 1e-30:
            continue
        inverse = ONE / d
        for axis in range(3):
            r[NORMAL + axis] = v[axis] * inverse
            r[DRIFT + axis], r[TANGENT + axis] = ZERO, ZERO
        gap = ZERO * t
        for c in range(4):
            corner = pair_corners[p, c]
            free = x0[corner, 3] > 0
            corners[count, c] = corner if free else base
            r[WEIGHT + c] = w[c] if free else ZERO
            for axis in range(3):
                gap += r[NORMAL + axis] * w[c] * (x0[corner, axis] - x0[i, axis])
                if not free:
                    r[DRIFT + axis] += w[c] * (x1[corner, axis] - x0[corner, axis])
        thick = values[p, THICK]
        thick *= kept[p]
        target = distance[p] + min(allowance, f32(CLOSER) * max(ZERO * thick, thick - distance[p]))
        target = min(thick, target)
        r[GAP], r[MISSING], r[LAMBDA] = gap - target, thick - target, ZERO
        r[INVERSE], r[MU] = ONE / spread, math.sqrt(friction[i] * friction[k])
        count += 1
    return count


@inner
def displacement(c, corners, r, x0, x):
    """Relative displacement of a contact's two points since the start."""
    dx, dy, dz = r[DRIFT], r[DRIFT + 1], r[DRIFT + 2]
    for q in range(4):
        i, w = corners[c, q], r[WEIGHT + q]
        dx += w * (x[i, 0] - x0[i, 0])
        dy += w * (x[i, 1] - x0[i, 1])
        dz += w * (x[i, 2] - x0[i, 2])
    return dx, dy, dz


@kernel
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
        push = after - before
        tx = r[TANGENT] - (d[0] - along * n[0]) * inverse
        ty = r[TANGENT + 1] - (d[1] - along * n[1]) * inverse
        tz = r[TANGENT + 2] - (d[2] - along * n[2]) * inverse
        most, square = r[MU] * after, tx * tx + ty * ty + tz * tz
        if square > most * most:
            # A denormal length would make the reciprocal infinite, and zero times infinity is no number.
            share = most / math.sqrt(square) if square > 1e-30 else ZERO * square
            tx, ty, tz = share * tx, share * ty, share * tz
        mx = push * n[0] + tx - r[TANGENT]
        my = push * n[1] + ty - r[TANGENT + 1]
        mz = push * n[2] + tz - r[TANGENT + 2]
        r[LAMBDA], r[TANGENT], r[TANGENT + 1], r[TANGENT + 2] = after, tx, ty, tz
        for q in range(4):
            i = corners[c, q]
            w = r[WEIGHT + q] * x[i, 3]
            x[i, 0] += w * mx
            x[i, 1] += w * my
            x[i, 2] += w * mz


@kernel
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


@kernel
def missed(count, corners, rows, x0, x):
    """The largest distance by which a contact misses its target [m]."""
    most = ZERO * x[0, 0]
    for c in range(count):
        r = rows[c]
        n = (r[NORMAL], r[NORMAL + 1], r[NORMAL + 2])
        most = max(most, -dot(n, displacement(c, corners, r, x0, x)) - r[GAP])
    return most
