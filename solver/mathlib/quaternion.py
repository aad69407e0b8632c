"""Rotations of rigid bodies: unit quaternions (w, x, y, z) and rotation vectors [rad], tuples of doubles.

Sine and cosine are series of a fraction of the angle, to 1e-11 at one turn: functions of the compiler would be calls, and
another value on each device.
"""

from __future__ import annotations

import math

import numpy as np

from ..device.cpu import element
from . import mat3
from .vec3 import add, add_scaled, cross, dot, scale

f64 = np.float64
ZERO, HALF, ONE, TWO = f64(0), f64(0.5), f64(1), f64(2)
SIXTEENTH, THIRTY_TWO = f64(1 / 16), f64(32)
#: Ratios of the terms of the series of the sine, of the cosine, and terms of that of the inverse sine.
SINE, COSINE = (f64(1 / 6), f64(1 / 20), f64(1 / 42), f64(1 / 72)), (f64(1 / 2), f64(1 / 12), f64(1 / 30), f64(1 / 56))
INVERSE_SINE = f64(1 / 6), f64(3 / 40), f64(15 / 336), f64(105 / 3456)


@element
def matrix(q):
    """Rotation matrix."""
    w, x, y, z = q
    return (
        (ONE - TWO * (y * y + z * z), TWO * (x * y - w * z), TWO * (x * z + w * y)),
        (TWO * (x * y + w * z), ONE - TWO * (x * x + z * z), TWO * (y * z - w * x)),
        (TWO * (x * z - w * y), TWO * (y * z + w * x), ONE - TWO * (x * x + y * y)),
    )


@element
def turned_tensor_times(q, principal, v):
    """R diag(principal) R^T v."""
    r = matrix(q)
    a = mat3.times_vector(mat3.transposed(r), v)
    return mat3.times_vector(r, (principal[0] * a[0], principal[1] * a[1], principal[2] * a[2]))


@element
def turned(q, rotation):
    """A quaternion turned further by a rotation vector in the world's frame; of length 1."""
    u = scale(SIXTEENTH, rotation)  # an eighth of half the angle
    x = dot(u, u)
    v = scale(ONE - x * SINE[0] * (ONE - x * SINE[1] * (ONE - x * SINE[2] * (ONE - x * SINE[3]))), u)
    w = ONE - x * COSINE[0] * (ONE - x * COSINE[1] * (ONE - x * COSINE[2] * (ONE - x * COSINE[3])))
    for _ in range(3):  # twice the angle
        w, v = w * w - dot(v, v), scale(TWO * w, v)
    old = (q[1], q[2], q[3])
    new = add(add_scaled(scale(w, old), q[0], v), cross(v, old))
    first = w * q[0] - dot(v, old)
    inverse = ONE / math.sqrt(first * first + dot(new, new))
    return first * inverse, new[0] * inverse, new[1] * inverse, new[2] * inverse


@element
def rotation_between(one, other):
    """Rotation vector that turns a body from one quaternion to another, the short way."""
    a, b = (-one[1], -one[2], -one[3]), (other[1], other[2], other[3])
    w = other[0] * one[0] - dot(b, a)
    v = add(add_scaled(scale(other[0], a), one[0], b), cross(b, a))
    sign = ONE if w >= ZERO else -ONE
    w, v = sign * w, scale(sign, v)
    for _ in range(4):  # half the angle
        w = math.sqrt(HALF * (ONE + w))
        v = scale(HALF / w, v)
    x, s = dot(v, v), INVERSE_SINE
    return scale(THIRTY_TWO * (ONE + x * (s[0] + x * (s[1] + x * (s[2] + x * s[3])))), v)
