"""Spring: an edge that wants its rest length.

    U = 1/2 k (l - L)^2  [J]

Its stiffness belongs to the edge, not to the fabric: another mesh of the same sheet is another sheet. It is here to compare
with solvers that know nothing else. The local solve has one unknown, along the edge: the compliant constraint of XPBD.
Source: Macklin, Muller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics".
"""

import numpy as np

from ..device.cpu import element, f32
from ..elements import segment
from ..elements.segment import length_and_direction

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
START_STRAINS = 1  # length at the start of the substep [m]
CONSTRAINTS = 1
ONE_SIDED = False

ONE = f32(1)
HALF = f32(0.5)


def rest(x, elements, values, axes, fraction):
    """Rest length [m] and stiffness [N/m] of each edge: (n, 2). x: rest positions [m]. fraction: share of k, (n,)."""
    length = np.linalg.norm(x[elements[:, 1]] - x[elements[:, 0]], axis=1)
    return np.column_stack([length, values["stiffness"] * np.asarray(fraction)])


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
