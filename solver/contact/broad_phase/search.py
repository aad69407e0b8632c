"""Finding the pairs that may touch within the next substeps: boxes first, then exact distances and bounds of motion."""

from __future__ import annotations

import numpy as np

from ...device.cpu import LANES, f32, kernel
from ...device.inner import inner, loop
from ...device.lanes import corner, gather, weight
from ...device.threads import CHUNK, run
from ...mathlib.vec3 import sub
from ..narrow_phase.distance import blend, closest_of_segments, closest_of_triangle, length, row
from ..narrow_phase.distance_lanes import FOUND, LENGTH, approach_lanes, measure_lanes
from ..surfaces.surfaces import Surfaces
from .candidates import AWAKE, KEY, RATE, THICK, VALUES, Found
from .tree import STACK, Tree, apart

#: Pairs up to this many thicknesses apart, at the start or the predicted end of a substep, become contacts.
ACTIVE = f32(1.1)
#: Share of the distance at rest that two elements of one object may be made to keep.
REST_SHARE = f32(0.9)
# Which pairs a search takes: all with an element that is searched for; those within one tree, once; those whose second
# element is not searched for.
ALL, WITHIN, OTHERS = 0, 1, 2
ZERO = f32(0)
#: Pairs whose boxes meet that are collected before they are measured.
MET = 1024
#: Slack of particles all of whose pairs with touching boxes are kept [m].
WIDE = 1e30
#: Chunks that are searched at once. What each may find has room in memory, though most find little, so not for all chunks.
BATCH = 64
#: Numbers that are worked out for each of 16 pairs: rate, what falls cost, key, bound, whether it is kept.
RESULTS = 5


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
    if owner[i] == owner[other] and _may_be_near(rest, i, other, reach, thick / (REST_SHARE), vertex):
        apart_at_rest = pair_distance(rest, i, j, k, m, vertex, one)
        if apart_at_rest * REST_SHARE < thick:
            apart_at_rest = max(apart_at_rest, pair_distance(start, i, j, k, m, vertex, one))
        thick = min(thick, REST_SHARE * apart_at_rest)
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
    begin, finish, base, rule, vertex, items, order, bounds, fresh, t_items, t_order, tops, blocks, nodes, t_fresh, t_last,
    all_fresh, x, step, marks, drop, age, horizon, distance, half, owner, rules, n, rest, start, reach, turn, totals,
    corners, ids, values,
):  # fmt: skip
    """Pairs of the fresh elements begin..finish, counted from chunk `base` on, with those of another tree, or of the same.

    all_fresh: each pair within the tree is found from its first element. vertex: the elements are points and triangles,
    `turn` tells that the first are the triangles; else edges and edges. x: (count, 4) [m]. step: see `paths`. marks:
    (count, 4), how far particles are off their paths, slack [m] (WIDE: all its pairs with touching boxes are kept), upper
    bound of the thickness [m], whether it falls. drop: [m], what a particle falls in a substep. age, horizon: substeps.
    Written: totals (chunks,), and by chunk corners (chunks, room, 4), ids (chunks, room, 2), values (chunks, room,
    VALUES). A total beyond the room means that the chunk has to be searched again with more of it. The key of a pair is
    such that key - k rate - off - off is a lower bound of its distance after k substeps.
    """
    stack = np.empty(STACK, np.int32)
    ends, names = np.empty((MET, 4), np.int32), np.empty((MET, 2), np.int32)
    index = np.empty((1, 4 * LANES), np.int32)
    lanes, found = np.empty(16 * LANES, x.dtype), np.empty(FOUND * LANES, x.dtype)
    results = np.empty(RESULTS * LANES, x.dtype)
    hits = np.empty(2 * LANES, np.int32)
    for chunk in range(begin // CHUNK, (finish + CHUNK - 1) // CHUNK):
        total = met = 0
        origin = (base + chunk) * CHUNK
        stop = min(base * CHUNK + finish, origin + CHUNK)
        for first in range(origin, stop, LANES):
            last = min(stop, first + LANES)
            depth = 1
            stack[0] = 0
            while depth > 0:
                depth, met = _descend(
                    first, last, depth, met, rule, vertex, turn, items, order, bounds, fresh, t_items, t_order, tops, blocks,
                    nodes, t_fresh, t_last, all_fresh, owner, rules, stack, hits, ends, names,
                )  # fmt: skip
                if met > MET - LANES * LANES or (depth == 0 and last == stop):
                    total = _measure(
                        met, total, chunk, vertex, ends, names, x, step, marks, drop, age, horizon, distance, half, owner, n,
                        rest, start, reach, index, lanes, found, results, corners, ids, values,
                    )  # fmt: skip
                    met = 0
        totals[chunk] = total


@loop
def _descend(
    first, last, depth, met, rule, vertex, turn, items, order, bounds, fresh, t_items, t_order, tops, blocks, nodes, t_fresh,
    t_last, all_fresh, owner, rules, stack, hits, ends, names,
):  # fmt: skip
    """Goes on down a tree with the elements first..last, until `ends` is full: pairs whose boxes meet.

    stack: nodes to look at, `depth` of them. hits: scratch. Written: stack; ends (MET, 4) and names (MET, 2), corners and
    elements of the pairs met. Returns depth and met, what is in them now.
    """
    big = bounds.dtype.type(1e30)
    low, high = _group_box(bounds, fresh, first, last, big)
    while depth > 0 and met <= MET - LANES * LANES:
        depth -= 1
        node = stack[depth]
        if apart(nodes, node, low, high) or (all_fresh and t_last[node] <= first):
            continue
        if node < tops - 1:
            stack[depth], stack[depth + 1] = 2 * node + 2, 2 * node + 1
            depth += 2
            continue
        block = node - (tops - 1)
        boxes = blocks[block]
        for p in range(first, last):
            mine, its = (bounds[p, 0], bounds[p, 1], bounds[p, 2]), (bounds[p, 3], bounds[p, 4], bounds[p, 5])
            if not fresh[p] or apart(nodes, node, mine, its):
                continue
            for lane in range(LANES):
                hits[lane] = (
                    (boxes[lane] <= its[0])
                    & (boxes[LANES + lane] <= its[1])
                    & (boxes[2 * LANES + lane] <= its[2])
                    & (boxes[3 * LANES + lane] >= mine[0])
                    & (boxes[4 * LANES + lane] >= mine[1])
                    & (boxes[5 * LANES + lane] >= mine[2])
                )
            # Without a branch, which would be guessed wrong half of the time: writes all, keeps those that hit.
            count = 0
            for lane in range(LANES):
                hits[LANES + count] = block * LANES + lane
                count += hits[lane]
            for hit in range(count):
                q = hits[LANES + hit]
                if vertex:
                    if turn:
                        i, j, k, m = t_items[q, 0], items[p, 0], items[p, 1], items[p, 2]
                        e, f = t_items[q, 0], order[p]
                    else:
                        i, j, k, m = items[p, 0], t_items[q, 0], t_items[q, 1], t_items[q, 2]
                        e, f = items[p, 0], t_order[q]
                    shared = (i == j) | (i == k) | (i == m)
                    one, other = owner[i], owner[j]
                else:
                    i, j, k, m = items[p, 0], items[p, 1], t_items[q, 0], t_items[q, 1]
                    e, f = order[p], t_order[q]
                    shared = (i == k) | (i == m) | (j == k) | (j == m)
                    one, other = owner[i], owner[k]
                twice = t_fresh[q] & ((rule == OTHERS) | ((rule == WITHIN) & (q <= p)))
                wanted = rules[one, other]
                ends[met, 0], ends[met, 1], ends[met, 2], ends[met, 3] = i, j, k, m
                names[met, 0], names[met, 1] = e, f
                met += wanted & (not shared) & (not twice)
    return depth, met


@loop
def _measure(
    met, total, chunk, vertex, ends, names, x, step, marks, drop, age, horizon, distance, half, owner, n, rest, start, reach,
    index, lanes, found, results, corners, ids, values,
):  # fmt: skip
    """Keeps those of the pairs met that may come near; returns the chunk's new total. index to results: scratch."""
    one = x.dtype.type(1)
    for pack in range(0, met, LANES):
        filled = min(LANES, met - pack)
        for lane in range(LANES):
            for c in range(4):
                index[0, c * LANES + lane] = ends[pack + min(lane, filled - 1), c]
        approach_lanes(vertex, step, index, lanes, results)
        measure_lanes(vertex, x, index, lanes, found)
        for lane in range(LANES):
            a, b, c, d = weight(lanes, 0, lane), weight(lanes, 1, lane), weight(lanes, 2, lane), weight(lanes, 3, lane)
            # Predictions fall, what nothing moves does not; between two that nothing moves there are no contacts.
            lost = drop if min(min(a, b), min(c, d)) == ZERO else ZERO * drop
            results[LANES + lane] = lost if max(max(a, b), max(c, d)) > ZERO else -one
        gather(marks, index, 0, 4, lanes)
        for lane in range(LANES):
            a, b, c, d = corner(lanes, 0, lane), corner(lanes, 1, lane), corner(lanes, 2, lane), corner(lanes, 3, lane)
            falling = weight(lanes, 0, lane) + weight(lanes, 1, lane) + weight(lanes, 2, lane) + weight(lanes, 3, lane)
            mixed = max(horizon - one, ZERO) * drop if (falling > f32(0.5)) & (falling < f32(3.5)) else ZERO * drop
            rate, lost = results[lane] + mixed, results[LANES + lane]
            cd, cs, cn = max(c[0], d[0]), max(c[1], d[1]), max(c[2], d[2])
            bcd, bcs, bcn = max(b[0], cd), max(b[1], cs), max(b[2], cn)
            away = a[0] + bcd if vertex else max(a[0], b[0]) + cd
            loose = a[1] + bcs if vertex else max(a[1], b[1]) + cs
            thick = a[2] + bcn if vertex else max(a[2], b[2]) + cn
            key = found[LENGTH * LANES + lane] + age * rate - away - lost
            bound = key - horizon * rate - loose
            results[lane], results[2 * LANES + lane], results[3 * LANES + lane] = rate, key, bound
            results[4 * LANES + lane] = one if (lost >= ZERO) & (bound < thick * ACTIVE) else -one
        for lane in range(filled):
            if results[4 * LANES + lane] < ZERO:
                continue
            p = pack + lane
            i, j, k, m = ends[p, 0], ends[p, 1], ends[p, 2], ends[p, 3]
            thick = _thickness(i, j, k, m, vertex, n, distance, half, owner, rest, start, reach, one)
            if results[3 * LANES + lane] >= thick * ACTIVE:
                continue
            if total < corners.shape[1]:
                corners[chunk, total, 0], corners[chunk, total, 1] = i, j
                corners[chunk, total, 2], corners[chunk, total, 3] = k, m
                ids[chunk, total, 0], ids[chunk, total, 1] = names[p, 0], names[p, 1]
                values[chunk, total, KEY], values[chunk, total, RATE] = results[2 * LANES + lane], results[lane]
                values[chunk, total, THICK], values[chunk, total, AWAKE] = thick, ZERO
            total += 1
    return total


class Search:
    """Searches trees of one world; remembers how much room the last searches needed."""

    def __init__(self, surfaces: Surfaces, start: np.ndarray) -> None:
        """start: positions that the objects begin with [m], (count, 3)."""
        self.surfaces, self.start = surfaces, start
        self.room = 512

    def __call__(self, rule: int, vertex: bool, one: Tree, other: Tree, x, step, marks, drop, age, horizon) -> list[Found]:
        """Pairs of the fresh elements of one tree with another's, see `_search`.

        Of points and triangles, either may be the ones that are searched for.
        """
        if not len(one) or not len(other) or not one.fresh_nodes[0]:
            return []
        if rule == OTHERS and other.fresh.all():
            return []
        s, chunks = self.surfaces, -(-len(one) // CHUNK)
        all_fresh = rule == WITHIN and bool(other.fresh.all())
        turn, parts = vertex and one.items.shape[1] == 3, []
        room = self._make_room(min(chunks, BATCH), x.dtype)
        for base in range(0, chunks, BATCH):
            rows = min(len(one) - base * CHUNK, BATCH * CHUNK)
            totals = np.zeros(-(-rows // CHUNK), np.int64)
            while True:
                run(
                    _search, rows, base, rule, vertex, one.items, one.order, one.bounds, one.fresh, other.items, other.order,
                    other.tops, other.blocks, other.nodes, other.fresh, other.last, all_fresh, x, step, marks, drop, age,
                    horizon, s.distance, s.half, s.owner, s.rules, s.n, s.rest, self.start, s.reach, turn, totals, *room,
                )  # fmt: skip
                if totals.max() <= self.room:
                    break
                self.room = int(totals.max()) * 5 // 4
                room = self._make_room(min(chunks, BATCH), x.dtype)
            if totals.any():
                parts.append(Found(*(np.concatenate([a[c, :k] for c, k in enumerate(totals.tolist())]) for a in room)))
        return parts

    def _make_room(self, chunks: int, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        corners, ids = (np.empty((chunks, self.room, width), np.int32) for width in (4, 2))
        return corners, ids, np.empty((chunks, self.room, VALUES), dtype)
