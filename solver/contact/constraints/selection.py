"""Which candidate pairs become contacts in a substep: those that are near, and nearest where they are.

Bounds of motion leave out most pairs; the others are measured 16 at a time.
"""

from __future__ import annotations

import numpy as np

from ...device.cpu import LANES, f32, kernel
from ...device.inner import inner, loop
from ...device.threads import CHUNK, run
from ..broad_phase.candidates import AWAKE, KEY, RATE, THICK, Pairs
from ..broad_phase.search import ACTIVE
from ..narrow_phase.distance_lanes import FOUND, LENGTH, REGION, VECTOR, WEIGHT, approach_lanes, measure_lanes
from ..narrow_phase.local_minimum import between, is_masked, is_nearest, share_kept
from ..surfaces.surfaces import Surfaces

ONE, ZERO = f32(1), f32(0)
#: Steps of conservative advancement towards a pair that comes near within the substep.
STEPS = 12
#: A near pair that was found not to be the nearest one is looked at again when its elements may have moved by this share of
#: the thickness against each other. Certificates go on.
AGAIN = f32(0.08)
#: Share of the thickness that pairs are not allowed to come nearer than: distances in single precision have rounding.
FLOOR = f32(0.03)
#: Share of a distance that motion may use up without a closer look.
SAFE = f32(0.9)
#: A distance that stands for "not in contact, whatever it does".
FAR = f32(1e6)

#: Pairs that are looked at at once. Any of them may be chosen, so all have room in memory; of many pairs few are.
BATCH = 1 << 18
# Columns of a choice: weights of the corners (4), vector from the second element to the first (3), its length, the share
# of the motion at which they are taken, and the share of the thickness that is kept.
WEIGHTS, WAY, APART, WHEN, KEPT, COLUMNS = 0, 4, 7, 8, 9, 10


class Chooser:
    """Chooses contacts, batch by batch."""

    def __init__(self, dtype: np.dtype) -> None:
        self._chosen, self._choices = np.empty(0, np.int32), np.empty((0, COLUMNS), dtype)

    def __call__(
        self, found: Pairs, age, ways: tuple, x0: np.ndarray, x1: np.ndarray, masks: tuple, solid: np.ndarray, s: Surfaces,
        distance: np.ndarray, spare: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """The pairs that become contacts (k,), and how, (k, COLUMNS). Arguments: see `choose`. Written: distance, spare."""
        moves, parts = x1 - x0, []
        if len(self._chosen) < min(len(found), BATCH):
            room = min(len(found) * 5 // 4, BATCH)
            self._chosen, self._choices = np.empty(room, np.int32), np.empty((room, COLUMNS), x0.dtype)
        for base in range(0, len(found), BATCH):
            rows = min(BATCH, len(found) - base)
            counts = np.zeros(-(-rows // CHUNK), np.int64)
            run(
                choose, rows, base, found.split, found.corners, found.ids, found.values, age, *ways, x0, x1, moves, *masks,
                solid, s.features, s.sides, s.opposite, s.at_vertex_first, s.neighbours, distance, spare, counts,
                self._chosen, self._choices,
            )  # fmt: skip
            chunk = np.repeat(np.arange(len(counts)), counts)
            row = chunk * CHUNK + np.arange(len(chunk)) - np.repeat(np.cumsum(counts) - counts, counts)
            parts.append((self._chosen[row], self._choices[row]))
        which, taken = zip(*parts, strict=True)
        return np.concatenate(which), np.concatenate(taken)


@kernel
def choose(
    begin, finish, base, vertex_pairs, corners, ids, values, age, off, edge_off, triangle_off, x0, x1, moves, masks, n,
    owner, bodies, inside, tangled, solid, features, sides, opposite, first, around, distance, spare, counts, chosen,
    choices,
):  # fmt: skip
    """Distances of the pairs begin..finish, counted from pair `base` on, at the start of a substep, and which of them become
    contacts.

    x0, x1, moves: particles at the start and the predicted end, and the difference [m], (count, 4). off, edge_off,
    triangle_off: how far particles, edges and triangles are off their paths, and what they have moved beside these so far
    [m], (k, 2). inside: of each body vertex, (n,), shape + 1 of the collider it is in. tangled: see `is_masked`. masks:
    whether there are any of these. solid: (count,) bool, of colliders and rigid bodies. Written: distance (k,) [m], a lower
    bound where a pair is far; spare (chunks,) [m], how far the particles of a chunk may move beside their paths with no need
    to look at any of its pairs; and by chunk from `base` on the number of contacts, counts (chunks,), their pairs,
    chosen (k,), and choices (k, COLUMNS), from the chunk's first row on. Read and written: the AWAKE column of values.
    """
    near = np.empty(CHUNK, np.int32)
    index = np.empty((1, 4 * LANES), np.int32)
    lanes, found = np.empty(16 * LANES, x0.dtype), np.empty(FOUND * LANES, x0.dtype)
    rates = np.empty(LANES, x0.dtype)
    for row in range(begin, finish, CHUNK):
        start, stop, total = base + row, base + min(row + CHUNK, finish), row
        for vertex in (True, False):
            a, b = (start, min(stop, vertex_pairs)) if vertex else (max(start, vertex_pairs), stop)
            total = _choose(
                a, b, vertex, corners, ids, values, age, off, edge_off, triangle_off, x0, x1, moves, masks, n, owner, bodies,
                inside, tangled, solid, features, sides, opposite, first, around, near, index, lanes, found, rates, distance,
                total, chosen, choices,
            )  # fmt: skip
        counts[row // CHUNK] = total - row
        spare[start // CHUNK] = _spare(start, stop, values, distance, rates)


@loop
def _choose(
    start, stop, vertex, corners, ids, values, age, off, edge_off, triangle_off, x0, x1, moves, masks, n, owner, bodies,
    inside, tangled, solid, features, sides, opposite, first, around, near, index, lanes, found, rates, distance, total,
    chosen, choices,
):  # fmt: skip
    """As `choose`, for pairs of one kind. near, index, lanes, found, rates: scratch. Returns the next free row."""
    if vertex:
        count = _awake(start, stop, ids, values, age, off, triangle_off, near, distance)
    else:
        count = _awake(start, stop, ids, values, age, edge_off, edge_off, near, distance)
    if masks:
        for p in range(start, stop):
            i, j, k, m = corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3]
            if is_masked(i, j, k, m, vertex, n, owner, bodies, inside, tangled):
                distance[p] = FAR
        left = 0
        for q in range(count):
            near[left] = near[q]
            left += distance[near[q]] < FAR
        count = left
    for pack in range(0, count, LANES):
        filled = min(LANES, count - pack)
        for lane in range(LANES):
            p = near[pack + min(lane, filled - 1)]
            for c in range(4):
                index[0, c * LANES + lane] = corners[p, c]
        measure_lanes(vertex, x0, index, lanes, found)
        some_far = False
        for lane in range(filled):
            some_far = some_far | (found[LENGTH * LANES + lane] >= ACTIVE * values[near[pack + lane], THICK])
        if some_far:
            approach_lanes(vertex, moves, index, lanes, rates)
        for lane in range(filled):
            p = near[pack + lane]
            i, j, k, m = corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3]
            e, f, thick = ids[p, 0], ids[p, 1], values[p, THICK]
            limit = ACTIVE * thick
            w, v = _numbers4(found, WEIGHT, lane), _numbers3(found, VECTOR, lane)
            d, region = found[LENGTH * LANES + lane], int(found[REGION * LANES + lane])
            distance[p] = d
            t, speed = ZERO * thick, rates[lane]
            if d >= limit:
                if d - speed >= limit:
                    continue
                for _ in range(STEPS):
                    if d < limit or d - (ONE - t) * speed >= limit:
                        break
                    t = min(ONE, t + (d - f32(0.95) * thick) / speed)
                    w, v, d, region = between(x0, x1, i, j, k, m, vertex, t)
                if d >= limit:
                    continue
            kept = ONE
            nearest = (vertex or region == 0) and is_nearest(
                x0, x1, t, i, j, k, m, e, f, vertex, v, region, d, thick, solid, features, sides, opposite, first, around
            )
            if nearest and not vertex:
                kept = share_kept(x0, x1, t, i, k, e, f, v, opposite)
            if nearest and d < limit * kept:
                if d > f32(1e-12):
                    chosen[total] = p
                    _put(choices, total, w, v, d, t, kept)
                    total += 1
            else:
                gone = off[i, 1] + triangle_off[f, 1] if vertex else edge_off[e, 1] + edge_off[f, 1]
                values[p, AWAKE] = AGAIN * thick + age * values[p, RATE] + gone
    return total


@loop
def _spare(start, stop, values, distance, least):
    """How far the particles of these pairs may move at least [m]. least: scratch."""
    for lane in range(LANES):
        least[lane] = FAR
    whole = stop - (stop - start) % LANES
    for first in range(start, whole, LANES):
        for lane in range(LANES):
            p = first + lane
            left = SAFE * (distance[p] - FLOOR * values[p, THICK]) - values[p, RATE]
            least[lane] = left if left < least[lane] else least[lane]
    for p in range(whole, stop):
        least[0] = min(least[0], SAFE * (distance[p] - FLOOR * values[p, THICK]) - values[p, RATE])
    for lane in range(1, LANES):
        least[0] = min(least[0], least[lane])
    return least[0]


@loop
def _awake(start, stop, ids, values, age, off, other_off, near, distance):
    """The pairs that may be near and have moved since they were measured last; returns their number.

    Without a branch, which would be guessed wrong too often. Written: near, distance.
    """
    count = 0
    for p in range(start, stop):
        # Unsigned, because Numba lets negative numbers count from the end.
        e, f = np.uint32(ids[p, 0]), np.uint32(ids[p, 1])
        rate = values[p, RATE]
        bound = values[p, KEY] - (age + ONE) * rate - (off[e, 0] + other_off[f, 0])
        distance[p] = bound
        near[count] = p
        moved = age * rate + (off[e, 1] + other_off[f, 1])
        count += (bound <= ACTIVE * values[p, THICK]) & (moved >= values[p, AWAKE])
    return count


@inner
def _numbers3(found, column, lane):
    at = column * LANES + lane
    return (found[at], found[at + LANES], found[at + 2 * LANES])


@inner
def _numbers4(found, column, lane):
    at = column * LANES + lane
    return (found[at], found[at + LANES], found[at + 2 * LANES], found[at + 3 * LANES])


@inner
def _put(choices, row, w, v, d, t, kept):
    for c in range(4):
        choices[row, WEIGHTS + c] = w[c]
    for c in range(3):
        choices[row, WAY + c] = v[c]
    choices[row, APART], choices[row, WHEN], choices[row, KEPT] = d, t, kept
