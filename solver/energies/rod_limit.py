"""Limit of the stretch of a rope's segments: an elastic bar that is slack below a length M = (1 + limit) L.

    T = k (a^2 / (2 w) + e - a)  [N],  e = max(0, l - M), a = min(e, w), w = 0.01 M, k = 1 / (c L)

c is the compliance of the rope beyond the limit [1/N], over the rest length L. Its stiffness grows to k over the first point
of stretch: a force that began at once would make segments taut and slack in turn, and Newton's method take hundreds of
systems. It is the stiff end of a rope's force over extension: a stretched rubber band or bungee cord. Below the
limit `rod_stretch` acts alone, beyond it both do. The local solve is exact, and never pushes.
"""

import math

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
TINY = f32(1e-30)
HALF = f32(0.5)
TWO = f32(2)
THIRD = f32(1 / 3)
#: Extension over the greatest length in which the stiffness grows from none to all: a point of stretch.
POINT = f32(0.01)
#: Least compliance [1/N], also of a limit with none: 50 kN in the first point.
LEAST = 1e-7


def rest(x, elements, values, axes, fraction):
    """Greatest length [m] and stiffness beyond it [N/m] of each segment: (n, 2). x: rest positions [m]."""
    length = np.linalg.norm(x[elements[:, 1]] - x[elements[:, 0]], axis=1)
    compliance = max(values["compliance"], LEAST)
    return np.column_stack([(1 + values["limit"]) * length, 1 / (compliance * np.maximum(length, 1e-12))])


def constants(values, h):
    """None: (1,) zero, because a material has at least one number."""
    return np.zeros(1)


displacement, strain_at_start = segment.displacement, segment.strain_at_start


@element
def _force(beyond, rest):
    """Tension [N], its derivative [N/m], and energy [J], at an extension beyond the limit [m], signed."""
    width = POINT * rest[0]
    curved = min(max(beyond, ZERO), width)
    straight = max(beyond - width, ZERO)
    share = curved / width
    tension = rest[1] * (HALF * share * curved + straight)
    energy = HALF * rest[1] * (THIRD * share * curved * curved + straight * (width + straight))
    return tension, rest[1] * share, energy


@element
def project(corners, w, rest, k, old, state, reprojection):
    """Solve locally. Returns the change of the force at both ends, and the new lambda."""
    length, n = length_and_direction(corners)
    mobility = w[0] + w[1]
    free = max(length - rest[0] - mobility * state[0], ZERO)  # extension beyond the limit without its force
    width, give = POINT * rest[0], rest[1] * mobility
    curved = TWO * free / (ONE + math.sqrt(ONE + TWO * give * free / width))
    straight = rest[1] * (free - HALF * width) / (ONE + give)
    lam = -(HALF * rest[1] * curved * curved / width if curved < width else straight)
    return segment.pull(lam - state[0], n), (lam,)


@element
def constraints(corners, rest, k, old):
    """Return the root of twice the energy over the stiffness, below the limit the missing length (negative) [m], the
    stiffness [N/m], and the gradient."""
    length, n = length_and_direction(corners)
    beyond = length - rest[0]
    tension, _, energy = _force(beyond, rest)
    root = math.sqrt(TWO * energy / rest[1])
    slope = tension / (rest[1] * max(root, TINY)) if beyond > ZERO else ONE
    return (root if beyond > ZERO else beyond,), (rest[1],), (segment.pull(slope, n),)


@element
def gradient(corners, rest, k, old):
    """Energy [J] and its gradient at both ends [N]."""
    length, n = length_and_direction(corners)
    tension, _, energy = _force(length - rest[0], rest)
    return energy, segment.pull(tension, n)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times directions [N]; none where the segment is shorter. It is never negative."""
    length, n = length_and_direction(corners)
    tension, stiffness, _ = _force(length - rest[0], rest)
    return segment.hessian_times(length, n, stiffness, tension, directions, exact)


@element
def linearise(strain, rest, k, old):
    """Return the tension [N] and its derivative [N/m]. strain: the length."""
    tension, stiffness, _ = _force(strain[0] - rest[0], rest)
    return tension, stiffness
