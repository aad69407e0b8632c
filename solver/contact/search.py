"""Finding the pairs that may touch within the next substeps: boxes first, then exact distances and bounds of motion."""

from __future__ import annotations

import numpy as np

from ..device.cpu import f32, kernel
from ..mathlib.vec3 import sub
from .distance import blend, closest_of_segments, closest_of_triangle, length, row
from .inner import inner
from .motion import approach
from .surfaces import Surfaces
from .threads import CHUNK, run
from .tree import LEAF, STACK, Tree, apart

#: Pairs up to this many thicknesses apart, at the start or the predicted end of a substep, become contacts.
ACTIVE = 1.1
#: Share of the distance at rest that two elements of one object may be made to keep.
REST_SHARE = 0.9
# Which pairs a search takes: all with an element that is searched for; those within one tree, once; those whose second
# element is not searched for.
ALL, WITHIN, OTHERS = 0, 1, 2
# Columns of a pair's values: distance key, approach a substep, thickness, substeps until it is looked at again.
KEY, RATE, THICK, ASLEEP, VALUES = 0, 1, 2, 3, 4
ZERO, ONE = f32(0), f32(1)


@inner
def pair_distance(x, i, j, k, m, vertex, one):
    """Distance [m] of corner i and triangle j k m, or of edges i j and k m."""
    a, b, c, d = row(x, i), row(x, j), row(x, k), row(x, m)
    if vertex:
        w, _ = closest_of_triangle(a, b, c, d, one)
        return length(sub(a, blend(w, b, c, d)))
    s, t = closest_of_segments(a, b, c, d, one)
    r = one - s
    q = one - t
    p = (r * a[0] + s * b[0], r * a[1] + s * b[1], r * a[2] + s * b[2])
    o = (q * c[0] + t * d[0], q * c[1] + t * d[1], q * c[2] + t * d[2])
    return length(sub(p, o))


@inner
def _may_be_near(rest, i, other, reach, limit, vertex):
    """Can two elements with these corners be nearer than a limit at rest?"""
    most = limit + reach[other] if vertex else limit + reach[i] + reach[other]
    a, b, c = rest[i, 0] - rest[other, 0], rest[i, 1] - rest[other, 1], rest[i, 2] - rest[other, 2]
    return a * a + b * b + c * c <= most * most


@inner
def _thickness(i, j, k, m, vertex, n, distance, half, owner, rest, start, reach, one):
    """Distance that a pair keeps [m]."""
    if vertex:
        far, half_far = max(distance[j], max(distance[k], distance[m])), min(half[j], min(half[k], half[m]))
        near, half_near, other = distance[i], half[i], j
    else:
        far, half_far = max(distance[k], distance[m]), min(half[k], half[m])
        near, half_near, other = max(distance[i], distance[j]), min(half[i], half[j]), k
    if i >= n or other >= n:
        return near + far
    thick = half_near + half_far
    if owner[i] == owner[other] and _may_be_near(rest, i, other, reach, thick / (one * REST_SHARE), vertex):
        apart_at_rest = pair_distance(rest, i, j, k, m, vertex, one)
        if apart_at_rest * REST_SHARE < thick:
            apart_at_rest = max(apart_at_rest, pair_distance(start, i, j, k, m, vertex, one))
        thick = min(thick, one * REST_SHARE * apart_at_rest)
    return thick


@inner
def _group_box(bounds, fresh, first, last, big):
    """The box around the fresh elements first..last."""
    a, b, c, d, e, f = big, big, big, -big, -big, -big
    for i in range(first, last):
        if fresh[i]:
            a, b, c = min(a, bounds[i, 0]), min(b, bounds[i, 1]), min(c, bounds[i, 2])
            d, e, f = max(d, bounds[i, 3]), max(e, bounds[i, 4]), max(f, bounds[i, 5])
    return (a, b, c), (d, e, f)


@kernel
def _search(
    begin, finish, rule, vertex, items, order, bounds, fresh, t_items, t_order, leaves, t_bounds, nodes, t_fresh, t_last,
    all_fresh, x, step, falls, fall, age, horizon, off, slack, wide, distance, half, owner, rules, n, rest, start, reach,
    turn, totals, corners, ids, values,
):  # fmt: skip
    """Pairs of the fresh elements begin..finish with those of another tree, or of the same.

    all_fresh: each pair within the tree is found from its first element. vertex: the elements are points and triangles,
    `turn` tells that the first are the triangles; else edges and edges. x: (count, 4) [m]. step, falls, fall, off: see
    `paths`. age, horizon: substeps. slack: (count,) [m]. wide: (count,) bool, particles all of whose pairs with
    touching boxes are kept. Written: totals (chunks,), and by chunk corners (chunks, room, 4), ids (chunks, room, 2),
    values (chunks, room, VALUES). A total beyond the room means that the chunk has to be searched again with more of
    it. The key of a pair is such that key - k rate - off - off is a lower bound of its distance after k substeps.
    """
    one = x.dtype.type(1)
    big = x.dtype.type(1e30)
    stack = np.empty(STACK, np.int32)
    for chunk in range(begin // CHUNK, (finish + CHUNK - 1) // CHUNK):
        total = 0
        for first in range(chunk * CHUNK, min(finish, chunk * CHUNK + CHUNK), LEAF):
            last = min(finish, first + LEAF)
            low, high = _group_box(bounds, fresh, first, last, big)
            depth = 1
            stack[0] = 0
            while depth > 0:
                depth -= 1
                node = stack[depth]
                if apart(nodes, node, low, high) or (all_fresh and t_last[node] <= first):
                    continue
                if node < leaves - 1:
                    stack[depth], stack[depth + 1] = 2 * node + 2, 2 * node + 1
                    depth += 2
                    continue
                leaf = (node - (leaves - 1)) * LEAF
                for q in range(leaf, min(len(t_items), leaf + LEAF)):
                    if apart(t_bounds, q, low, high) or (rule == OTHERS and t_fresh[q]):
                        continue
                    for p in range(first, last):
                        if not fresh[p] or (rule == WITHIN and t_fresh[q] and q <= p):
                            continue
                        if (
                            bounds[p, 0] > t_bounds[q, 3]
                            or bounds[p, 1] > t_bounds[q, 4]
                            or bounds[p, 2] > t_bounds[q, 5]
                            or bounds[p, 3] < t_bounds[q, 0]
                            or bounds[p, 4] < t_bounds[q, 1]
                            or bounds[p, 5] < t_bounds[q, 2]
                        ):
                            continue
                        if vertex:
                            if turn:
                                i, j, k, m = t_items[q, 0], items[p, 0], items[p, 1], items[p, 2]
                                e, f = t_items[q, 0], order[p]
                            else:
                                i, j, k, m = items[p, 0], t_items[q, 0], t_items[q, 1], t_items[q, 2]
                                e, f = items[p, 0], t_order[q]
                            if i in (j, k, m):
                                continue
                            other = j
                        else:
                            i, j, k, m = items[p, 0], items[p, 1], t_items[q, 0], t_items[q, 1]
                            e, f = order[p], t_order[q]
                            if i in (k, m) or j in (k, m):
                                continue
                            other = k
                        if not rules[owner[i], owner[other]]:
                            continue
                        if x[i, 3] + x[j, 3] + x[k, 3] + x[m, 3] == 0:
                            continue
                        rate = approach(row(step, i), row(step, j), row(step, k), row(step, m), vertex)
                        if falls[i] != falls[j] or falls[i] != falls[k] or falls[i] != falls[m]:
                            rate += max(horizon - ONE, ZERO) * length((fall[0], fall[1], fall[2]))
                        d = pair_distance(x, i, j, k, m, vertex, one)
                        if vertex:
                            away = off[i] + max(off[j], max(off[k], off[m]))
                        else:
                            away = max(off[i], off[j]) + max(off[k], off[m])
                        key = d + age * rate - away
                        if x[i, 3] * x[j, 3] * x[k, 3] * x[m, 3] == 0:
                            key -= length((fall[0], fall[1], fall[2]))  # predictions fall, what nothing moves does not
                        bound = key - horizon * rate - slack[i] - slack[other]
                        if wide[i] or wide[j] or wide[k] or wide[m]:
                            bound = -big
                        if bound >= near_most(i, other, n, distance, half) * ACTIVE:
                            continue
                        thick = _thickness(i, j, k, m, vertex, n, distance, half, owner, rest, start, reach, one)
                        if bound >= thick * ACTIVE:
                            continue
                        if total < corners.shape[1]:
                            corners[chunk, total, 0], corners[chunk, total, 1] = i, j
                            corners[chunk, total, 2], corners[chunk, total, 3] = k, m
                            ids[chunk, total, 0], ids[chunk, total, 1] = e, f
                            values[chunk, total, KEY], values[chunk, total, RATE] = key, rate
                            values[chunk, total, THICK], values[chunk, total, ASLEEP] = thick, ZERO
                        total += 1
        totals[chunk] = total


@inner
def near_most(i, other, n, distance, half):
    """An upper bound of the thickness of a pair, without its distance at rest [m]."""
    return distance[i] + distance[other] + half[i] + half[other]


@kernel
def _keep(first, last, moved, corners, ids, values, new_corners, new_ids, new_values):
    count = 0
    for p in range(first, last):
        if moved[corners[p, 0]] or moved[corners[p, 1]] or moved[corners[p, 2]] or moved[corners[p, 3]]:
            continue
        for c in range(4):
            new_corners[count, c] = corners[p, c]
        new_ids[count, 0], new_ids[count, 1] = ids[p, 0], ids[p, 1]
        for c in range(VALUES):
            new_values[count, c] = values[p, c]
        count += 1
    return count


class Found:
    """Pairs of one kind: corners (k, 4) and ids (k, 2) int32, values (k, VALUES)."""

    def __init__(self, corners: np.ndarray, ids: np.ndarray, values: np.ndarray) -> None:
        self.corners, self.ids, self.values = corners, ids, values

    def __len__(self) -> int:
        return len(self.ids)

    def kept(self, first: int, last: int, moved: np.ndarray) -> Found:
        """Those of the pairs first..last of which no corner has moved; moved: (count,) bool."""
        n = last - first
        new = Found(np.empty((n, 4), np.int32), np.empty((n, 2), np.int32), np.empty((n, VALUES), self.values.dtype))
        k = _keep(first, last, moved, self.corners, self.ids, self.values, new.corners, new.ids, new.values)
        return Found(new.corners[:k], new.ids[:k], new.values[:k])


def joined(parts: list[Found], dtype: np.dtype) -> Found:
    """All pairs of several lists, in their order."""
    return Found(
        np.concatenate([np.empty((0, 4), np.int32), *[p.corners for p in parts]]),
        np.concatenate([np.empty((0, 2), np.int32), *[p.ids for p in parts]]),
        np.concatenate([np.empty((0, VALUES), dtype), *[p.values for p in parts]]),
    )


class Search:
    """Searches trees of one world; remembers how much room the last searches needed."""

    def __init__(self, surfaces: Surfaces, start: np.ndarray) -> None:
        """start: positions that the objects begin with [m], (count, 3)."""
        self.surfaces, self.start = surfaces, start
        self.room = 512

    def __call__(self, rule: int, vertex: bool, one: Tree, other: Tree, x, paths, age, horizon, slack, wide) -> Found:
        """Pairs of the fresh elements of one tree with another's. paths: step, falls, fall, off of `paths`.

        Of points and triangles, either may be the ones that are searched for.
        """
        if not len(one) or not len(other) or not one.fresh_nodes[0]:
            return joined([], x.dtype)
        if rule == OTHERS and other.fresh.all():
            return joined([], x.dtype)
        s, chunks = self.surfaces, -(-len(one) // CHUNK)
        all_fresh = rule == WITHIN and bool(other.fresh.all())
        totals, turn = np.zeros(chunks, np.int64), vertex and one.items.shape[1] == 3
        while True:
            corners = np.empty((chunks, self.room, 4), np.int32)
            ids = np.empty((chunks, self.room, 2), np.int32)
            values = np.empty((chunks, self.room, VALUES), x.dtype)
            step, falls, fall, off = paths
            run(
                _search, len(one), rule, vertex, one.items, one.order, one.bounds, one.fresh, other.items, other.order,
                other.leaves, other.bounds, other.nodes, other.fresh, other.last, all_fresh, x, step,
                falls, fall, age, horizon, off, slack, wide, s.distance, s.half, s.owner, s.rules, s.n, s.rest,
                self.start, s.reach, turn, totals, corners, ids, values,
            )  # fmt: skip
            if totals.max() <= self.room:
                break
            self.room = int(totals.max()) * 5 // 4
        return joined(
            [Found(corners[c, :k], ids[c, :k], values[c, :k]) for c, k in enumerate(totals.tolist()) if k], x.dtype
        )
