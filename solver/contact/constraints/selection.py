"""Contact selection: the active set of a substep, candidate pairs that are near and a local minimum of the distance.

Bounds of motion leave out most pairs; the others are measured 16 at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.atomics import add_atomically
from ...device.counters import counters
from ...device.cpu import LANES, f32
from ...device.row_kernels import row_kernel
from ...device.threads import CHUNK, run
from ...device.uncounted import inline, subroutine, uncounted_kernel
from ...steering import ACTIVATION, EDGE_END, LEAST_GAP, MOST_PASSES, REMEASURE, SAFE_SHARE
from ..broad_phase.candidates import CANDIDATE, EXCLUDED
from ..broad_phase.neighbour_lists import NeighbourLists
from ..broad_phase.predicted_paths import DRIFT, ElementDrifts
from ..ccd.detection import PairDistances
from ..narrow_phase.distance_lanes import FOUND, measure_lanes, motion_bound_lanes
from ..narrow_phase.local_minimum import LAST_INSIDE, between, is_nearest, share_kept
from ..surfaces.exclusions import Exclusions, is_excluded
from ..surfaces.motion import SubstepMotion
from ..surfaces.surfaces import SurfaceTable
from .particles import Particles
from .tables import SELECTED, Array

ONE, ZERO = f32(1), f32(0)
#: Pairs that are looked at at once. Any of them may be selected, so all have room in memory; of many pairs few are.
BATCH = 1 << 18


class SelectionTable(NamedTuple):
    """Room for the selected pairs of a batch. counts: contacts of each chunk, then pairs whose distance was computed,
    (chunks + 1,). pairs: candidates (k,), rows: (k, SELECTED.width), those of a chunk from its first row on."""

    counts: Array
    pairs: Array
    rows: Array


class Scratch(NamedTuple):
    """near: (CHUNK,) pairs. corners: (1, 4 * 16). lanes: (16 * 16,). minima: (FOUND.width * 16,). rates: (16,)."""

    near: Array
    corners: Array
    lanes: Array
    minima: Array
    rates: Array


class Prediction(NamedTuple):
    """Prediction at the start of a substep. age: of the lists, in substeps. motion: predicted; moves: displacements [m],
    (count, 4). solid: (count,) bool, of colliders and rigid bodies. ropes: a tuple by whose length the compiler knows
    whether there are segments of ropes, so that worlds without them keep their code, to the last bit."""

    age: float
    drifts: ElementDrifts
    motion: SubstepMotion
    moves: Array
    exclusions: Exclusions
    solid: Array
    surfaces: SurfaceTable
    ropes: tuple[bool, ...]


class ContactSelection:
    """Selects contacts, batch by batch."""

    def __init__(self, dtype: np.dtype, ropes: bool = False) -> None:
        """dtype: type of positions. ropes: whether there are segments of ropes."""
        self._dtype, self._ropes = dtype, ropes
        self._make_room(0)

    def select(
        self, lists: NeighbourLists, particles: Particles, exclusions: Exclusions, surfaces: SurfaceTable,
        measured: PairDistances,
    ) -> tuple[Array, Array]:  # fmt: skip
        """The candidate pairs that become contacts, (k,), and how, (k, SELECTED.width). Written: measured, see `select`."""
        count, parts, (x0, x1) = len(lists), [], particles.motion
        age, moves = x0.dtype.type(lists.age), x1 - x0
        ropes = (True,) if self._ropes else ()
        predicted = Prediction(age, lists.drifts, particles.motion, moves, exclusions, particles.solid, surfaces, ropes)
        if len(self._pairs) < min(count, BATCH):
            self._make_room(min(count * 5 // 4, BATCH))
        counters.candidate_pairs += count
        for base in range(0, count, BATCH):
            rows = min(BATCH, count - base)
            minima = np.zeros(-(-rows // CHUNK) + 1, "int64")
            table = SelectionTable(minima, self._pairs, self._rows)
            run(select, rows, base, lists.pairs, predicted, measured, table)
            counts = minima[:-1]
            counters.measured_pairs += int(minima[-1])
            total = int(counts.sum())
            chosen = np.empty(total, np.int32), np.empty((total, SELECTED.width), self._dtype)
            gather(table, *chosen)
            parts.append(chosen)
        if not parts:
            return self._pairs[:0], self._rows[:0]
        which, selected = zip(*parts, strict=True)
        return np.concatenate(which), np.concatenate(selected)

    def _make_room(self, count: int) -> None:
        self._pairs = np.empty(count, "int32")
        self._rows = np.empty((count, SELECTED.width), self._dtype)


@uncounted_kernel
def gather(table, which, rows):
    """Gather the contacts of all chunks. Written: which (k,), rows (k, SELECTED.width)."""
    k = 0
    for chunk in range(len(table.counts) - 1):
        for at in range(chunk * CHUNK, chunk * CHUNK + table.counts[chunk]):
            which[k] = table.pairs[at]
            for c in range(SELECTED.width):
                rows[k, c] = table.rows[at, c]
            k += 1


@row_kernel
def select(begin, finish, base, pairs, predicted, measured, table):
    """Distances of the pairs begin..finish, counted from pair `base` on, at the start of a substep, and which of them become
    contacts.

    pairs: `CandidatePairs`. predicted: `Prediction`. Written: measured: the distance (k,) [m], a lower bound where a pair is
    far, and the margin (chunks,) [m], how far the particles of a chunk may move beside their paths with no need to look at
    any of its pairs; and table. Read and written: the column `recheck` of the pairs.
    """
    moves = predicted.moves
    distance, margin, split, values = measured.distance, measured.margin, pairs.split, pairs.values
    counts = table.counts
    near = np.empty(CHUNK, np.int32)
    index = np.empty((1, 4 * LANES), np.int32)
    lanes, minima = np.empty(16 * LANES, moves.dtype), np.empty(FOUND.width * LANES, moves.dtype)
    rates = np.empty(LANES, moves.dtype)
    scratch = Scratch(near, index, lanes, minima, rates)
    for row in range(begin, finish, CHUNK):
        start, stop, total = base + row, base + min(row + CHUNK, finish), row
        for vertex in (True, False):
            a, b = (start, min(stop, split)) if vertex else (max(start, split), stop)
            total = _select(a, b, vertex, pairs, predicted, scratch, distance, total, table)
        counts[row // CHUNK] = total - row
        margin[start // CHUNK] = _margin(start, stop, values, distance, rates)


@subroutine
def _select(start, stop, vertex, pairs, predicted, scratch, distance, total, table):
    """As `select`, for pairs of one kind. Returns the next free row."""
    age, drifts, motion, moves, exclusions, solid, surfaces, ropes = predicted
    corners, ids, values = pairs.corners, pairs.ids, pairs.values
    near, index, lanes, minima, rates = scratch
    if vertex:
        count = _to_measure(start, stop, ids, values, age, drifts.particles, drifts.triangles, near, distance)
    else:
        count = _to_measure(start, stop, ids, values, age, drifts.edges, drifts.edges, near, distance)
    if exclusions.any:
        for p in range(start, stop):
            i, j, k, m = corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3]
            if is_excluded(i, j, k, m, vertex, surfaces, exclusions):
                distance[p] = EXCLUDED
        left = 0
        for q in range(count):
            near[left] = near[q]
            left += distance[near[q]] < EXCLUDED
        count = left
    add_atomically(table.counts, len(table.counts) - 1, count)
    for pack in range(0, count, LANES):
        filled = min(LANES, count - pack)
        for lane in range(LANES):
            p = near[pack + min(lane, filled - 1)]
            for c in range(4):
                index[0, c * LANES + lane] = corners[p, c]
        measure_lanes(vertex, motion.x0, index, lanes, minima)
        some_far = False
        for lane in range(filled):
            far = minima[FOUND.length * LANES + lane] >= ACTIVATION * values[near[pack + lane], CANDIDATE.thickness]
            some_far = some_far | far
        if some_far:
            motion_bound_lanes(vertex, moves, index, lanes, rates)
        for lane in range(filled):
            p = near[pack + lane]
            i, j, k, m = corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3]
            e, f, thick = ids[p, 0], ids[p, 1], values[p, CANDIDATE.thickness]
            limit = ACTIVATION * thick
            w, v = _numbers4(minima, FOUND.weight, lane), _numbers3(minima, FOUND.vector, lane)
            d, region = minima[FOUND.length * LANES + lane], int(minima[FOUND.region * LANES + lane])
            distance[p] = d
            t, speed = ZERO * thick, rates[lane]
            if d >= limit:
                if d - speed >= limit:
                    continue
                for _ in range(MOST_PASSES):
                    if d < limit or d - (ONE - t) * speed >= limit:
                        break
                    t = min(ONE, t + (d - SAFE_SHARE * thick) / speed)
                    w, v, d, region = between(motion.x0, motion.x1, i, j, k, m, vertex, t)
                if d >= limit:
                    continue
            if len(ropes) > 0 and vertex and k == m:
                w, region = _on_segment(w)
            share = ONE
            nearest = (vertex or region == 0) and is_nearest(
                motion, t, (i, j, k, m), (e, f), vertex, v, region, solid, surfaces
            )
            if nearest and not vertex:
                share = share_kept(motion, t, (i, j, k, m), (e, f), v, surfaces)
                if len(ropes) > 0 and (surfaces.opposite[e, 0] < 0 or surfaces.opposite[f, 0] < 0):
                    share = ONE  # a rope is round
            if nearest and d < limit * share:
                if d > f32(1e-12):
                    table.pairs[total] = p
                    _put(table.rows[total], w, v, d, t, share)
                    total += 1
            else:
                if vertex:
                    gone = drifts.particles[i, DRIFT.travelled] + drifts.triangles[f, DRIFT.travelled]
                else:
                    gone = drifts.edges[e, DRIFT.travelled] + drifts.edges[f, DRIFT.travelled]
                values[p, CANDIDATE.recheck] = REMEASURE * thick + age * values[p, CANDIDATE.rate] + gone
    return total


@inline
def _on_segment(w):
    """Return the weights of a vertex and a rope's segment, whose last two corners are one, and the region as of
    `closest_of_triangle`: its inside, or an end."""
    u = -(w[2] + w[3])
    return (w[0], u - ONE, -u, ZERO * u), 4 if u <= EDGE_END else 5 if u > LAST_INSIDE else 1


@subroutine
def _margin(start, stop, values, distance, least):
    """Return the distance that the particles of these pairs may at least move [m]. least: scratch."""
    for lane in range(LANES):
        least[lane] = EXCLUDED
    whole = stop - (stop - start) % LANES
    for first in range(start, whole, LANES):
        for lane in range(LANES):
            p = first + lane
            left = SAFE_SHARE * (distance[p] - LEAST_GAP * values[p, CANDIDATE.thickness]) - values[p, CANDIDATE.rate]
            least[lane] = left if left < least[lane] else least[lane]
    for p in range(whole, stop):
        least[0] = min(
            least[0], SAFE_SHARE * (distance[p] - LEAST_GAP * values[p, CANDIDATE.thickness]) - values[p, CANDIDATE.rate]
        )
    for lane in range(1, LANES):
        least[0] = min(least[0], least[lane])
    return least[0]


@subroutine
def _to_measure(start, stop, ids, values, age, one, other, near, distance):
    """The pairs that may be near and have moved since they were measured last; returns their number.

    one, other: drifts of their first and second elements. Without a branch, which would be guessed wrong too often.
    Written: near, distance.
    """
    count = 0
    for p in range(start, stop):
        # Unsigned, because Numba lets negative numbers count from the end.
        e, f = np.uint32(ids[p, 0]), np.uint32(ids[p, 1])
        rate = values[p, CANDIDATE.rate]
        bound = values[p, CANDIDATE.bound] - (age + ONE) * rate - (one[e, DRIFT.drift] + other[f, DRIFT.drift])
        distance[p] = bound
        near[count] = p
        moved = age * rate + (one[e, DRIFT.travelled] + other[f, DRIFT.travelled])
        count += (bound <= ACTIVATION * values[p, CANDIDATE.thickness]) & (moved >= values[p, CANDIDATE.recheck])
    return count


@inline
def _numbers3(minima, column, lane):
    at = column * LANES + lane
    return (minima[at], minima[at + LANES], minima[at + 2 * LANES])


@inline
def _numbers4(minima, column, lane):
    at = column * LANES + lane
    return (minima[at], minima[at + LANES], minima[at + 2 * LANES], minima[at + 3 * LANES])


@inline
def _put(row, w, v, d, t, share):
    for c in range(4):
        row[SELECTED.weight + c] = w[c]
    for c in range(3):
        row[SELECTED.vector + c] = v[c]
    row[SELECTED.distance], row[SELECTED.time], row[SELECTED.thickness_share] = d, t, share
