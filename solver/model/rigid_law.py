"""Laws of a rigid body in a substep: functions of tuples of doubles, which the loops of every device call."""

from __future__ import annotations

import numpy as np

from ..device.cpu import element
from ..mathlib.quaternion import rotation_between, turned, turned_tensor_times
from ..mathlib.vec3 import add_scaled, scale, sub

HALF, ONE = np.float64(0.5), np.float64(1)


@element
def inverse_of(inertia):
    """Inverse principal moments."""
    return ONE / inertia[0], ONE / inertia[1], ONE / inertia[2]


@element
def free_motion(turn, inertia, velocity, spin, fall, keep, h):
    """Velocity [m/s], angular momentum [kg m^2/s] and turn after a substep in which nothing touches a body.

    turn: quaternion from the principal axes; inertia: principal moments [kg m^2]; fall: acceleration [m/s^2]; keep: share of
    the velocities; h: [s]. Angular momentum is kept; the body turns by that of the middle of the substep: of second order.
    """
    inverse, spin = inverse_of(inertia), scale(keep, spin)
    middle = turned(turn, scale(HALF * h, turned_tensor_times(turn, inverse, spin)))
    end = turned(turn, scale(h, turned_tensor_times(middle, inverse, spin)))
    return add_scaled(scale(keep, velocity), h, fall), spin, end


@element
def spin_of(turn, inertia, rotation, inverse_h):
    """Angular momentum of a rotation vector [rad] in a substep [kg m^2/s]. turn: at its start."""
    return scale(inverse_h, turned_tensor_times(turn, inertia, rotation))


@element
def momenta_between(start, start_turn, inertia, centre, turn, inverse_h):
    """Velocity [m/s] and angular momentum [kg m^2/s] that bring a body from one pose to another in a substep."""
    velocity = scale(inverse_h, sub(centre, start))
    return velocity, spin_of(start_turn, inertia, rotation_between(start_turn, turn), inverse_h)
