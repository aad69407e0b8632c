"""A hinge: two triangles that share an edge, their dihedral angle, its gradient and the gradient's change."""

import math

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import vec3

ZERO = f32(0)
ONE = f32(1)
TWO = f32(2)
HALF_PI = f32(np.pi / 2)
TINY = f32(1e-30)
#: atan(u) / u for |u| <= tan(pi / 8) as a polynomial in u^2 (Taylor; the next term is below 1e-8).
ATAN = (f32(1), f32(-1 / 3), f32(1 / 5), f32(-1 / 7), f32(1 / 9), f32(-1 / 11), f32(1 / 13), f32(-1 / 15), f32(1 / 17))


@element
def fold(x0, x1, x2, x3, n1, i1):
    """Dihedral angle [rad] at the edge x0 x1, 0 when flat, and its gradients at the four corners [rad/m].

    x2: third corner of the first triangle, whose normal is n1, of length 1 / i1; x3: third corner of the other.
    """
    e = vec3.sub(x1, x0)
    a = vec3.sub(x2, x0)
    b = vec3.sub(x3, x0)
    n2 = vec3.cross(b, e)
    length = math.sqrt(vec3.dot(e, e) + TINY)
    inverse = ONE / length
    i2 = ONE / math.sqrt(vec3.dot(n2, n2) + TINY)
    # n1 x n2 runs along e.
    sine = vec3.dot(vec3.cross(n1, n2), e) * inverse * i1 * i2
    cosine = vec3.dot(n1, n2) * i1 * i2
    # tan(theta / 2) = sine / (1 + cosine); the smaller over the larger stays in [0, 1], as in atan2.
    s = abs(sine)
    c = max(ONE + cosine, ZERO)
    big = max(s, c) + TINY
    u = min(s, c) / big  # tan of an angle in [0, pi / 4]
    v = u / (ONE + math.sqrt(ONE + u * u))  # tan of its half, at most tan(pi / 8)
    z = v * v
    p = ATAN[8]
    p = ATAN[7] + z * p
    p = ATAN[6] + z * p
    p = ATAN[5] + z * p
    p = ATAN[4] + z * p
    p = ATAN[3] + z * p
    p = ATAN[2] + z * p
    p = ATAN[1] + z * p
    p = ATAN[0] + z * p
    small = TWO * v * p  # atan(u)
    half = small if s <= c else HALF_PI - small
    theta = TWO * half if sine >= ZERO else -TWO * half
    g2 = vec3.scale(-length * i1 * i1, n1)
    g3 = vec3.scale(-length * i2 * i2, n2)
    t2 = vec3.dot(a, e) * inverse * inverse
    t3 = vec3.dot(b, e) * inverse * inverse
    g1 = vec3.combine(-t2, g2, -t3, g3)
    g0 = vec3.combine(t2 - ONE, g2, t3 - ONE, g3)
    return theta, g0, g1, g2, g3


@element
def fold_rates(x0, x1, x2, x3, d0, d1, d2, d3):
    """Return the directional derivative of angle and gradients of `fold` for a motion of the four corners by d0 .. d3."""
    e = vec3.sub(x1, x0)
    a = vec3.sub(x2, x0)
    b = vec3.sub(x3, x0)
    de = vec3.sub(d1, d0)
    da = vec3.sub(d2, d0)
    db = vec3.sub(d3, d0)
    n1 = vec3.cross(e, a)
    n2 = vec3.cross(b, e)
    dn1 = vec3.add(vec3.cross(de, a), vec3.cross(e, da))
    dn2 = vec3.add(vec3.cross(db, e), vec3.cross(b, de))
    l2 = vec3.dot(e, e) + TINY
    length = math.sqrt(l2)
    growth = vec3.dot(e, de) / l2  # relative, of the length
    q1 = ONE / (vec3.dot(n1, n1) + TINY)
    q2 = ONE / (vec3.dot(n2, n2) + TINY)
    g2 = vec3.scale(-length * q1, n1)
    g3 = vec3.scale(-length * q2, n2)
    dg2 = vec3.combine(growth - TWO * q1 * vec3.dot(n1, dn1), g2, -length * q1, dn1)
    dg3 = vec3.combine(growth - TWO * q2 * vec3.dot(n2, dn2), g3, -length * q2, dn2)
    t2 = vec3.dot(a, e) / l2
    t3 = vec3.dot(b, e) / l2
    dt2 = (vec3.dot(da, e) + vec3.dot(a, de)) / l2 - TWO * growth * t2
    dt3 = (vec3.dot(db, e) + vec3.dot(b, de)) / l2 - TWO * growth * t3
    turn = vec3.combine(dt2, g2, dt3, g3)
    dg1 = vec3.sub(vec3.combine(-t2, dg2, -t3, dg3), turn)
    dg0 = vec3.add(vec3.combine(t2 - ONE, dg2, t3 - ONE, dg3), turn)
    rate = vec3.dot(g2, vec3.combine(t2 - ONE, d0, -t2, d1)) + vec3.dot(g3, vec3.combine(t3 - ONE, d0, -t3, d1))
    return rate + vec3.dot(g2, d2) + vec3.dot(g3, d3), dg0, dg1, dg2, dg3
