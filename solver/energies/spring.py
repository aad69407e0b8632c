"""Spring: an edge that wants its rest length.

    U = 1/2 k (l - L)^2  [J]

Its stiffness belongs to the edge, not to the fabric: another mesh of the same sheet is another sheet. It is here to compare
with solvers that know nothing else. The local solve has one unknown, along the edge: the compliant constraint of XPBD.
Source: Macklin, Muller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics".
"""

import math

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import vec3

NAME = "spring"
LABEL = "Springs"
ELEMENT = "edge"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "stiffness": ("Stiffness", "N/m", 1000.0, 0.0, 1e9, True, "Force of an edge over its extension; changes with the mesh"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous force over the rate of force"),
}
CORNERS = 2
REST = 2
CONSTANTS = 1
STATE = 1  # lambda: the force displacement per w_a along the edge
MEMORY = 1  # length at the start of the substep [m]

ZERO = f32(0)
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
def project(corners, w, rest, k, old, state, reprojection):
    """One local solve: the moved ends and the new lambda."""
    x0, x1 = corners
    length, n = length_and_direction(x0, x1)
    tension = rest[1] * (length - rest[0] + k[0] * (length - old[0]))
    step = -(tension + state[0]) / (ONE + rest[1] * (ONE + k[0]) * (w[0] + w[1]))
    return (vec3.add_scaled(x0, -w[0] * step, n), vec3.add_scaled(x1, w[1] * step, n)), (state[0] + step,)


@element
def displacement(corners, rest, state):
    """lambda along the edge, at both ends."""
    _, n = length_and_direction(corners[0], corners[1])
    return vec3.scale(-state[0], n), vec3.scale(state[0], n)


@element
def remembered(corners, rest):
    """Length."""
    length, _ = length_and_direction(corners[0], corners[1])
    return (length,)


@element
def gradient(corners, rest, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at both ends [N]."""
    length, n = length_and_direction(corners[0], corners[1])
    extension = length - rest[0]
    rate = length - old[0]
    tension = rest[1] * (extension + k[0] * rate)
    energy = HALF * rest[1] * (extension * extension + k[0] * rate * rate)
    return energy, (vec3.scale(-tension, n), vec3.scale(tension, n))


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times a displacement of both ends [N]; the tension of a compressed spring only if exact."""
    length, n = length_and_direction(corners[0], corners[1])
    tension = rest[1] * (length - rest[0] + k[0] * (length - old[0]))
    change = vec3.sub(directions[1], directions[0])
    along = vec3.dot(n, change)
    turning = (exact * tension + (ONE - exact) * max(tension, ZERO)) / length
    force = vec3.combine((rest[1] * (ONE + k[0]) - turning) * along, n, turning, change)
    return vec3.scale(-ONE, force), force
