"""Attachment: a spring from a vertex to a target that may move.

    U = 1/2 k |x - t|^2  [J]

It holds the pins whose weight lies between 0 and 1. The local solve is exact.
"""

import numpy as np

from ..device.cpu import LANES, element, f32, kernel, parallel_kernel, prange
from ..mathlib import vec3

NAME = "attachment"
LABEL = "Attachment"
ELEMENT = "vertex"
PARAMETERS = {}
STATE = 3  # force displacement [m]
MEMORY = 3  # target [m] at the end of the substep

HALF = f32(0.5)
ONE = f32(1)

#: Frequency of a pin of weight 1/2 [Hz]: stiff enough to follow an actor, soft enough to be seen giving way.
FREQUENCY = 5.0


def stiffness(mass, weight):
    """k [N/m] of pins, (n,): m (2 pi f)^2 weight / (1 - weight), which the mesh's resolution does not change."""
    return mass * (2 * np.pi * FREQUENCY) ** 2 * weight / (1 - weight)


def rest(x, elements, values, axes, fraction):
    """Stiffness k [N/m] of each pinned vertex, given as `fraction`: (n, 1)."""
    return np.asarray(fraction, float)[:, None]


def constants(values, h):
    """None: (1,) zero, because a material has at least one number."""
    return np.zeros(1)


@element
def project(x0, w, k, target, d):
    """The local solve: d with d = -w k (x - d_old + d - target). Returns the moved vertex and d."""
    other = vec3.sub(x0, d)
    new = vec3.scale(-(w * k) / (ONE + w * k), vec3.sub(other, target))
    return vec3.add(other, new), new


@parallel_kernel
def sweep(colours, clusters, index, rest, constants, material, memory, state, reprojection, x):
    for colour in range(len(colours) - 1):
        for cluster in prange(colours[colour], colours[colour + 1]):
            for pack in range(clusters[cluster], clusters[cluster + 1]):
                for lane in range(LANES):
                    v = index[pack, lane]
                    target = (memory[pack, lane], memory[pack, LANES + lane], memory[pack, 2 * LANES + lane])
                    d = (state[pack, lane], state[pack, LANES + lane], state[pack, 2 * LANES + lane])
                    y, d = project((x[v, 0], x[v, 1], x[v, 2]), x[v, 3], rest[pack, lane], target, d)
                    for i in range(3):
                        x[v, i] = y[i]
                        state[pack, i * LANES + lane] = d[i]


@kernel
def remember(first, last, index, rest, constants, material, memory, x):
    """Nothing: the memory is the target, which the step sets."""


@kernel
def warm_start(first, last, index, rest, constants, material, state, share, x):
    for pack in range(first, last):
        for lane in range(LANES):
            v = index[pack, lane]
            for i in range(3):
                state[pack, i * LANES + lane] *= share
                x[v, i] += state[pack, i * LANES + lane]


@kernel
def add_gradient(first, last, index, rest, constants, material, memory, x, gradient_out):
    total = 0.0
    for pack in range(first, last):
        for lane in range(LANES):
            v = index[pack, lane]
            for i in range(3):
                gap = x[v, i] - memory[pack, i * LANES + lane]
                total += HALF * rest[pack, lane] * gap * gap
                gradient_out[v, i] += rest[pack, lane] * gap
    return total
