"""Limit of the stretch of a rope's segments: an elastic bar that is slack below a stretch.

    U = L max(0, l / L - 1 - limit)^2 / (2 c)  [J],  c the compliance of the rope beyond the limit [1/N]

It is the stiff end of a rope's force over extension: a rubber band or a climbing rope that is drawn out. Below the limit
`rod_stretch` acts alone, beyond it both do. The local solve has one unknown, along the segment: the compliant constraint of
XPBD, which never pushes.
Source: Macklin, Muller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics".
"""

import numpy as np

from ..device.cpu import element, f32
from ..elements import segment
from ..elements.segment import length_and_direction

NAME = "rod_limit"
LABEL = "Stretch Limit"
ELEMENT = "segment"
LIMIT = 35
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "limit": ("Limit", "", 0.1, 0.0, 10.0, False, "Extension from which it acts, over the length"),
    "compliance": ("Compliance", "1/N", 1e-6, 1e-7, 1.0, False, "Further extension over the length, per tension"),
}
CORNERS = 2
REST = 2
CONSTANTS = 1
STATE = 1  # lambda: the force displacement per w_a along the segment, at most 0
START_STRAINS = 1  # nothing: energies without damping have one number that nobody reads
CONSTRAINTS = 1
ONE_SIDED = True

ZERO = f32(0)
ONE = f32(1)
HALF = f32(0.5)
#: Share of the greatest length below it in which the global step's stiffness grows to that beyond.
BAND = f32(1e-4)


def rest(x, elements, values, axes, fraction):
    """Greatest length [m] and stiffness beyond it [N/m] of each segment: (n, 2). x: rest positions [m]."""
    length = np.linalg.norm(x[elements[:, 1]] - x[elements[:, 0]], axis=1)
    return np.column_stack([(1 + values["limit"]) * length, 1 / (values["compliance"] * np.maximum(length, 1e-12))])


def constants(values, h):
    """None: (1,) zero, because a material has at least one number."""
    return np.zeros(1)


displacement, strain_at_start = segment.displacement, segment.strain_at_start


@element
def project(corners, w, rest, k, old, state, reprojection):
    """Solve locally. Returns the change of the force at both ends, and the new lambda."""
    length, n = length_and_direction(corners)
    free = state[0] + segment.compliant_step(length - rest[0], ONE, ONE / rest[1], state[0], w)
    lam = min(free, ZERO)
    return segment.pull(lam - state[0], n), (lam,)


@element
def constraints(corners, rest, k, old):
    """Return the extension over the greatest length (signed) [m], its stiffness [N/m] and the gradient."""
    length, n = length_and_direction(corners)
    return (length - rest[0],), (rest[1],), (segment.pull(ONE, n),)


@element
def gradient(corners, rest, k, old):
    """Energy [J] and its gradient at both ends [N]."""
    length, n = length_and_direction(corners)
    excess = max(length - rest[0], ZERO)
    return HALF * rest[1] * excess * excess, segment.pull(rest[1] * excess, n)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times directions [N]; none where the segment is shorter. It is never negative."""
    length, n = length_and_direction(corners)
    stiffness = rest[1] if length > rest[0] else ZERO
    return segment.hessian_times(length, n, stiffness, stiffness * (length - rest[0]), directions, exact)


@element
def linearise(strain, rest, k, old):
    """Return the tension [N] and a stiffness [N/m] that bounds the true one. strain: the length.

    The stiffness grows in a BAND below the greatest length to its value beyond; without that, a taut segment alternates
    between slack and taut.
    """
    beyond = strain[0] - rest[0]
    taut = min(max(ONE + beyond / (BAND * rest[0]), ZERO), ONE)
    return rest[1] * max(beyond, ZERO), taut * rest[1]
