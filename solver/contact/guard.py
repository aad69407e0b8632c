"""The last word of a substep: no vertex goes through a collider, whatever the iterations have left undone."""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..mathlib.vec3 import add, add_scaled, dot, scale, sub
from .distance import blend, length, row, triangle_normal
from .inner import inner
from .planes import first_crossing, target_distance
from .tree import STACK, overlapping

#: Corrections tried on a vertex. Two slide it along what it hit, the third puts it where it hit, the last takes it along.
ATTEMPTS = 4


@inner
def _plane_guard(p0, p1, own, allowance, points, normals, reserve):
    """End of the path, taken back in front of every infinite plane that the path went through; and how many these were."""
    count = 0
    for k in range(len(points)):
        n = row(normals, k)
        start, gap = dot(n, sub(p0, row(points, k))), dot(n, sub(p1, row(points, k)))
        if start >= 0 and gap < 0:
            p1 = add_scaled(p1, target_distance(own + reserve[k], start, allowance) - gap, n)
            count += 1
    return p1, count


@kernel
def guard(
    begin, finish, x0, base, path, after, slack, listed, everywhere, movable, own, inside, allowance, group_reach,
    starts, stops, ids, keys, triangles, groups, outward, reserve, A, B, order, leaves, bounds, nodes, plane_points,
    plane_normals, plane_reserve, moved, x,
):  # fmt: skip
    """Checks the paths x0 -> x of the vertices begin..finish, and puts back those that went through something.

    listed: there are candidate lists; a vertex off the path that they were made for is searched for in the tree.
    everywhere: search the tree for all. Neither: only infinite planes are near. Written: x;
    moved (n,): 1 if put back; inside: -1 (unknown) where that did not help.
    """
    one = x.dtype.type(1)
    stack, found = np.empty(STACK, np.int32), np.empty(256, np.int32)
    nothing = np.empty(256, x.dtype)
    nothing[:] = 0  # distances: none is far enough to leave out
    for i in range(begin, finish):
        moved[i] = 0
        if not movable[i]:
            continue
        p0, skip = row(x0, i), max(inside[i] - 1, -1)
        start_end = row(x, i)
        end, count = _plane_guard(p0, start_end, own[i], allowance, plane_points, plane_normals, plane_reserve)
        search, reach = everywhere or count > 0, one
        if listed and not search:
            u, w = sub(p0, row(base, i)), sub(end, row(base, i))
            off = add_scaled(w, -after, row(path, i))
            search = dot(off, off) > slack * slack
            reach = max(length(u), length(w))
        for attempt in range(ATTEMPTS + 1):
            if not (listed or everywhere):
                break
            first, last = starts[i], stops[i]
            if search:
                grow = slack + slack
                low = (min(p0[0], end[0]) - grow, min(p0[1], end[1]) - grow, min(p0[2], end[2]) - grow)
                high = (max(p0[0], end[0]) + grow, max(p0[1], end[1]) + grow, max(p0[2], end[2]) + grow)
                first, last = 0, overlapping(low, high, order, leaves, bounds, nodes, stack, found)
                if last > len(found):
                    found, nothing = np.empty(last, np.int32), np.empty(last, x.dtype)
                    nothing[:] = 0
                    overlapping(low, high, order, leaves, bounds, nodes, stack, found)
            t, side, weights = first_crossing(
                p0, end, skip, reach, group_reach, found if search else ids, nothing if search else keys, first, last,
                triangles, groups, outward, A, B,
            )  # fmt: skip
            if t < 0:
                break
            count += 1
            if attempt == ATTEMPTS:
                inside[i] = -1
                break
            end = _put_back(attempt, t, side, weights, p0, end, own[i] + reserve[t], allowance, triangles, A, B, one)
            search = True
        if count > 0:
            x[i, 0], x[i, 1], x[i, 2] = end[0], end[1], end[2]
            moved[i] = 1


@inner
def _put_back(attempt, t, side, weights, p0, end, full, allowance, triangles, A, B, one):
    """A better end for a path that goes through triangle t."""
    i, j, m = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    before, valid = triangle_normal(row(A, i), row(A, j), row(A, m), one)
    n, _ = triangle_normal(row(B, i), row(B, j), row(B, m), one)
    n = scale(side, n)
    distance = abs(dot(sub(p0, row(A, i)), before)) if valid else full
    target = target_distance(full, distance, allowance)
    hit = blend(weights, row(B, i), row(B, j), row(B, m))
    if attempt < 2:
        return add_scaled(end, target - dot(n, sub(end, hit)), n)
    if attempt == 2:
        return add_scaled(hit, target, n)
    return add(p0, sub(hit, blend(weights, row(A, i), row(A, j), row(A, m))))
