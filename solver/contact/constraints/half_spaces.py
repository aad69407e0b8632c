"""Infinite planes, and the way out of closed colliders: contacts of single vertices with planes that do not depend on them.

As `contacts`, for one vertex each; the multipliers are displacements [m].
"""

from __future__ import annotations

import math

import numpy as np

from ...device.cpu import LANES, f32, kernel
from ...device.inner import inner, loop
from ...device.lanes import corner, gather, put, scatter
from ...mathlib.vec3 import add, add_scaled, dot, scale, sub
from ..narrow_phase.distance import length, row

#: Infinite planes kept for a vertex, beside the one that takes it out of a closed collider.
MOST_PLANES = 3
SLOTS = MOST_PLANES + 1
#: Distances up to this many thicknesses count as near, beside half the motion.
ACTIVE = 1.5

# Columns of a slot: normal (3), gap at x0 over the target, friction, multiplier, tangential displacement (3), motion of the
# plane (3), and how much less than the full distance the target is.
NORMAL, GAP, MU, LAMBDA, TANGENT, DRIFT, MISSING, COLUMNS = 0, 3, 4, 5, 6, 9, 12, 13
ZERO, HALF, ONE, TINY = f32(0), f32(0.5), f32(1), f32(1e-30)
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


@loop
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


def gathered(number: np.ndarray, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """The contacts that there are, in packs of 16; first those of the first slots.

    Returns vertices (k,), contacts (packs, COLUMNS * 16), and how many packs are of vertices that differ.
    """
    places = [np.flatnonzero(number > k) * SLOTS + k for k in range(SLOTS)]
    place = np.concatenate(places)
    packs = np.zeros((-(-len(place) // LANES), LANES, COLUMNS), slots.dtype)
    packs.reshape(-1, COLUMNS)[: len(place)] = slots.reshape(-1, COLUMNS)[place]
    return place // SLOTS, packs.transpose(0, 2, 1).reshape(len(packs), COLUMNS * LANES), len(places[0]) // LANES


@kernel
def sweep(hot, whole, packs, x0, x):
    """Projects all contacts, see `gathered`. Written: packs, x."""
    lanes, starts = np.empty(4 * LANES, x.dtype), np.empty(4 * LANES, x.dtype)
    _sweep(hot, whole, packs, x0, x, np.empty((1, LANES), np.int32), lanes, starts)


@loop
def _sweep(hot, whole, packs, x0, x, index, lanes, starts):
    for pack in range(whole):
        for lane in range(LANES):
            index[0, lane] = hot[pack * LANES + lane]
        gather(x, index, 0, 1, lanes)
        gather(x0, index, 0, 1, starts)
        kept = packs[pack]
        for lane in range(LANES):
            put(lanes, 0, lane, _projected(kept, lane, corner(lanes, 0, lane), corner(starts, 0, lane)))
        scatter(x, index, 0, 1, lanes)
    for c in range(whole * LANES, len(hot)):
        i = hot[c]
        x[i, 0], x[i, 1], x[i, 2] = _projected(packs[c // LANES], c % LANES, row(x, i), row(x0, i))


@inner
def _three(kept, column, lane):
    at = column * LANES + lane
    return (kept[at], kept[at + LANES], kept[at + 2 * LANES])


@inner
def _projected(kept, lane, p, start):
    """Where a contact moves its vertex, from p."""
    d, n, old = sub(p, start), _three(kept, NORMAL, lane), _three(kept, TANGENT, lane)
    before = kept[LAMBDA * LANES + lane]
    after = max(ZERO, before - dot(n, d) - kept[GAP * LANES + lane])
    r = sub(d, _three(kept, DRIFT, lane))
    t = sub(old, add_scaled(r, -dot(n, r), n))
    # A denormal length would make the reciprocal infinite, and zero times infinity is no number.
    t = scale(min(ONE, kept[MU * LANES + lane] * after / math.sqrt(max(dot(t, t), TINY))), t)
    at = TANGENT * LANES + lane
    kept[LAMBDA * LANES + lane] = after
    kept[at], kept[at + LANES], kept[at + 2 * LANES] = t
    return add(add_scaled(p, after - before, n), sub(t, old))


@loop
def measure(hot, packs, x0, x, touched):
    """Number of contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
    pushing, deepest = 0, ZERO * x[0, 0]
    for c in range(len(hot)):
        kept, lane, i = packs[c // LANES], c % LANES, hot[c]
        if kept[LAMBDA * LANES + lane] > 0:
            pushing += 1
            touched[i] = True
            along = dot(_three(kept, NORMAL, lane), sub(row(x, i), row(x0, i)))
            deepest = max(deepest, kept[MISSING * LANES + lane] - along - kept[GAP * LANES + lane])
    return pushing, deepest


@loop
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
