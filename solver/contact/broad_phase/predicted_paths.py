"""Predicted paths of particles in the next substeps, and their drift from these, on which neighbour lists are based.

Expected position after k substeps: base + k step + k (k - 1) / 2 fall for a particle in free fall in the last substep, base
+ k step for others. A list of pairs stays good as long as no particle is off its path by more than its
skin. Source: Verlet 1967, "Computer experiments on classical fluids", for lists with a skin.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.layout import layout
from ...device.uncounted import inline, uncounted_kernel

ZERO, HALF, ONE, EIGHTH = f32(0), f32(0.5), f32(1), f32(0.125)

#: Of a particle or an element. drift: distance from its predicted path [m], the largest of its corners. travelled: a
#: bound of its motion beside the path since the list was made [m].
DRIFT = layout(drift=1, travelled=1)


class PredictedPaths(NamedTuple):
    """base, step: (count, 4) [m], in the last column the age of the lists, in substeps, at which the path begins, and
    ends. falls: (count,) bool. fall: [m], (3,), in a substep; pull: displacement of a prediction by gravity [m], (3,)."""

    base: np.ndarray
    step: np.ndarray
    falls: np.ndarray
    fall: np.ndarray
    pull: np.ndarray


class ElementDrifts(NamedTuple):
    """Drifts, see `DRIFT`, of particles, edges and triangles: (count or e or t, DRIFT.width)."""

    particles: np.ndarray
    edges: np.ndarray
    triangles: np.ndarray


class SweptBoxes(NamedTuple):
    """Particles all of whose pairs within a box are in the list: which, (count,) bool. low, high: the boxes [m],
    (count, 3)."""

    which: np.ndarray
    low: np.ndarray
    high: np.ndarray


class MovingBoxes(NamedTuple):
    """Boxes of particles at two times; positions between are in the boxes between. low, high: at the first time [m],
    end_low, end_high: at the second, (count, 3)."""

    low: np.ndarray
    high: np.ndarray
    end_low: np.ndarray
    end_high: np.ndarray


def unknown_paths(count: int, dtype: np.dtype) -> PredictedPaths:
    """Paths of particles that nothing is known of yet."""
    return PredictedPaths(
        np.zeros((count, 4), dtype), np.zeros((count, 4), dtype), np.zeros(count, bool), *np.zeros((2, 3), dtype)
    )


@inline
def expected(paths, i, axis, age):
    """One coordinate of a particle's path after `age` substeps."""
    drop = HALF * age * (age - ONE) * paths.fall[axis] if paths.falls[i] else ZERO * age
    return paths.base[i, axis] + age * paths.step[i, axis] + drop


@uncounted_kernel
def begin_paths(motion, which, age, last_age, paths):
    """New paths for the particles `which`, (count,) bool, through the ends of this substep's motion.

    last_age: at which they end, (count,). Written: base, step.
    """
    x0, x1, base, step, fall = motion.x0, motion.x1, paths.base, paths.step, paths.fall
    for i in range(len(which)):
        if which[i]:
            base[i, 3], step[i, 3] = age, last_age[i]
            for axis in range(3):
                drop = fall[axis] if paths.falls[i] else ZERO * age
                s = x1[i, axis] - x0[i, axis] - age * drop
                step[i, axis] = s
                base[i, axis] = x0[i, axis] - age * s - HALF * age * (age - ONE) * drop


@uncounted_kernel
def fit_skins(x0, paths, which, room, least, most, skin):
    """Fit the skins of particles `which`, (count,) bool: thicker where there is more room, so that a particle far from all
    others may be far off its path.

    None where no force moves them and they stand still, which are never off their path until it is another one. room: see
    `find_room` [m]. least: beside neighbours, most: without any [m], (count,). Written: skin (count,) [m].
    """
    for i in range(len(which)):
        if which[i]:
            a, b, c = paths.step[i, 0], paths.step[i, 1], paths.step[i, 2]
            stands = (x0[i, 3] == ZERO) & (a == ZERO) & (b == ZERO) & (c == ZERO)
            skin[i] = ZERO * least[i] if stands else max(least[i], min(room[i], most[i]))


@inline
def _drift(positions, paths, i, age, predicted):
    """Distance of a particle from its path [m]. predicted: see `measure_drift`."""
    square = ZERO * age
    for axis in range(3):
        d = positions[i, axis] - expected(paths, i, axis, age)
        if predicted and not paths.falls[i] and positions[i, 3] > 0:
            d -= paths.pull[axis]
        square += d * d
    return math.sqrt(square)


@uncounted_kernel
def measure_drift(positions, paths, age, predicted, skin, drift, beyond):
    """Measure the drift of particles off their paths [m], and mark those off by more than their skin.

    positions: (count, 4) [m]. predicted: gravity moves them in this substep, also where something holds them in the end.
    skin: (count,) [m]. Written: drift (count,) [m], beyond (count,) bool. Returns how many are.
    """
    count = 0
    for i in range(len(drift)):
        drift[i] = _drift(positions, paths, i, age, predicted)
        beyond[i] = not drift[i] <= skin[i]
        count += beyond[i]
    return count


@uncounted_kernel
def find_beyond(motion, paths, age, lifetime, share, active, skin, drift, drift_at_start, beyond):
    """Mark the active particles that need new paths: those of which the path has ended, or that are off it by more than
    their skin at either end of a predicted motion. If there are any, those that soon would be follow at once: off it by more
    than a share of the skin, or with more than that share of a path behind them that ends before the list does.

    age: of the lists, lifetime: their last age. Read and written: beyond (count,) bool, particles that need new paths
    anyway. Written: drift, drift_at_start (count,) [m]. Returns whether there are any.
    """
    any_beyond = False
    for i in range(len(drift)):
        drift_at_start[i] = _drift(motion.x0, paths, i, age, False)
        drift[i] = _drift(motion.x1, paths, i, age + ONE, True)
        is_within = drift_at_start[i] <= skin[i] and drift[i] <= skin[i]
        beyond[i] = active[i] and (beyond[i] or not is_within or paths.step[i, 3] <= age)
        any_beyond |= beyond[i]
    if any_beyond:
        for i in range(len(drift)):
            begun, ends = paths.base[i, 3], paths.step[i, 3]
            soon = ends < lifetime and age - begun > share * (ends - begun)
            soon |= max(drift[i], drift_at_start[i]) > share * skin[i]
            beyond[i] |= active[i] and soon
    return any_beyond


@uncounted_kernel
def expect_ends(motion, paths, ends, steps):
    """Expect particles to end at the prediction, without gravity's pull where something holds them.

    Written: ends (count, 4), steps, the motion to there (count, 3) [m].
    """
    x0, x1 = motion.x0, motion.x1
    for i in range(len(ends)):
        is_held = not paths.falls[i] and x1[i, 3] > 0
        for axis in range(3):
            ends[i, axis] = x1[i, axis] - paths.pull[axis] if is_held else x1[i, axis]
            steps[i, axis] = ends[i, axis] - x0[i, axis]
        ends[i, 3] = x1[i, 3]


@uncounted_kernel
def mean_motion(steps, active, still, falls, mean):
    """Mean motion of the active particles that move, whose steps are (count, 3) or more [m]. Written: mean (3,). Returns
    whether most of them fall."""
    a, b, c = 0.0, 0.0, 0.0
    count, falling = 0, 0
    for i in range(len(active)):
        if active[i] and not still[i]:
            a += steps[i, 0]
            b += steps[i, 1]
            c += steps[i, 2]
            count += 1
            falling += falls[i]
    share = 1.0 / max(count, 1)
    mean[0], mean[1], mean[2] = a * share, b * share, c * share
    return 2 * falling > count


@uncounted_kernel
def path_boxes(paths, begin, end, frame, frame_falls, grow, which, boxes):
    """Boxes around where paths are at two ages, grown by `grow` (count,) [m], as seen from a frame that moves along.

    begin, end: ages, which two elements have to share for their boxes to be compared: a path continues straight before and
    after its own. frame: step of the frame (3,) [m]; frame_falls: it falls as well. which: (count,) bool, particles whose
    boxes are made. Written: boxes.
    """
    fall, span = paths.fall, end - begin
    gone, dropped = HALF * begin * (begin - ONE), HALF * end * (end - ONE)
    for i in range(len(grow)):
        if not which[i]:
            continue
        for axis in range(3):
            a = expected(paths, i, axis, begin) - begin * frame[axis]
            b = expected(paths, i, axis, end) - end * frame[axis]
            if frame_falls:
                a -= gone * fall[axis]
                b -= dropped * fall[axis]
            # A parabola leaves its chord by no more than an eighth of its second difference times span^2.
            bulge = EIGHTH * abs(fall[axis]) * span * span if paths.falls[i] != frame_falls else ZERO * span
            boxes.low[i, axis], boxes.high[i, axis] = a - grow[i] - bulge, a + grow[i] + bulge
            boxes.end_low[i, axis], boxes.end_high[i, axis] = b - grow[i] - bulge, b + grow[i] + bulge


@uncounted_kernel
def add_swept(swept, grow, age, fall, frame, frame_falls, boxes):
    """Boxes of swept particles in place of their paths', grown by `grow` (count,) [m].

    age: of this substep. fall: [m] in a substep, (3,). frame, frame_falls: see `path_boxes`. Written: boxes.
    """
    for i in range(len(grow)):
        if swept.which[i]:
            for axis in range(3):
                begin, end = age * frame[axis], (age + ONE) * frame[axis]
                if frame_falls:
                    begin += HALF * age * (age - ONE) * fall[axis]
                    end += HALF * age * (age + ONE) * fall[axis]
                least = swept.low[i, axis] - grow[i] - max(begin, end)
                most = swept.high[i, axis] + grow[i] - min(begin, end)
                boxes.low[i, axis], boxes.high[i, axis] = least, most
                boxes.end_low[i, axis], boxes.end_high[i, axis] = least, most


@uncounted_kernel
def not_covered(x1, paths, age, reach, swept, beyond):
    """Mark particles that end a substep where the pairs do not cover them; returns how many.

    x1: (count, 4) [m]. reach: (count,) [m], how far off its path a particle may be, or outside its box where it is `swept`.
    Written: beyond (count,) bool.
    """
    count = 0
    for i in range(len(beyond)):
        square = ZERO * age
        for axis in range(3):
            if swept.which[i]:
                d = max(max(swept.low[i, axis] - x1[i, axis], x1[i, axis] - swept.high[i, axis]), ZERO * age)
            else:
                d = x1[i, axis] - expected(paths, i, axis, age)
            square += d * d
        beyond[i] = not square <= reach[i] * reach[i]
        count += beyond[i]
    return count


@uncounted_kernel
def measure_travel(motion, paths, age, travel):
    """Measure the motion of each particle beside its path in this substep [m]. Written: travel (count,)."""
    x0, x1, step, fall = motion.x0, motion.x1, paths.step, paths.fall
    for i in range(len(travel)):
        square = ZERO * age
        for axis in range(3):
            drop = age * fall[axis] if paths.falls[i] else ZERO * age
            d = x1[i, axis] - x0[i, axis] - step[i, axis] - drop
            square += d * d
        travel[i] = math.sqrt(square)


@uncounted_kernel
def gather_drifts(elements, drift, travel, gathered):
    """Gather the largest drift of the corners of elements, and their travel so far.

    drift: in this substep, travel: of the last one [m], (count,). Written: gathered, see `DRIFT`; `travelled` is added to.
    """
    for k in range(len(elements)):
        one, two = drift[elements[k, 0]], travel[elements[k, 0]]
        for c in range(1, elements.shape[1]):
            one, two = max(one, drift[elements[k, c]]), max(two, travel[elements[k, c]])
        gathered[k, DRIFT.drift] = one
        gathered[k, DRIFT.travelled] += two


@uncounted_kernel
def fell_freely(motion, predicted, pull, n, falls):
    """Mark those of the first n particles that ended a substep at their prediction by gravity without force.

    predicted: (count, 4) [m], by gravity by `pull`. Written: falls (count,) bool.
    """
    x0, x1 = motion.x0, motion.x1
    square = pull[0] * pull[0] + pull[1] * pull[1] + pull[2] * pull[2]
    for i in range(n):
        off = ZERO * x1[i, 0]
        for axis in range(3):
            d = x1[i, axis] - predicted[i, axis]
            off += d * d
        falls[i] = x0[i, 3] > 0 and off < EIGHTH * square
