"""Law of one contact at a frozen plane: kept distance, normal force and Coulomb friction. Functions of numbers and tuples,
which the loops of every device call.

Multipliers are per inverse effective mass: of a contact whose effective mass is 1 they are displacements [m].
Sources: Signorini's condition and Coulomb's cone by projected Gauss-Seidel, Jean 1999, "The non-smooth contact dynamics
method"; Mueller et al. 2020, "Detailed rigid body simulation with extended position based dynamics".
"""

from __future__ import annotations

import math

from ...device.cpu import f32
from ...device.uncounted import inline
from ...mathlib.vec3 import add_scaled, dot, scale, sub
from ...steering import ACTIVATION, APPROACH_SHARE

ZERO, HALF, ONE, TINY = f32(0), f32(0.5), f32(1), f32(1e-30)


@inline
def reach(distance, motion):
    """Distance below which a contact with a plane is made: beyond the kept one, half of the motion of the substep [m]."""
    return ACTIVATION * distance + HALF * motion


@inline
def target_distance(distance, start, allowance):
    """The distance to keep: the full distance; a pair that starts closer recovers at most `allowance` a substep, and at most
    a share of the deficit, which prevents ejection [m]."""
    return min(distance, start + min(allowance, APPROACH_SHARE * max(ZERO * distance, distance - start)))


@inline
def friction_between(one, other):
    """Coefficient of friction of two surfaces: the geometric mean."""
    return math.sqrt(one * other)


@inline
def normal_force(before, gap, mass):
    """Multiplier along the normal after a projection: it may push, never pull. gap: over the kept distance [m]."""
    return max(ZERO, before - gap * mass)


@inline
def friction_force(before, slip, n, mass, most):
    """Multiplier across the normal n after a projection, in Coulomb's cone of radius `most`. slip: displacement of one side
    over the other, of which the part along n is left out [m]."""
    return within_cone(sub(before, scale(mass, add_scaled(slip, -dot(n, slip), n))), most)


@inline
def within_cone(force, most):
    """The nearest force whose size is at most `most`."""
    # A denormal length would make the reciprocal infinite, and zero times infinity is no number.
    return scale(min(ONE, most / math.sqrt(max(dot(force, force), TINY))), force)


@inline
def separation_to_remove(speed, predicted):
    """Speed of separation that a restitution of zero removes: beyond that of the prediction [m/s]."""
    return speed - max(ZERO * speed, predicted)
