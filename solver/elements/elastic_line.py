"""An elastic line between two vertices, with Rayleigh damping: shared functions of springs and of ropes.

Numbers at rest: length L [m] and stiffness k [N/m]; constant: the damping share tau / h; strain at the start: the length
[m]. The local solve has one unknown, along the line: the compliant constraint of XPBD.
Source: Macklin, Muller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics".
"""

import numpy as np

from ..device.cpu import element, f32
from . import segment
from .segment import length_and_direction

ONE = f32(1)
HALF = f32(0.5)


def constants(values, h):
    """The damping share tau / h: (1,)."""
    return np.array([values["damping"] / h])


@element
def tension(length, rest, k, old):
    """Elastic and damping force [N]."""
    return rest[1] * (length - rest[0] + k[0] * (length - old[0]))


@element
def project(corners, w, rest, k, old, state, reprojection):
    """Solve locally. Returns the change of the force at both ends, and the new lambda."""
    length, n = length_and_direction(corners)
    stiffness = rest[1] * (ONE + k[0])
    step = -(tension(length, rest, k, old) + state[0]) / (ONE + stiffness * (w[0] + w[1]))
    return segment.pull(step, n), (state[0] + step,)


@element
def gradient(corners, rest, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at both ends [N]."""
    length, n = length_and_direction(corners)
    extension = length - rest[0]
    rate = length - old[0]
    energy = HALF * rest[1] * (extension * extension + k[0] * rate * rate)
    return energy, segment.pull(tension(length, rest, k, old), n)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times directions [N]."""
    length, n = length_and_direction(corners)
    return segment.hessian_times(length, n, rest[1] * (ONE + k[0]), tension(length, rest, k, old), directions, exact)


@element
def linearise(strain, rest, k, old):
    """Tension [N] and stiffness [N/m], both with the damping's. strain: the length."""
    return tension(strain[0], rest, k, old), rest[1] + rest[1] * k[0]


@element
def constraints(corners, rest, k, old):
    """The extension [m], its stiffness [N/m] and gradient."""
    length, n = length_and_direction(corners)
    return (length - rest[0],), (rest[1],), (segment.pull(ONE, n),)
