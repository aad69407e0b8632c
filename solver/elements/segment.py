"""A straight line between two vertices: its length, and functions for energies of the length."""

import math

from ..device.cpu import element, f32
from ..mathlib import vec3

ZERO = f32(0)
ONE = f32(1)
TINY = f32(1e-30)


@element
def length_and_direction(corners):
    """Length [m] and unit vector from the first corner to the second."""
    edge = vec3.sub(corners[1], corners[0])
    length = math.sqrt(vec3.dot(edge, edge) + TINY)
    return length, vec3.scale(ONE / length, edge)


@element
def pull(force, n):
    """The same force [N] at both ends, apart along n."""
    return vec3.scale(-force, n), vec3.scale(force, n)


@element
def compliant_step(excess, slope, compliance, lam, w):
    """Change of the force lambda that solves compliance lambda = -excess(length); 0 where both ends are held.

    excess [m], slope: its derivative by the length. compliance: m/N, 0 for a hard constraint.
    Source: Macklin, Muller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics", eq. 18.
    """
    below = compliance + slope * (w[0] + w[1])
    return -(excess + compliance * lam) / below if below > ZERO else ZERO


@element
def hessian_times(length, n, stiffness, tension, directions, exact):
    """Second derivative of an energy of the length times directions [N], at both ends.

    stiffness [N/m], tension [N]: its second and first derivative. exact: 0 leaves out compression, which is negative
    sideways.
    """
    d = vec3.sub(directions[1], directions[0])
    sideways = (tension if exact > 0 else max(tension, ZERO)) / length
    force = vec3.combine((stiffness - sideways) * vec3.dot(n, d), n, sideways, d)
    return vec3.scale(-ONE, force), force


@element
def displacement(corners, rest, state):
    """lambda along the line, at both ends."""
    _, n = length_and_direction(corners)
    return pull(state[0], n)


@element
def strain_at_start(corners, rest):
    """Length."""
    length, _ = length_and_direction(corners)
    return (length,)
