"""Tether: a vertex never gets farther from a pinned vertex than the cloth between them is long.

    U = max(0, l - (1 + s) L)^2 / (2 alpha)  [J],  L the geodesic distance in the rest shape [m], s the slack

It carries a load from a pin to any vertex in one sweep, which elements pass on a few vertices a sweep only. It pulls, never
pushes, and only beyond the length of the cloth itself: at rest length and below the fabric is as soft as it was. The length
is of paths along the mesh (`topology/tethers.py`), never below the true geodesic.
Source: Kim, Chentanez, Muller 2012, "Long range attachments: a method to simulate inextensible clothing in computer games".
"""

import numpy as np

from ..device.cpu import element, f32
from ..elements import segment
from ..elements.excess import RECOVERY_RATE, let_through
from ..elements.segment import length_and_direction
from ..mathlib import vec3

NAME = "long_range_attachment"
LABEL = "Max Distance from Pins"
ELEMENT = "tether"  # a vertex and a pinned vertex
LIMIT = 40
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "slack": ("Extra Length", "", 0.0, 0.0, 1.0, False, "Share by which the distance to a pin may be longer than at rest"),
    "compliance": ("Compliance", "m/N", 1e-5, 0.0, 1.0, False, "Further extension per force; 0 is rigid"),
}
CORNERS = 2
REST = 2
CONSTANTS = 1
STATE = 1  # lambda: the force displacement per w_a along the tether, at most 0
START_STRAINS = 1  # excess of the tether at substep start [m]: it acts beyond its length plus that
CONSTRAINTS = 1
ONE_SIDED = True

ZERO = f32(0)
ONE = f32(1)
HALF = f32(0.5)
#: Share of its greatest length below that in which the global step's stiffness of a tether grows to that beyond.
BAND = f32(1e-4)
#: Least compliance in the global step [m/N]: few iterations do not solve for stiffer ones.
SOLVED = f32(1e-5)
#: Compliance of a hard tether in functions that need a force as a function of the positions [m/N].
HARDEST = f32(1e-9)


def rest(x, elements, values, axes, fraction):
    """Greatest length [m] and compliance [m/N] of each tether: (n, 2). fraction: geodesic distance [m] of its ends, (n,)."""
    length = (1 + values["slack"]) * np.asarray(fraction, float)
    return np.column_stack([length, np.full(len(length), values["compliance"])])


def constants(values, h):
    """The excess that a substep takes back, over the length: (1,)."""
    return np.array([RECOVERY_RATE * h])


displacement = segment.displacement


@element
def excess_at_start(corners, rest, k, old, state):
    """Return the excess of the tether at substep start [m]."""
    length, _ = length_and_direction(corners)
    return (let_through(length - rest[0], -rest[1] * state[0], k[0] * rest[0]),)


@element
def project(corners, w, rest, k, old, state, reprojection):
    """Solve locally. Returns the change of the force at both ends, and the new lambda."""
    length, n = length_and_direction(corners)
    free = state[0] + segment.compliant_step(length - rest[0] - old[0], ONE, rest[1], state[0], w)
    lam = min(free, ZERO)
    return segment.pull(lam - state[0], n), (lam,)


@element
def constraints(corners, rest, k, old):
    """Return the extension of the tether over its length (signed) [m], its stiffness [N/m] and the gradient."""
    length, n = length_and_direction(corners)
    return (length - rest[0] - old[0],), (ONE / max(rest[1], HARDEST),), (segment.pull(ONE, n),)


@element
def gradient(corners, rest, k, old):
    """Energy [J] and its gradient at both ends [N]."""
    (beyond,), (stiffness,), (slope,) = constraints(corners, rest, k, old)
    excess = max(beyond, ZERO)
    tension = stiffness * excess
    return HALF * tension * excess, (vec3.scale(tension, slope[0]), vec3.scale(tension, slope[1]))


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times directions [N]; none where the tether is slack. It is never negative."""
    length, n = length_and_direction(corners)
    stiffness = ONE / max(rest[1], HARDEST) if length > rest[0] + old[0] else ZERO
    return segment.hessian_times(length, n, stiffness, stiffness * (length - rest[0] - old[0]), directions, exact)


@element
def linearise(strain, rest, k, old):
    """Return tension [N], a stiffness [N/m] that bounds the true one, and the energy [J]. strain: the length.

    The stiffness grows in a BAND below the greatest length to its value beyond; without that, a taut tether alternates
    between slack and taut. The compliance is at least SOLVED.
    """
    stiffness = ONE / max(rest[1], SOLVED)
    beyond = strain[0] - rest[0] - old[0]
    taut = min(max(ONE + beyond / (BAND * rest[0]), ZERO), ONE)
    tension = stiffness * max(beyond, ZERO)
    return tension, taut * stiffness, HALF * tension * max(beyond, ZERO)
