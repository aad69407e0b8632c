"""Stretch of a rope's segments: an elastic bar.

    U = E A (l - L)^2 / (2 L)  [J]

E is the Young's modulus of the whole cross section A = pi r^2, strands and the air between them: that of a laid rope is far
below that of its fibre. The local solve has one unknown, along the segment: the compliant constraint of XPBD.
Source: Macklin, Muller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics".
"""

import numpy as np

from ..device.cpu import element, f32
from ..elements import segment
from ..elements.segment import length_and_direction

NAME = "rod_stretch"
LABEL = "Stretch"
ELEMENT = "segment"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young": ("Stretch", "Pa", 1e7, 0.0, 1e12, True, "Young's modulus: pull per cross section over relative extension"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous force over the rate of force"),
}
CORNERS = 2
REST = 2
CONSTANTS = 1
STATE = 1  # lambda: the force displacement per w_a along the segment
START_STRAINS = 1  # length at the start of the substep [m]
CONSTRAINTS = 1
ONE_SIDED = False

ONE = f32(1)
HALF = f32(0.5)


def rest(x, elements, values, axes, fraction):
    """Rest length [m] and stiffness [N/m] of each segment: (n, 2). x: rest positions [m]. fraction: cross section [m^2]."""
    length = np.linalg.norm(x[elements[:, 1]] - x[elements[:, 0]], axis=1)
    return np.column_stack([length, values["young"] * np.asarray(fraction) / np.maximum(length, 1e-12)])


def constants(values, h):
    """The damping share tau / h: (1,)."""
    return np.array([values["damping"] / h])


displacement, strain_at_start = segment.displacement, segment.strain_at_start


@element
def _tension(length, rest, k, old):
    """Elastic and damping force [N]."""
    return rest[1] * (length - rest[0] + k[0] * (length - old[0]))


@element
def project(corners, w, rest, k, old, state, reprojection):
    """Solve locally. Returns the change of the force at both ends, and the new lambda."""
    length, n = length_and_direction(corners)
    stiffness = rest[1] * (ONE + k[0])
    step = -(_tension(length, rest, k, old) + state[0]) / (ONE + stiffness * (w[0] + w[1]))
    return segment.pull(step, n), (state[0] + step,)


@element
def gradient(corners, rest, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at both ends [N]."""
    length, n = length_and_direction(corners)
    extension = length - rest[0]
    rate = length - old[0]
    energy = HALF * rest[1] * (extension * extension + k[0] * rate * rate)
    return energy, segment.pull(_tension(length, rest, k, old), n)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times directions [N]."""
    length, n = length_and_direction(corners)
    return segment.hessian_times(length, n, rest[1] * (ONE + k[0]), _tension(length, rest, k, old), directions, exact)


@element
def linearise(strain, rest, k, old):
    """Tension [N] and stiffness [N/m], both with the damping's. strain: the length."""
    return _tension(strain[0], rest, k, old), rest[1] + rest[1] * k[0]


@element
def constraints(corners, rest, k, old):
    """The extension [m], its stiffness [N/m] and gradient."""
    length, n = length_and_direction(corners)
    return (length - rest[0],), (rest[1],), (segment.pull(ONE, n),)
