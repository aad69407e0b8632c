"""Spring: an edge that wants its rest length.

    U = 1/2 k (l - L)^2  [J]

Its stiffness belongs to the edge, not to the fabric: another mesh of the same sheet is another sheet. It is here to compare
with solvers that know nothing else. The local solve has one unknown, along the edge: the compliant constraint of XPBD.
Source: Macklin, Muller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics".
"""

import math

import numpy as np

from ..device.cpu import LANES, element, f32, kernel, parallel_kernel, prange
from ..device.lanes import corner, gather, put, scatter, weight
from ..mathlib import vec3

NAME = "spring"
LABEL = "Springs"
ELEMENT = "edge"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "stiffness": ("Stiffness", "N/m", 1000.0, 0.0, 1e9, True, "Force of an edge over its extension; changes with the mesh"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous force over the rate of force"),
}
STATE = 1  # lambda: the force displacement per w_a along the edge
MEMORY = 1  # length at the start of the substep [m]

ONE = f32(1)
HALF = f32(0.5)
TINY = f32(1e-30)


def rest(x, elements, values, axes, fraction):
    """Rest length [m] and stiffness [N/m] of each edge: (n, 2). x: rest positions [m]. fraction: share of k, (n,)."""
    length = np.linalg.norm(x[elements[:, 1]] - x[elements[:, 0]], axis=1)
    return np.column_stack([length, values["stiffness"] * np.asarray(fraction)])


def constants(values, h):
    """The damping share tau / h: (1,)."""
    return np.array([values["damping"] / h])


@element
def length_and_direction(x0, x1):
    """Length [m] and unit vector from x0 to x1."""
    edge = vec3.sub(x1, x0)
    length = math.sqrt(vec3.dot(edge, edge) + TINY)
    return length, vec3.scale(ONE / length, edge)


@element
def project(x0, x1, w0, w1, rest_length, stiffness, old, share, lam):
    """One local solve: the moved ends and the new lambda. old: length at the substep's start. share: tau / h."""
    length, n = length_and_direction(x0, x1)
    tension = stiffness * (length - rest_length + share * (length - old))
    step = -(tension + lam) / (ONE + stiffness * (ONE + share) * (w0 + w1))
    return vec3.add_scaled(x0, -w0 * step, n), vec3.add_scaled(x1, w1 * step, n), lam + step


@kernel
def project_pack(pack, index, rest, constants, material, memory, state, x, lanes):
    gather(x, index, pack, 2, lanes)
    r = rest[pack]
    m = memory[pack]
    s = state[pack]
    share = constants[material[pack], 0]
    for lane in range(LANES):
        x0, x1, lam = project(
            corner(lanes, 0, lane),
            corner(lanes, 1, lane),
            weight(lanes, 0, lane),
            weight(lanes, 1, lane),
            r[lane],
            r[LANES + lane],
            m[lane],
            share,
            s[lane],
        )
        put(lanes, 0, lane, x0)
        put(lanes, 1, lane, x1)
        s[lane] = lam
    scatter(x, index, pack, 2, lanes)


@parallel_kernel
def sweep(colours, clusters, index, rest, constants, material, memory, state, reprojection, x):
    for colour in range(len(colours) - 1):
        for cluster in prange(colours[colour], colours[colour + 1]):
            lanes = np.empty(8 * LANES, x.dtype)
            for pack in range(clusters[cluster], clusters[cluster + 1]):
                project_pack(pack, index, rest, constants, material, memory, state, x, lanes)


@element
def _edge(index, pack, lane, x):
    a = index[pack, lane]
    b = index[pack, LANES + lane]
    return length_and_direction((x[a, 0], x[a, 1], x[a, 2]), (x[b, 0], x[b, 1], x[b, 2]))


@kernel
def remember(first, last, index, rest, constants, material, memory, x):
    for pack in range(first, last):
        for lane in range(LANES):
            memory[pack, lane] = _edge(index, pack, lane, x)[0]


@kernel
def warm_start(first, last, index, rest, constants, material, state, share, x):
    for pack in range(first, last):
        for lane in range(LANES):
            state[pack, lane] *= share
            _, n = _edge(index, pack, lane, x)
            a = index[pack, lane]
            b = index[pack, LANES + lane]
            for i in range(3):
                x[a, i] -= x[a, 3] * state[pack, lane] * n[i]
                x[b, i] += x[b, 3] * state[pack, lane] * n[i]


@kernel
def add_gradient(first, last, index, rest, constants, material, memory, x, gradient_out):
    total = 0.0
    for pack in range(first, last):
        share = constants[material[pack], 0]
        for lane in range(LANES):
            length, n = _edge(index, pack, lane, x)
            k = rest[pack, LANES + lane]
            extension = length - rest[pack, lane]
            rate = length - memory[pack, lane]
            tension = k * (extension + share * rate)
            total += HALF * k * (extension * extension + share * rate * rate)
            for i in range(3):
                gradient_out[index[pack, lane], i] -= tension * n[i]
                gradient_out[index[pack, LANES + lane], i] += tension * n[i]
    return total
