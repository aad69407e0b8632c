"""Which planes stand in the way of a vertex during one substep, out of the triangles near its path.

A plane is frozen for the substep: a normal, a point of a triangle (barycentric, so it moves with the triangle) and the
distance to keep. It is taken at the END pose, where the vertex would be without contact, so that a rotating surface has
its new normal and a vertex that slides past an edge does not meet the plane of a triangle that it has left behind.

First come the triangles that the path goes through: the earliest one is kept and the end of the path put back in front of
it, up to three times (a corner). Then come the triangles near that end, nearest first. One whose closest point is not in
front of a plane already kept is left out: whoever stays in front of that plane stays clear of it as well. So neighbours
of the same flat or convex surface give one plane, without slanted normals at inner edges, and no doubled friction.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..mathlib.vec3 import add_scaled, dot, scale, sub
from .distance import FACE, blend, closest_on_triangle, crossing, direction, length, row, triangle_normal
from .inner import inner

#: Planes kept for a vertex.
MOST = 4
#: Triangles near the end of the path that are looked at, nearest first.
NEAR = 12
#: Distances up to this many thicknesses count as near, beside half the motion.
ACTIVE = 1.5
# Columns of a plane: normal from the triangle to the vertex (3), weights (3), target [m], full distance [m].
COLUMNS = 8


@inner
def target_distance(distance, start, allowance):
    """The distance to keep: all of it, but a vertex that starts closer gets there by no more than `allowance` a substep."""
    return min(distance, start + allowance)


@inner
def keep(planes, kept, count, n, weights, target, full, t):
    """Writes one plane."""
    for axis in range(3):
        planes[count, axis] = n[axis]
        planes[count, 3 + axis] = weights[axis]
    planes[count, 6], planes[count, 7] = target, full
    kept[count] = t


@inner
def first_crossing(p0, p1, skip, reach, group_reach, ids, keys, start, stop, triangles, groups, outward, A, B):
    """The earliest triangle among ids[start:stop] that a vertex on its way from p0 to p1 goes through.

    reach, group_reach: how far the vertex and the groups have moved since the distances `keys` were measured [m].
    Triangles of closed surfaces stop only what comes from outside; triangles of the group `skip` stop nothing.
    Returns (triangle or -1, side, weights).
    """
    one = A.dtype.type(1)
    zero = one - one
    best, triangle, side, weights = one + one, np.int32(-1), one, (one, zero, zero)
    for k in range(start, stop):
        t = ids[k]
        if groups[t] == skip or keys[k] > reach + group_reach[groups[t]]:
            continue
        i, j, m = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        hit, when, s, w = crossing(p0, p1, row(A, i), row(A, j), row(A, m), row(B, i), row(B, j), row(B, m), one)
        if hit and when < best and s * outward[t] >= zero:
            best, triangle, side, weights = when, t, s, w
    return triangle, side, weights


@inner
def _near(
    p, skip, limit, reach, group_reach, group_motion, ids, keys, start, stop, triangles, groups, outward, reserve, B,
    entries, tris,
):  # fmt: skip
    """The nearest triangles to p at the end pose, nearest first (of equals, the one that faces p most).

    limit: what counts as near, beside the triangle's share [m]. Written: entries (NEAR, 8): distance, facing, normal
    towards the outside or p (3), weights (3); tris (NEAR,).
    """
    one = B.dtype.type(1)
    half = one / (one + one)
    count = 0
    for k in range(start, stop):
        t = ids[k]
        act = limit + B.dtype.type(ACTIVE) * reserve[t] + half * group_motion[groups[t]]
        if groups[t] == skip or keys[k] > act + reach + group_reach[groups[t]]:
            continue
        a, b, c = row(B, triangles[t, 0]), row(B, triangles[t, 1]), row(B, triangles[t, 2])
        face, valid = triangle_normal(a, b, c, one)
        if not valid:
            continue
        weights, region = closest_on_triangle(p, a, b, c, one)
        towards, distance = direction(p, blend(weights, a, b, c), one)
        facing = dot(towards, face)
        if region == FACE:
            height = dot(sub(p, a), face)
            distance = abs(height)
            facing = one if height >= one - one else -one
        if distance >= act or (count == NEAR and distance >= entries[NEAR - 1, 0]):
            continue
        out = outward[t]
        sign = one if facing >= one - one else -one
        if out != 0:
            facing = facing * out
            sign = out
        n = scale(-one if out != 0 and facing < 0 else one, towards)
        if region == FACE or distance < act * B.dtype.type(1e-3):
            n = scale(sign, face)
        j = min(count, NEAR - 1)
        tie = act * B.dtype.type(1e-4)
        while j > 0 and (
            distance < entries[j - 1, 0] - tie
            or (distance < entries[j - 1, 0] + tie and abs(facing) > abs(entries[j - 1, 1]))
        ):
            for f in range(8):
                entries[j, f] = entries[j - 1, f]
            tris[j] = tris[j - 1]
            j -= 1
        entries[j, 0], entries[j, 1] = distance, facing
        for axis in range(3):
            entries[j, 2 + axis], entries[j, 5 + axis] = n[axis], weights[axis]
        tris[j] = t
        count = min(count + 1, NEAR)
    return count


@inner
def _start_distance(p, a, b, c, out, one):
    """Distance of the vertex from the triangle at the start; negative behind the triangle of a closed surface."""
    normal, valid = triangle_normal(a, b, c, one)
    weights, _ = closest_on_triangle(p, a, b, c, one)
    d = sub(p, blend(weights, a, b, c))
    distance = length(d)
    return -distance if valid and out != 0 and dot(d, normal) * out < 0 else distance


@inner
def _behind(q, planes, kept, first, last, triangles, B, tolerance):
    """Is a point behind one of the planes first..last, or hardly in front of it?"""
    behind = False
    for k in range(first, last):
        u = kept[k]
        w = (planes[k, 3], planes[k, 4], planes[k, 5])
        base = blend(w, row(B, triangles[u, 0]), row(B, triangles[u, 1]), row(B, triangles[u, 2]))
        behind = behind or dot((planes[k, 0], planes[k, 1], planes[k, 2]), sub(q, base)) <= tolerance
    return behind


@kernel
def choose(
    begin, finish, x0, x1, base, wanted, own, allowance, skip, group_motion, group_reach, starts, stops, ids, keys,
    triangles, groups, outward, reserve, A, B, planes, kept, number,
):  # fmt: skip
    """Chooses up to `MOST` planes for each of the vertices begin..finish.

    x0, x1, base: vertices at the start, at the predicted end, and when the lists were made [m], (n, 3 or more).
    wanted: (n,) bool. own: distance [m], (n,). allowance: depenetration in this substep [m]. skip: group of triangles that
    a vertex ignores, or -1, (n,). group_motion, group_reach: how far the triangles' groups move in this substep, and have
    moved since the lists were made, at most [m]. reserve: distance of each triangle [m], (k,).
    A, B: corners at the start and the end [m].
    Read and written: number (n,), planes that are there already and then all. Written: planes (n, MOST, COLUMNS), kept
    (n, MOST) triangles.
    """
    one = A.dtype.type(1)
    half = one / (one + one)
    entries, tris = np.empty((NEAR, 8), A.dtype), np.empty(NEAR, np.int32)
    for v in range(begin, finish):
        if not wanted[v] or stops[v] == starts[v]:
            continue
        p0, end = row(x0, v), row(x1, v)
        motion = length(sub(end, p0))
        reach = max(length(sub(p0, row(base, v))), length(sub(end, row(base, v))))
        solid = number[v]  # planes before this one push a vertex out of a volume: nothing is safe behind them
        count = solid
        for _ in range(3):
            t, side, weights = first_crossing(
                p0, end, skip[v], reach, group_reach, ids, keys, starts[v], stops[v], triangles, groups, outward, A, B
            )
            if t < 0 or count == MOST:
                break
            i, j, m = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            n, _ = triangle_normal(row(B, i), row(B, j), row(B, m), one)
            n = scale(side, n)
            full = own[v] + reserve[t]
            before = _start_distance(p0, row(A, i), row(A, j), row(A, m), outward[t], one)
            target = target_distance(full, before, allowance)
            keep(planes[v], kept[v], count, n, weights, target, full, t)
            count += 1
            gap = dot(n, sub(end, row(B, i)))
            if gap < target:
                end = add_scaled(end, target - gap, n)
                reach += target - gap
        crossed = count > solid
        limit = A.dtype.type(ACTIVE) * own[v] + half * motion
        near = _near(
            end, skip[v], limit, reach, group_reach, group_motion, ids, keys, starts[v], stops[v], triangles,
            groups, outward, reserve, B, entries, tris,
        )  # fmt: skip
        for e in range(near):
            t = tris[e]
            inside = outward[t] != 0 and entries[e, 1] < 0
            if count == MOST or (inside and (e > 0 or crossed)):
                continue  # no room, or the back of a closed surface, seen through its front
            i, j, m = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            n, weights = (entries[e, 2], entries[e, 3], entries[e, 4]), (entries[e, 5], entries[e, 6], entries[e, 7])
            full = own[v] + reserve[t]
            q = blend(weights, row(B, i), row(B, j), row(B, m))
            if _behind(q, planes[v], kept[v], solid, count, triangles, B, A.dtype.type(0.02) * full):
                continue
            before = _start_distance(p0, row(A, i), row(A, j), row(A, m), outward[t], one)
            keep(planes[v], kept[v], count, n, weights, target_distance(full, before, allowance), full, t)
            count += 1
            if inside:
                solid = count
        number[v] = count
