"""Additive continuous collision detection: pairs that pass through each other on the straight motion of a substep.

Each pair passes the test if its corners move less towards each other than it is apart; then, measured exactly; then by
following the motion in steps that are never too long.
Source: Li, Kaufman and Jiang 2021, "Codimensional incremental potential contact", section 5 (additive steps).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.row_kernels import uncounted_row_kernel
from ...device.threads import CHUNK
from ...device.uncounted import inline, uncounted_kernel
from ...steering import LEAST_GAP, MOST_PASSES, SAFE_SHARE
from ..broad_phase.candidates import CANDIDATE, EXCLUDED
from ..narrow_phase.local_minimum import between, shift
from ..narrow_phase.motion_bound import motion_bound
from ..surfaces.exclusions import is_excluded

ONE, ZERO = f32(1), f32(0)


class PairDistances(NamedTuple):
    """Distances of the candidate pairs. distance: at the start of the substep, or a lower bound [m], (k,); EXCLUDED for
    those that are left alone. margin: how far particles may move beside their paths with no need to look at any pair of a
    chunk [m], (chunks,)."""

    distance: np.ndarray
    margin: np.ndarray


@inline
def _least_distance(d, thick):
    """The distance that a pair which starts d apart may not fall below: about a tenth of it, but of no more than is kept."""
    floor = LEAST_GAP * thick
    d = min(d, thick)
    return floor + (ONE - SAFE_SHARE) * (d - floor) if d > floor else (ONE - LEAST_GAP) * d


@inline
def passes(motion, corners, vertex, d, thick):
    """Do two elements that start d apart stay apart on the straight motion from x0 to x1? And for which share of it?"""
    x0, x1 = motion.x0, motion.x1
    i, j, k, m = corners
    speed = motion_bound(shift(x0, x1, i), shift(x0, x1, j), shift(x0, x1, k), shift(x0, x1, m), vertex)
    least = _least_distance(d, thick)
    t = ZERO * d
    for _ in range(MOST_PASSES):
        if (ONE - t) * speed < SAFE_SHARE * (d - least):
            return True, ONE * (t * ZERO + ONE)
        if not d > least:
            return False, t
        t += SAFE_SHARE * (d - SAFE_SHARE * least) / speed
        if t >= ONE:
            return True, ONE * (t * ZERO + ONE)
        _, _, d, _ = between(x0, x1, i, j, k, m, vertex, t)
    return False, t


@uncounted_kernel
def note_ends(x1, ends, changed):
    """Note the particles whose ends have changed. Written: ends (count, 4) [m], changed (count,) bool."""
    for i in range(len(changed)):
        changed[i] = False
        for axis in range(3):
            changed[i] |= x1[i, axis] != ends[i, axis]
            ends[i, axis] = x1[i, axis]


@uncounted_row_kernel
def check(begin, finish, pairs, measured, motion, travel, farthest, changed, safe):
    """Find those of the pairs begin..finish that pass through each other.

    changed: particles whose motion is not that of the last check, (count,) bool; of other pairs `safe` stays as it is.
    Read and written: measured, see `PairDistances`. travel: of each particle beside its path in this substep [m], (count,);
    the paths themselves bring a pair nearer by no more than its rate. farthest: the largest of these. Written: safe (k,),
    the share of the motion that is safe, 2 for pairs that stay apart.
    """
    vertex_pairs, corners, values, x0 = pairs.split, pairs.corners, pairs.values, motion.x0
    distance, margin = measured.distance, measured.margin
    for start in range(begin, finish, CHUNK):
        stop = min(start + CHUNK, finish)
        if farthest + farthest < margin[start // CHUNK]:
            for p in range(start, stop):
                safe[p] = ONE + ONE
            continue
        for p in range(start, stop):
            vertex = p < vertex_pairs
            i, j, k, m = corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3]
            if not (changed[i] | changed[j] | changed[k] | changed[m]):
                continue
            safe[p] = ONE + ONE
            d, thick = distance[p], values[p, CANDIDATE.thickness]
            if vertex:
                moved = travel[i] + max(travel[j], max(travel[k], travel[m]))
            else:
                moved = max(travel[i], travel[j]) + max(travel[k], travel[m])
            if values[p, CANDIDATE.rate] + moved < SAFE_SHARE * (d - LEAST_GAP * thick):
                continue
            _, _, d, _ = between(x0, x0, i, j, k, m, vertex, ZERO * d)
            distance[p] = d
            good, t = passes(motion, (i, j, k, m), vertex, d, thick)
            if not good:
                safe[p] = t


@uncounted_row_kernel
def remeasure(begin, finish, pairs, age, drift, x0, exclusions, surfaces, distance):
    """Distances at x0 of the pairs begin..finish, exact where they are near.

    age: of the lists, in substeps. drift: of particles at x0 [m], (count,). Written: distance (k,) [m].
    """
    vertex_pairs, corners, values = pairs.split, pairs.corners, pairs.values
    for p in range(begin, finish):
        vertex = p < vertex_pairs
        i, j, k, m = corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3]
        if exclusions.any and is_excluded(i, j, k, m, vertex, surfaces, exclusions):
            distance[p] = EXCLUDED
            continue
        if vertex:
            away = drift[i] + max(drift[j], max(drift[k], drift[m]))
        else:
            away = max(drift[i], drift[j]) + max(drift[k], drift[m])
        d = values[p, CANDIDATE.bound] - age * values[p, CANDIDATE.rate] - away
        if d < values[p, CANDIDATE.thickness] + values[p, CANDIDATE.thickness]:
            _, _, d, _ = between(x0, x0, i, j, k, m, vertex, ZERO * age)
        distance[p] = d
