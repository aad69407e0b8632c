"""The proof, at the end of a substep, that no pair passes through another on the way there; where it fails, less way.

Each pair passes if its corners move less towards each other than it is apart; then, measured exactly; then by following the
motion in steps that are never too long (additive continuous collision detection). The particles of pairs that fail are
held back: first to the share of their way that was safe, then to half of their gaps beside the motion of what is nearest to
them, then to that motion, then to one motion common to all. All pairs are checked again after each change, until none fails.
Source: Li, Kaufman and Jiang 2021, "Codimensional incremental potential contact", section 5 (additive steps).
"""

from __future__ import annotations

import math

import numpy as np

from ...device.cpu import f32
from ...device.inner import inner, loop
from ...device.threads import CHUNK
from ..broad_phase.candidates import KEY, RATE, THICK
from ..constraints.selection import FAR, FLOOR, SAFE
from ..narrow_phase.local_minimum import between, is_masked, shift
from ..narrow_phase.motion_bound import approach

ONE, ZERO = f32(1), f32(0)
#: Share of its half gap that a particle held back may move.
HALF_GAP = 0.8
#: Steps along a motion before it counts as failed.
STEPS = 48
#: Levels of holding back.
LEVELS = 4


@inner
def _margin(d, thick):
    """The distance that a pair which starts d apart may not fall below."""
    floor = FLOOR * thick
    return floor + f32(0.1) * (d - floor) if d > f32(1.2) * floor else f32(0.98) * d


@inner
def passes(x0, x1, i, j, k, m, vertex, d, thick):
    """Do two elements that start d apart stay apart on the straight way from x0 to x1? And for which share of it?"""
    speed = approach(shift(x0, x1, i), shift(x0, x1, j), shift(x0, x1, k), shift(x0, x1, m), vertex)
    least = _margin(d, thick)
    t = ZERO * d
    for _ in range(STEPS):
        if (ONE - t) * speed < SAFE * (d - least):
            return True, ONE * (t * ZERO + ONE)
        if not d > least:
            return False, t
        t += f32(0.99) * (d - f32(0.95) * least) / speed
        if t >= ONE:
            return True, ONE * (t * ZERO + ONE)
        _, _, d, _ = between(x0, x1, i, j, k, m, vertex, t)
    return False, t


@loop
def check(begin, finish, vertex_pairs, corners, values, distance, spare, x0, x1, way, farthest, safe):
    """Which of the pairs begin..finish do not pass.

    Read and written: distance: at x0, or a lower bound [m]; FAR ones are left alone. spare: see `choice`. way: of each
    particle beside its path in this substep [m], (count,); the paths themselves bring a pair nearer by no more than its
    rate. farthest: the largest of these. Written: safe (k,), the share of the way that is safe, 2 for pairs that pass.
    """
    for start in range(begin, finish, CHUNK):
        stop = min(start + CHUNK, finish)
        for p in range(start, stop):
            safe[p] = ONE + ONE
        if farthest + farthest < spare[start // CHUNK]:
            continue
        for p in range(start, stop):
            vertex = p < vertex_pairs
            i, j, k, m = corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3]
            d, thick = distance[p], values[p, THICK]
            if vertex:
                motion = way[i] + max(way[j], max(way[k], way[m]))
            else:
                motion = max(way[i], way[j]) + max(way[k], way[m])
            if values[p, RATE] + motion < SAFE * (d - FLOOR * thick):
                continue
            _, _, d, _ = between(x0, x0, i, j, k, m, vertex, ZERO * d)
            distance[p] = d
            good, t = passes(x0, x1, i, j, k, m, vertex, d, thick)
            if not good:
                safe[p] = t


@loop
def remeasure(
    begin, finish, vertex_pairs, corners, values, age, off, x0, masks, n, owner, bodies, inside, tangled, distance
):  # fmt: skip
    """Distances at x0 of the pairs begin..finish, exact where they are near. off: deviations at x0. Written: distance."""
    for p in range(begin, finish):
        vertex = p < vertex_pairs
        i, j, k, m = corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3]
        if masks and is_masked(i, j, k, m, vertex, n, owner, bodies, inside, tangled):
            distance[p] = FAR
            continue
        if vertex:
            away = off[i] + max(off[j], max(off[k], off[m]))
        else:
            away = max(off[i], off[j]) + max(off[k], off[m])
        d = values[p, KEY] - age * values[p, RATE] - away
        if d < values[p, THICK] + values[p, THICK]:
            _, _, d, _ = between(x0, x0, i, j, k, m, vertex, ZERO * age)
        distance[p] = d


@loop
def bounds(vertex_pairs, corners, values, distance, x0, x1, room, lead, nearest):
    """How far each particle may move beside others without touching, and the motion that it is held to.

    Written: room (count,) [m], half of its smallest gap; lead (count, 3) [m], the mean displacement of the corners of its
    nearest pair, or of those that no force moves, where it has any near; nearest (count,) [m], scratch.
    """
    for i in range(len(room)):
        room[i] = nearest[i] = f32(1e30)
        for axis in range(3):
            lead[i, axis] = ZERO
    for p in range(len(corners)):
        d, thick = distance[p], values[p, THICK]
        floor = FLOOR * thick
        gap = f32(0.5) * (d - floor) if d > f32(1.2) * floor else ZERO * d
        driven = ZERO * d
        for c in range(4):
            if x0[corners[p, c], 3] == 0:
                driven += ONE
        rank = d * f32(0.01) if driven > 0 and driven < 4 else d
        for c in range(4):
            i = corners[p, c]
            room[i] = min(room[i], gap)
            if x0[i, 3] > 0 and rank < nearest[i]:
                nearest[i] = rank
                number = driven if driven > 0 else f32(4)
                for axis in range(3):
                    total = ZERO * d
                    for q in range(4):
                        o = corners[p, q]
                        if driven == 0 or x0[o, 3] == 0:
                            total += x1[o, axis] - x0[o, axis]
                    lead[i, axis] = total / number


@loop
def escalate(corners, safe, x0, level, hit, share):
    """Raises the level of the movable particles of failed pairs by one; returns how many.

    Written: level, hit (count,); share (count,), the smallest share of its way that was safe for a particle.
    """
    for i in range(len(hit)):
        hit[i] = False
        if level[i] == 0:
            share[i] = ONE
    for p in range(len(safe)):
        if safe[p] <= ONE:
            for c in range(4):
                i = corners[p, c]
                hit[i] = True
                if level[i] == 0:
                    share[i] = min(share[i], safe[p])
    count = 0
    for i in range(len(hit)):
        if hit[i] and x0[i, 3] > 0 and level[i] < LEVELS:
            level[i] += 1
            count += 1
    return count


@loop
def hold_back(x0, wanted, level, share, room, lead, common, x):
    """Ends of the substep of particles with a level. common: (3,) [m], what the last level is held to.

    Written: x (count, 4).
    """
    for i in range(len(level)):
        if level[i] == 0:
            continue
        if level[i] == 1:
            for axis in range(3):
                x[i, axis] = x0[i, axis] + share[i] * (wanted[i, axis] - x0[i, axis])
            continue
        own = f32(HALF_GAP) * room[i] if level[i] < LEVELS else f32(0.5) * room[i]
        if level[i] == 3:
            own = f32(0.25) * own
        square = ZERO * own
        for axis in range(3):
            base = lead[i, axis] if level[i] < LEVELS else common[axis]
            d = wanted[i, axis] - x0[i, axis] - base
            square += d * d
        size = math.sqrt(square)
        part = own / size if size > own and size > 1e-30 else ONE * (own * ZERO + ONE)
        for axis in range(3):
            base = lead[i, axis] if level[i] < LEVELS else common[axis]
            x[i, axis] = x0[i, axis] + base + part * (wanted[i, axis] - x0[i, axis] - base)


def common_motion(x0: np.ndarray, x1: np.ndarray, corners: np.ndarray, still: bool, active: np.ndarray) -> np.ndarray:
    """Mean displacement [m], (3,), of what drives the failed pairs; of all particles where nothing does; none if `still`.

    x0, x1: (count, 4) [m]. corners: of the failed pairs, (k, 4). still: whether there is anything that forces do not move.
    active: of the bodies' vertices, which come first, (n,) bool.
    """
    moved = x1[:, :3] - x0[:, :3]
    driven = np.unique(corners[x0[corners, 3] == 0])
    if len(driven):
        return moved[driven].mean(0, dtype=float).astype(x0.dtype)
    if still:
        return np.zeros(3, x0.dtype)
    return moved[: len(active)][active].mean(0, dtype=float).astype(x0.dtype)
