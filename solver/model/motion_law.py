"""Laws of time integration and of the air: functions of numbers and tuples, which the loops of every device call.

Sources: backward Euler and BDF2, Curtiss and Hirschfelder 1952, "Integration of stiff equations"; air, Wejchert and Haumann
1991, "Animation aerodynamics"; round lines, Hoerner 1965, "Fluid-dynamic drag", chapters 2 and 3; sums, Knuth
1969, "The Art of Computer Programming", vol. 2, section 4.2.2, theorem B.
"""

from __future__ import annotations

import math
from typing import Any

from ..device.cpu import element, f32
from ..mathlib.vec3 import cross, dot

ZERO, HALF, ONE, TINY, THIRD = f32(0), f32(0.5), f32(1), f32(1e-20), f32(1 / 3)
#: Coefficient of skin friction along a round line, on its whole circumference, over that of the drag across it.
ALONG = f32(0.02 * math.pi)


@element
def lost(a, b, total):
    """Return the rounding error of the sum of two numbers, `total`; exact."""
    of_b = total - a
    return (a - (total - of_b)) + (b - of_b)


@element
def first_order(blown, gain, keep, h):
    """Predicted velocity [m/s] and motion [m] by backward Euler, one coordinate. blown: velocity with what the air adds;
    gain: of gravity in h [m/s]; keep: share of the velocity."""
    v = keep * blown + gain
    return v, h * v


@element
def second_order(start, blown, before, motion, gain, keep, h, carry, share):
    """Predicted velocity [m/s] and motion [m] by BDF2, one coordinate. start, before: velocities at the start of this
    substep and of the one before; motion: of that one [m]; carry, share: `integrate.bdf2_coefficients`. Others as in
    `first_order`."""
    push = keep * blown - start + gain
    v = start + carry * (start - before) + share * push
    return v, carry * motion + share * h * v


@element
def back_to_first_order(v, start, h, lag):
    """Predicted velocity [m/s] and motion [m] of backward Euler, one coordinate, from the velocity that BDF2 predicted.
    start: velocity at the start of the substep; lag: `integrate.bdf2_coefficients`."""
    first = v + lag * (v - start)
    return first, h * first


@element
def corrected_velocity(v, motion, correction, inverse_h, more, has_history):
    """Velocity at the end of a substep [m/s], one coordinate. v: of the prediction; motion: of the substep; correction: the
    part of it that forces add [m]; more: 1 + lag of BDF2. Without a history that of backward Euler."""
    return v + more * correction * inverse_h if has_history else motion * inverse_h


@element
def air_on_triangle(u, p, q, pressure, drag, lift):
    """A third of the air's force on a triangle: its drag over the relative velocity [kg/s], and its lift [N].

    u: relative wind [m/s]. p, q: two edges from one corner [m]. pressure: half the density of the air [kg/m^3]. drag, lift:
    coefficients. A triangle of area A in the wind u with normal n takes
    pressure A |u.n| (drag u + lift (|u| n' - |u.n'| u / |u|)), n' the side of n that u blows on.
    """
    n = cross(p, q)
    twice: Any = math.sqrt(dot(n, n))
    inverse = ONE / max(twice, TINY)
    normal = dot(u, n) * inverse
    side = inverse if normal >= ZERO else -inverse
    normal = abs(normal)
    speed = math.sqrt(dot(u, u))
    base = pressure * HALF * twice * normal * THIRD
    raised, back = base * lift, normal / max(speed, TINY)
    push = (
        raised * (speed * side * n[0] - back * u[0]),
        raised * (speed * side * n[1] - back * u[1]),
        raised * (speed * side * n[2] - back * u[2]),
    )
    return base * drag, push


@element
def air_on_segment(u, p, pressure, drag, diameter):
    """Half of the air's drag on a segment of a round line: its rate across [kg/s], which also acts along, and the excess of
    the skin friction along over that [N].

    u: relative wind [m/s]. p: the segment [m]. pressure: half the density of the air [kg/m^3]. drag: coefficient across.
    A segment of length l and diameter d takes pressure drag d l (|u_a| u_a + 0.02 pi |u_t| u_t), u_t the wind along it, u_a
    across.
    """
    square = dot(p, p)
    share = dot(u, p) / max(square, TINY)
    along = (share * p[0], share * p[1], share * p[2])
    across = (u[0] - along[0], u[1] - along[1], u[2] - along[2])
    base = HALF * pressure * drag * diameter * math.sqrt(square)
    rate: Any = base * math.sqrt(dot(across, across))
    less = base * ALONG * math.sqrt(dot(along, along)) - rate
    return rate, (less * along[0], less * along[1], less * along[2])


@element
def air_share(step, rate):
    """The step h / mass, reduced so that drag takes at most half of the relative velocity; so light fabrics stay stable in a
    storm. rate: drag of all elements at a vertex over the relative velocity [kg/s]."""
    return step * (HALF / max(HALF, step * rate))
