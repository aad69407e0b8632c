"""Pairs that may touch within the next few substeps: body vertices near collider triangles, and the other way round.

A list is made for some substeps (`HORIZON`) along the predicted straight motion, with a slack; it stays in use for a
vertex that has not left its path by more than the slack. What the lists hold beyond the pairs that matter never changes a
result (each pair is tested exactly every substep, in ascending order), so results do not depend on when a list was made.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device.cpu import kernel
from ..mathlib.vec3 import dot, sub
from .distance import blend, closest_on_triangle, length, row, triangle_normal
from .inner import inner
from .planes import ACTIVE
from .shapes import ColliderTables
from .threads import CHUNK, run
from .tree import STACK, Tree, apart, overlapping

#: Fewest and most substeps that a list is made for.
HORIZON = (2, 16)
#: Slacks that a box is grown by: the two partners may each leave their path, and both widen what counts as near.
SLACKS = 4
#: Rows that are searched for, or whose motion is bounded, together.
BLOCK = 32
#: Triangles near a block of rows up to which each row looks at all of them, instead of searching the tree by itself.
FEW = 96


@dataclass
class Pairs:
    """Lists by row: row i has ids[starts[i]:stops[i]], ascending, at distances `keys` [m] when the list was made."""

    starts: np.ndarray
    stops: np.ndarray
    ids: np.ndarray
    keys: np.ndarray


@kernel
def deviation(x0, x1, base, path, before, after, active, slack, off, reach):
    """Which vertices are off the path that their list was made for, and how far they are from where they were then.

    x0, x1, base: (n, 3 or more) [m]; path: (n, 3) [m] a substep; before, after: substeps since `base` of x0 and x1;
    slack: [m]. Written: off (n,) bool; reach (n,) [m]. Returns how many are off, and the largest reach.
    """
    zero = x0.dtype.type(0)
    count, most = 0, zero
    for i in range(len(x0)):
        a, b, c, d = zero, zero, zero, zero
        for axis in range(3):
            u, v = x0[i, axis] - base[i, axis], x1[i, axis] - base[i, axis]
            p, q = u - before * path[i, axis], v - after * path[i, axis]
            a, b, c, d = a + p * p, b + q * q, c + u * u, d + v * v
        off[i] = active[i] and max(a, b) > slack * slack
        count += off[i]
        reach[i] = math.sqrt(max(c, d))
        if active[i]:
            most = max(most, reach[i])
    return count, most


@kernel
def bounds(x0, x1, active, box):
    """Box around two sets of vertices. Written: box (6,), low xyz then high xyz [m]. Returns the longest motion [m]."""
    big = x0.dtype.type(1e30)
    l0, l1, l2, h0, h1, h2, far = big, big, big, -big, -big, -big, big - big
    for i in range(len(x0)):
        if active[i]:
            a, b, c = x0[i, 0], x0[i, 1], x0[i, 2]
            d, e, f = x1[i, 0], x1[i, 1], x1[i, 2]
            l0, l1, l2 = min(l0, min(a, d)), min(l1, min(b, e)), min(l2, min(c, f))
            h0, h1, h2 = max(h0, max(a, d)), max(h1, max(b, e)), max(h2, max(c, f))
            far = max(far, (d - a) * (d - a) + (e - b) * (e - b) + (f - c) * (f - c))
    box[0], box[1], box[2], box[3], box[4], box[5] = l0, l1, l2, h0, h1, h2
    return math.sqrt(far)


@inner
def _distance(p, corners, t, pose, limit, one):
    """Distance of a vertex from triangle t [m], or any lower one above the limit.

    Zero if the triangle has no area, which may change.
    """
    a, b, c = row(pose, corners[t, 0]), row(pose, corners[t, 1]), row(pose, corners[t, 2])
    normal, valid = triangle_normal(a, b, c, one)
    if not valid:
        return one - one
    height = abs(dot(normal, sub(p, a)))
    if height > limit:
        return height
    weights, _ = closest_on_triangle(p, a, b, c, one)
    return length(sub(p, blend(weights, a, b, c)))


@inner
def _sweep_box(x, path, horizon, i, axis, low, high):
    """Box grown by the path of vertex i."""
    a = x[i, axis]
    b = a + horizon * path[i, axis]
    return min(low, min(a, b)), max(high, max(a, b))


@kernel
def _search(
    begin, finish, rows, x, path, horizon, slack, movable, own, moves, fastest, triangles, groups, reserve, owner,
    pose, pose_path, by_vertex, order, leaves, tri_bounds, nodes, number, totals, ids, keys,
):  # fmt: skip
    """Colliders near the rows begin..finish of body vertices (one column) or body triangles (three columns).

    A vertex row lists collider triangles; a triangle row lists collider vertices (by_vertex). Rows should be sorted by
    place: a block of them asks the tree once.
    Written: number (rows,) pairs of each row; totals (chunks,) and ids, keys (chunks, capacity), their pairs by chunk. A
    total beyond the capacity means that the chunk has to be searched again with more room.
    """
    one = x.dtype.type(1)
    half, active, big = one / (one + one), x.dtype.type(ACTIVE), x.dtype.type(1e30)
    stack, found, own_found = np.empty(STACK, np.int32), np.empty(FEW, np.int32), np.empty(ids.shape[1], np.int32)
    box, near, motion = np.empty((BLOCK, 6), x.dtype), np.empty(BLOCK, x.dtype), np.empty(BLOCK, x.dtype)
    total = 0
    for block in range(begin, finish, BLOCK):
        c = block // CHUNK
        if block % CHUNK == 0:
            total = 0
        last = min(block + BLOCK, finish)
        l0, l1, l2, h0, h1, h2 = big, big, big, -big, -big, -big
        for s in range(block, last):
            number[s], b = 0, s - block
            near[b] = -one
            free, far, widest = False, one - one, one - one
            for k in range(rows.shape[1]):
                i = rows[s, k]
                free = free or movable[i]
                far = max(far, length(row(path, i)))
                widest = max(widest, own[i])
            if not free:
                continue
            near[b], motion[b] = active * widest + slack + half * far, far
            grow = near[b] + half * fastest
            for axis in range(3):
                low, high = big, -big
                for k in range(rows.shape[1]):
                    low, high = _sweep_box(x, path, horizon, rows[s, k], axis, low, high)
                box[b, axis], box[b, 3 + axis] = low - grow, high + grow
            l0, l1, l2 = min(l0, box[b, 0]), min(l1, box[b, 1]), min(l2, box[b, 2])
            h0, h1, h2 = max(h0, box[b, 3]), max(h1, box[b, 4]), max(h2, box[b, 5])
        shared = 0
        if l0 <= h0:
            shared = overlapping((l0, l1, l2), (h0, h1, h2), order, leaves, tri_bounds, nodes, stack, found)
        if shared == 0:
            totals[c] = total
            continue
        for s in range(block, last):
            b = s - block
            if near[b] < 0:
                continue
            low, high = (box[b, 0], box[b, 1], box[b, 2]), (box[b, 3], box[b, 4], box[b, 5])
            count = shared
            if shared > FEW:
                count = overlapping(low, high, order, leaves, tri_bounds, nodes, stack, own_found)
                if count > len(own_found):
                    total += 3 * count
                    continue
            for k in range(count):
                t = own_found[k] if shared > FEW else found[k]
                if apart(tri_bounds, t, low, high):
                    continue
                move = moves[groups[t]]
                limit = near[b] + active * reserve[t] + half * move + horizon * (motion[b] + move)
                for corner in range(3 if by_vertex else 1):
                    v = triangles[t, corner]
                    if by_vertex:
                        if not owner[t, corner]:
                            continue
                        outside = False
                        for axis in range(3):
                            p, q = _sweep_box(pose, pose_path, horizon, v, axis, big, -big)
                            e = active * reserve[t]
                            outside = outside or p - e > box[b, 3 + axis] or q + e < box[b, axis]
                        if outside:
                            continue
                        key = _distance(row(pose, v), rows, s, x, limit, one)
                    else:
                        key = _distance(row(x, rows[s, 0]), triangles, t, pose, limit, one)
                    if key > limit:
                        continue
                    if total < ids.shape[1]:
                        ids[c, total], keys[c, total] = v if by_vertex else t, key
                    total += 1
                    number[s] += 1
        totals[c] = total


@kernel
def block_motion(surface, x0, x1, reach, blocks, steps):
    """Longest way of the vertices of each block of `BLOCK` body triangles since their lists, and in this substep [m].

    reach: of each vertex [m], (n,). Written: blocks, steps.
    """
    for b in range(len(blocks)):
        way = step = x0.dtype.type(0)
        for s in range(b * BLOCK, min(len(surface), b * BLOCK + BLOCK)):
            for k in range(3):
                i = surface[s, k]
                d = sub(row(x1, i), row(x0, i))
                way, step = max(way, reach[i]), max(step, dot(d, d))
        blocks[b], steps[b] = way, math.sqrt(step)


class Search:
    """Finds the candidate pairs of one world; remembers how much room the last searches needed."""

    def __init__(self) -> None:
        self.room = [1024, 1024]

    def __call__(
        self, by_vertex, rows, x, path, horizon, slack, movable, own, moves, collider: ColliderTables, pose, pose_path,
        tree: Tree,
    ):  # fmt: skip
        """Colliders near body vertices (rows (k, 1)), or collider vertices near body triangles (rows (k, 3), by_vertex).

        x: (n, 4) [m]; path: (n, 3) [m] a substep; horizon: substeps; slack: [m]; movable: (n,) bool; own: (n,) [m];
        moves: longest motion of each collider in a substep [m]; pose, pose_path: (m, 3) of the collider vertices, to which
        the tree is fitted. Returns how many each row has (k,), their ids, and their distances now [m].
        """
        scalar, chunks = x.dtype.type, max(1, -(-len(rows) // CHUNK))
        number, totals = np.zeros(len(rows), np.int32), np.zeros(chunks, np.int64)
        while True:
            room = self.room[by_vertex]
            ids, keys = np.empty((chunks, room), np.int32), np.empty((chunks, room), x.dtype)
            run(
                _search, len(rows), rows, x, path, scalar(horizon), scalar(SLACKS * slack), movable, own, moves, moves.max(),
                collider.triangles, collider.shape, collider.reserve, collider.owner, pose, pose_path, bool(by_vertex),
                tree.order, tree.leaves, tree.bounds, tree.nodes, number, totals, ids, keys,
            )  # fmt: skip
            if totals.max() <= room:
                break
            self.room[by_vertex] = int(totals.max()) * 5 // 4
        used = np.arange(room) < totals[:, None]
        return number, ids[used], keys[used]


def by_row(number: np.ndarray, ids: np.ndarray, keys: np.ndarray) -> Pairs:
    """Lists from the result of a search."""
    ends = np.cumsum(number, dtype=np.int64)
    return Pairs(ends - number, ends, ids, keys)


def replace_rows(pairs: Pairs, rows: np.ndarray, number: np.ndarray, ids: np.ndarray, keys: np.ndarray) -> Pairs:
    """Lists in which some rows have new ones; the old ones stay behind unused."""
    new = by_row(number, ids, keys)
    starts, stops = pairs.starts.copy(), pairs.stops.copy()
    starts[rows], stops[rows] = new.starts + len(pairs.ids), new.stops + len(pairs.ids)
    return Pairs(starts, stops, np.concatenate([pairs.ids, ids]), np.concatenate([pairs.keys, keys]))


def add_pairs(
    pairs: Pairs, count: int, stale: np.ndarray | None, rows: np.ndarray, ids: np.ndarray, keys: np.ndarray
) -> Pairs:
    """Lists by id instead of by row, with more pairs (ids[k], rows[k]); rows < count, those marked stale have moved.

    A stale pair keeps its place with distance zero, which is always a safe one.
    """
    old_keys = pairs.keys.copy()
    if stale is not None:
        old_keys[stale[pairs.ids]] = 0
    touched = np.unique(ids)
    lengths = pairs.stops[touched] - pairs.starts[touched]
    place = np.repeat(pairs.starts[touched] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
    codes = np.concatenate([np.repeat(touched, lengths) * np.int64(count) + pairs.ids[place], ids * np.int64(count) + rows])
    codes, first = np.unique(codes, return_index=True)
    new_keys = np.concatenate([old_keys[place], keys])[first]
    number = np.bincount(np.searchsorted(touched, codes // count), minlength=len(touched))
    merged = Pairs(pairs.starts, pairs.stops, pairs.ids, old_keys)
    return replace_rows(merged, touched, number, (codes % count).astype(np.int32), new_keys)


def none(rows: int, dtype: np.dtype) -> Pairs:
    """No pairs."""
    return by_row(np.zeros(rows, np.int64), np.empty(0, np.int32), np.empty(0, dtype))
