"""Pairs of points of yarns that can come into contact."""

import math

import numpy as np

from ..device.cpu import kernel
from .cylinder import REACH, SIDE, WRAPPED
from .frames import moved


@kernel
def find_pairs(rods, x, motions, turn_x, turn_y, reach, pairs):
    """Write pairs (a, b, image of b) nearer than their radii and `reach` [m] together, each once, to pairs (3, capacity).

    Points of one thread that are nearer along it than half a turn of its own radius are no pair: bending resists there.
    turn_x, turn_y: the angle around the cylinder of one patch along x and along y [rad].
    Returns the number of pairs, which may be more than the capacity.
    """
    n = len(x)
    low, high = np.empty(3), np.empty(3)
    widest = 0.0
    for v in range(n):
        widest = max(widest, rods.radius[v])
    for k in range(3):
        low[k], high[k] = x[0, k], x[0, k]
        for v in range(n):
            low[k] = min(low[k], x[v, k])
            high[k] = max(high[k], x[v, k])
        low[k] -= 2.0 * widest + reach
        high[k] += 2.0 * widest + reach
    count = 0
    for i in range(REACH, SIDE):
        for j in range(SIDE):
            turned = abs((i - REACH) * turn_x + (j - REACH) * turn_y)
            if (i == REACH and j < REACH) or turned > WRAPPED:
                continue
            m = motions[i * SIDE + j]
            for b in range(n):
                bx, by, bz = moved(x, b, m)
                inside = low[0] < bx < high[0] and low[1] < by < high[1] and low[2] < bz < high[2]
                if not inside:
                    continue
                y = rods.yarn[b]
                p0, p1 = rods.period[y, 0], rods.period[y, 1]
                same_thread = (i - REACH) * p1 == (j - REACH) * p0
                periods = ((i - REACH) * p0 + (j - REACH) * p1) / (p0 * p0 + p1 * p1)
                for a in range(b if i == REACH and j == REACH else n):
                    far = rods.radius[a] + rods.radius[b] + reach
                    dx = bx - x[a, 0]
                    dy = by - x[a, 1]
                    dz = bz - x[a, 2]
                    if dx * dx + dy * dy + dz * dz > far * far:
                        continue
                    if same_thread and rods.yarn[a] == y:
                        apart = abs(rods.along[b] + periods * rods.whole[y] - rods.along[a])
                        if apart < math.pi * rods.radius[a]:
                            continue
                    if count < pairs.shape[1]:
                        pairs[0, count] = a
                        pairs[1, count] = b
                        pairs[2, count] = i * SIDE + j
                    count += 1
    return count
