"""Infinite planes, and the way out of closed colliders: contacts of single vertices with planes that do not depend on them.

As `contacts`, for one vertex each; the multipliers are displacements [m].
"""

from __future__ import annotations

import math

from ..device.cpu import f32, kernel
from ..mathlib.vec3 import add_scaled, dot, sub
from .distance import length, row
from .inner import inner

#: Infinite planes kept for a vertex, beside the one that takes it out of a closed collider.
MOST_PLANES = 3
SLOTS = MOST_PLANES + 1
#: Distances up to this many thicknesses count as near, beside half the motion.
ACTIVE = 1.5

# Columns of a slot: normal (3), gap at x0 over the target, friction, multiplier, tangential displacement (3), motion of the
# plane (3), and how much less than the full distance the target is.
NORMAL, GAP, MU, LAMBDA, TANGENT, DRIFT, MISSING, COLUMNS = 0, 3, 4, 5, 6, 9, 12, 13
ZERO, HALF = f32(0), f32(0.5)
#: Share of what is missing to the kept distance that is made up in a substep, at most: all of it at once, and what lies on
#: each other is thrown up.
CLOSER = 0.2


@inner
def target_distance(distance, start, allowance):
    """The distance to keep: all of it, but a vertex that starts closer gets there by no more than `allowance` a substep,
    and by no more than a share of the way, so that it is not thrown."""
    return min(distance, start + min(allowance, f32(CLOSER) * max(ZERO * distance, distance - start)))


@inner
def fill_slot(slot, n, gap, mu, drift, missing):
    """Starts a contact, with no force yet."""
    for axis in range(3):
        slot[NORMAL + axis], slot[TANGENT + axis], slot[DRIFT + axis] = n[axis], ZERO, drift[axis]
    slot[GAP], slot[MU], slot[LAMBDA], slot[MISSING] = gap, mu, ZERO, missing


@kernel
def fill(begin, finish, x0, x1, wanted, own, mu, allowance, owner, rules, points, normals, reserve, friction, number, slots):
    """Starts the contacts of the vertices begin..finish with infinite planes near them.

    wanted: (n,) bool. own, reserve: distances kept by vertices and planes [m]. owner: body of each vertex; rules: whether
    a body touches a plane, (bodies, planes). Read and written: number (n,), contacts that are there already and then all;
    slots (n, SLOTS, COLUMNS).
    """
    for i in range(begin, finish):
        if not wanted[i]:
            continue
        p, move = row(x0, i), sub(row(x1, i), row(x0, i))
        for k in range(len(points)):
            if not rules[owner[i], k]:
                continue
            n = row(normals, k)
            start = dot(n, sub(p, row(points, k)))
            full = own[i] + reserve[k]
            if number[i] < SLOTS and min(start, start + dot(n, move)) < f32(ACTIVE) * full + HALF * length(move):
                target = target_distance(full, start, allowance)
                drift = (ZERO * full, ZERO * full, ZERO * full)
                fill_slot(slots[i, number[i]], n, start - target, math.sqrt(mu[i] * friction[k]), drift, full - target)
                number[i] += 1


@kernel
def sweep(hot, number, slots, x0, x):
    """Projects all contacts of the vertices `hot`, each vertex by itself. Written: slots, x."""
    for h in range(len(hot)):
        i = hot[h]
        for k in range(number[i]):
            s = slots[i, k]
            dx, dy, dz = x[i, 0] - x0[i, 0], x[i, 1] - x0[i, 1], x[i, 2] - x0[i, 2]
            n = (s[NORMAL], s[NORMAL + 1], s[NORMAL + 2])
            before = s[LAMBDA]
            after = max(ZERO, before - dot(n, (dx, dy, dz)) - s[GAP])
            push = after - before
            rx, ry, rz = dx - s[DRIFT], dy - s[DRIFT + 1], dz - s[DRIFT + 2]
            along = n[0] * rx + n[1] * ry + n[2] * rz
            tx = s[TANGENT] - (rx - along * n[0])
            ty = s[TANGENT + 1] - (ry - along * n[1])
            tz = s[TANGENT + 2] - (rz - along * n[2])
            most = s[MU] * after
            square = tx * tx + ty * ty + tz * tz
            if square > most * most:
                # A denormal length would make the reciprocal infinite, and zero times infinity is no number.
                share = most / math.sqrt(square) if square > 1e-30 else ZERO * square
                tx, ty, tz = share * tx, share * ty, share * tz
            x[i, 0] += push * n[0] + tx - s[TANGENT]
            x[i, 1] += push * n[1] + ty - s[TANGENT + 1]
            x[i, 2] += push * n[2] + tz - s[TANGENT + 2]
            s[LAMBDA], s[TANGENT], s[TANGENT + 1], s[TANGENT + 2] = after, tx, ty, tz


@kernel
def measure(hot, number, slots, x0, x, touched):
    """Number of contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
    pushing, deepest = 0, ZERO * x[0, 0]
    for h in range(len(hot)):
        i = hot[h]
        d = sub(row(x, i), row(x0, i))
        for k in range(number[i]):
            s = slots[i, k]
            if s[LAMBDA] > 0:
                pushing += 1
                touched[i] = True
                n = (s[NORMAL], s[NORMAL + 1], s[NORMAL + 2])
                deepest = max(deepest, s[MISSING] - dot(n, d) - s[GAP])
    return pushing, deepest


@kernel
def guard(x0, x, wanted, own, allowance, owner, rules, points, normals, reserve):
    """Puts vertices that went through an infinite plane back in front of it; returns how many. Written: x."""
    count = 0
    for i in range(len(wanted)):
        if not wanted[i]:
            continue
        for k in range(len(points)):
            if not rules[owner[i], k]:
                continue
            n, p = row(normals, k), row(points, k)
            start, gap = dot(n, sub(row(x0, i), p)), dot(n, sub(row(x, i), p))
            if start >= 0 and gap < 0:
                target = target_distance(own[i] + reserve[k], start, allowance)
                end = add_scaled(row(x, i), target - gap, n)
                x[i, 0], x[i, 1], x[i, 2] = end[0], end[1], end[2]
                count += 1
    return count
