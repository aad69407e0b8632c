"""Distance constraint: an edge that keeps its rest length, softly or exactly.

    U = (l - L)^2 / (2 alpha)  [J],  alpha the compliance [m/N]

It is a spring given by its compliance, so that the limit of infinite stiffness, alpha = 0, has a number. The local solve is
exact there too: it never divides by alpha. Like a spring's, its compliance belongs to the edge, not to the fabric.
Source: Macklin, Muller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics".
"""

import math

import numpy as np

from ..device.cpu import element, f32
from ..elements import segment
from ..elements.excess import RECOVERY_RATE, let_through
from ..elements.segment import length_and_direction

NAME = "distance"
LABEL = "Edge Length"
ELEMENT = "edge"
LIMIT = 10
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "compliance": ("Compliance", "m/N", 1e-5, 0.0, 1.0, False, "Extension of an edge over its force; 0 keeps the length"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous force over the rate of force"),
}
CORNERS = 2
REST = 2
CONSTANTS = 2
STATE = 1  # lambda: the force displacement per w_a along the edge
START_STRAINS = 2  # at the start of the substep: the length [m], and how far it was off without a force for it [m]
CONSTRAINTS = 1
ONE_SIDED = False

ZERO = f32(0)
ONE = f32(1)
HALF = f32(0.5)
#: Least compliance in the global step [m/N]: few iterations do not solve for stiffer ones.
SOLVED = f32(1e-5)
#: Compliance of a hard constraint in functions that need a force as a function of the positions [m/N].
HARDEST = f32(1e-9)


def rest(x, elements, values, axes, fraction):
    """Rest length [m] and compliance [m/N] of each edge: (n, 2). x: rest positions [m]. fraction: share of 1 / alpha."""
    length = np.linalg.norm(x[elements[:, 1]] - x[elements[:, 0]], axis=1)
    return np.column_stack([length, values["compliance"] / np.asarray(fraction)])


def constants(values, h):
    """The damping share tau / h, and the excess that a substep takes back, over the length: (2,)."""
    return np.array([values["damping"] / h, RECOVERY_RATE * h])


displacement, strain_at_start = segment.displacement, segment.strain_at_start


@element
def excess_at_start(corners, rest, k, old, state):
    """Length at the start [m], and how far off, in either sense, it may stay for this substep [m]."""
    length, _ = length_and_direction(corners)
    off = length - rest[0] + rest[1] * state[0]
    return old[0], math.copysign(let_through(abs(off), ZERO, k[1] * rest[0]), off)


@element
def _beyond(extension, old):
    """Return the extension beyond the excess at substep start, which is free on the way back [m]."""
    return extension - min(max(extension, min(old[1], ZERO)), max(old[1], ZERO))


@element
def project(corners, w, rest, k, old, state, reprojection):
    """Solve locally. Returns the change of the force at both ends, and the new lambda."""
    length, n = length_and_direction(corners)
    excess = length - rest[0] + k[0] * (length - old[0])
    pull = state[0] + segment.compliant_step(excess - max(old[1], ZERO), ONE + k[0], rest[1], state[0], w)
    push = state[0] + segment.compliant_step(excess - min(old[1], ZERO), ONE + k[0], rest[1], state[0], w)
    lam = min(pull, ZERO) + max(push, ZERO)
    return segment.pull(lam - state[0], n), (lam,)


@element
def _stiffness(rest):
    """1 / alpha [N/m], finite for a hard constraint."""
    return ONE / max(rest[1], HARDEST)


@element
def gradient(corners, rest, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at both ends [N]."""
    length, n = length_and_direction(corners)
    extension = _beyond(length - rest[0], old)
    rate = length - old[0]
    energy = HALF * _stiffness(rest) * (extension * extension + k[0] * rate * rate)
    return energy, segment.pull(_stiffness(rest) * (extension + k[0] * rate), n)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times directions [N]."""
    length, n = length_and_direction(corners)
    tension = _stiffness(rest) * (_beyond(length - rest[0], old) + k[0] * (length - old[0]))
    return segment.hessian_times(length, n, _stiffness(rest) * (ONE + k[0]), tension, directions, exact)


@element
def constraints(corners, rest, k, old):
    """The extension [m], its stiffness [N/m] and gradient."""
    length, n = length_and_direction(corners)
    return (_beyond(length - rest[0], old),), (_stiffness(rest),), (segment.pull(ONE, n),)


@element
def linearise(strain, rest, k, old):
    """Tension [N] and stiffness [N/m], both with the damping's. strain: the length."""
    tension = _stiffness(rest) * (_beyond(strain[0] - rest[0], old) + k[0] * (strain[0] - old[0]))
    return tension, _stiffness(rest) * (ONE + k[0])


def solved_rest(rest):
    """Numbers of `rest` for the global step, (n, 2): with the compliance SOLVED at least."""
    return np.column_stack([rest[:, 0], np.maximum(rest[:, 1], SOLVED)])
