"""Where particles are expected to be in the next substeps, and how far off they are: what candidate lists are made for.

After k substeps a particle is expected at base + k step + k (k - 1) / 2 fall where it fell freely in the last substep, and
at base + k step where something held it. A list of pairs stays good as long as no particle is off its path by more than its
slack.
"""

from __future__ import annotations

import math

import numpy as np

from ...device.cpu import f32
from ...device.inner import inner, loop

ZERO, HALF, ONE, EIGHTH = f32(0), f32(0.5), f32(1), f32(0.125)


@inner
def expected(base, step, falls, fall, i, axis, age):
    """One coordinate of a particle's path after `age` substeps."""
    drop = HALF * age * (age - ONE) * fall[axis] if falls[i] else ZERO * age
    return base[i, axis] + age * step[i, axis] + drop


@loop
def renew(positions, ends, which, falls, fall, age, base, step):
    """New paths for the particles `which`, through positions now and ends at the end of the substep.

    positions, ends: (count, 4) [m]. which, falls: (count,) bool. fall: (3,) [m]. Written: base, step (count, 4), of
    which the last column stays 0.
    """
    for i in range(len(which)):
        if which[i]:
            for axis in range(3):
                drop = fall[axis] if falls[i] else ZERO * age
                s = ends[i, axis] - positions[i, axis] - age * drop
                step[i, axis] = s
                base[i, axis] = positions[i, axis] - age * s - HALF * age * (age - ONE) * drop


@loop
def deviations(positions, base, step, falls, fall, age, predicted, slack, off, beyond):
    """How far particles are off their paths [m], and which of them by more than their slack.

    positions: (count, 4) [m]. predicted: they fall in this substep, also where something holds them in the end.
    slack: (count,) [m]. Written: off (count,) [m], beyond (count,) bool. Returns how many are.
    """
    count = 0
    for i in range(len(off)):
        square = ZERO * age
        for axis in range(3):
            d = positions[i, axis] - expected(base, step, falls, fall, i, axis, age)
            if predicted and not falls[i] and positions[i, 3] > 0:
                d -= fall[axis]
            square += d * d
        off[i] = math.sqrt(square)
        beyond[i] = not off[i] <= slack[i]
        count += beyond[i]
    return count


@loop
def boxes(base, step, falls, fall, age, horizon, drift, drift_falls, grow, which, low, high):
    """Boxes around the paths from `age` to `horizon`, grown by `grow` (count,) [m], as seen from a frame that drifts along.

    drift: (3,) [m] a substep; drift_falls: the frame falls as well. It starts with the lists, at age 0, so that boxes made
    later fit to those that are kept. which: (count,) bool, particles whose box is made. Written: low, high (count, 3) [m].
    """
    span = horizon - age
    gone, dropped = HALF * age * (age - ONE), HALF * horizon * (horizon - ONE)
    for i in range(len(grow)):
        if not which[i]:
            continue
        for axis in range(3):
            a = expected(base, step, falls, fall, i, axis, age) - age * drift[axis]
            b = expected(base, step, falls, fall, i, axis, horizon) - horizon * drift[axis]
            if drift_falls:
                a -= gone * fall[axis]
                b -= dropped * fall[axis]
            # A parabola leaves the box of its ends by no more than an eighth of its second difference times span^2.
            bulge = EIGHTH * abs(fall[axis]) * span * span if falls[i] != drift_falls else ZERO * age
            low[i, axis] = min(a, b) - grow[i] - bulge
            high[i, axis] = max(a, b) + grow[i] + bulge


@loop
def outside(x1, base, step, falls, fall, age, reach, wide, wide_low, wide_high, beyond):
    """Which particles end a substep where the pairs do not cover them; returns how many.

    x1: (count, 4) [m]. reach: (count,) [m], how far off its path a particle may be, or outside its box where it is `wide`.
    wide_low, wide_high: boxes (count, 3) [m]. Written: beyond (count,) bool.
    """
    count = 0
    for i in range(len(beyond)):
        square = ZERO * age
        for axis in range(3):
            if wide[i]:
                d = max(max(wide_low[i, axis] - x1[i, axis], x1[i, axis] - wide_high[i, axis]), ZERO * age)
            else:
                d = x1[i, axis] - expected(base, step, falls, fall, i, axis, age)
            square += d * d
        beyond[i] = not square <= reach[i] * reach[i]
        count += beyond[i]
    return count


@loop
def ways(x0, x1, step, falls, fall, age, way):
    """How far each particle moves beside its path in this substep [m]. Written: way (count,)."""
    for i in range(len(way)):
        square = ZERO * age
        for axis in range(3):
            drop = age * fall[axis] if falls[i] else ZERO * age
            d = x1[i, axis] - x0[i, axis] - step[i, axis] - drop
            square += d * d
        way[i] = math.sqrt(square)


@loop
def gather_ways(elements, off, way, most):
    """The largest deviation, and the way so far, of the corners of elements.

    off, way: deviations in this substep, and what particles have moved beside their paths in the last one [m], (count,).
    Written: most (k, 2), the deviation; and the way, which is added to.
    """
    for k in range(len(elements)):
        one, two = off[elements[k, 0]], way[elements[k, 0]]
        for c in range(1, elements.shape[1]):
            one, two = max(one, off[elements[k, c]]), max(two, way[elements[k, c]])
        most[k, 0] = one
        most[k, 1] += two


@loop
def fell_freely(x0, predicted, x1, fall, n, falls):
    """Which particles ended a substep where the prediction, gravity and no force, said. Written: falls (count,) bool."""
    square = fall[0] * fall[0] + fall[1] * fall[1] + fall[2] * fall[2]
    for i in range(n):
        off = ZERO * x1[i, 0]
        for axis in range(3):
            d = x1[i, axis] - predicted[i, axis]
            off += d * d
        falls[i] = x0[i, 3] > 0 and off < EIGHTH * square


def none(count: int, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Bases and steps of particles that nothing is known of yet."""
    return np.zeros((count, 4), dtype), np.zeros((count, 4), dtype)
