"""A joint of a rod: two segments at an inner vertex, their curvature, their twist, and the gradients of both.

Unit vectors t0, t1 along the segments. Curvature binormal: 2 t0 x t1 / (1 + t0 t1), of length 2 tan(phi / 2) at a turning
angle phi. Frames are transported along the shortest rotation, without spin: from a to t a vector r across a becomes

    P r = r - (r t) / (1 + a t) (a + t)

and its spin about t differs from that of its neighbours by half the curvature binormal of a and t (the holonomy).
Source: Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008, "Discrete elastic rods", eq. 1 and 9.
"""

import math

from ..device.cpu import element, f32
from ..mathlib import vec3

ONE = f32(1)
TWO = f32(2)
HALF = f32(0.5)
TINY = f32(1e-20)
#: Least 1 + t0 t1: segments folded back onto each other have a finite curvature.
FOLDED = f32(1e-3)


@element
def segments(corners):
    """Unit vectors along both segments, and the inverses of their lengths [1/m]."""
    e0 = vec3.sub(corners[1], corners[0])
    e1 = vec3.sub(corners[2], corners[1])
    i0 = ONE / math.sqrt(vec3.dot(e0, e0) + TINY)
    i1 = ONE / math.sqrt(vec3.dot(e1, e1) + TINY)
    return vec3.scale(i0, e0), vec3.scale(i1, e1), i0, i1


@element
def facing(a, b):
    """1 + a b of unit vectors, above zero."""
    return max(ONE + vec3.dot(a, b), FOLDED)


@element
def curvature(t0, t1):
    """Curvature binormal [1]."""
    return vec3.scale(TWO / facing(t0, t1), vec3.cross(t0, t1))


@element
def curvature_slopes(t0, t1, kb, c):
    """Gradients of c kb by t0 and by t1. kb: `curvature` of these. c: any vector."""
    q = ONE / facing(t0, t1)
    share = vec3.dot(c, kb) * q * folds(t0, t1)
    return (
        vec3.combine(TWO * q, vec3.cross(t1, c), -share, t1),
        vec3.combine(TWO * q, vec3.cross(c, t0), -share, t0),
    )


@element
def folds(a, b):
    """1, or 0 where `facing` is at its bound."""
    return ONE if ONE + vec3.dot(a, b) > FOLDED else ONE - ONE


@element
def transport(a, t, r):
    """P r from a to t; r is across a."""
    return vec3.add_scaled(r, -vec3.dot(r, t) / facing(a, t), vec3.add(a, t))


@element
def transport_slope(a, t, r, c):
    """Gradient of c (P r) by t."""
    q = ONE / facing(a, t)
    s = vec3.dot(r, t) * q
    along = vec3.dot(c, a) + vec3.dot(c, t)
    slope = vec3.combine(-along * q, r, -s, c)
    return vec3.add_scaled(slope, along * s * q * folds(a, t), a)


@element
def quarter_twist(t0, t1, a0, m0, a1, m1):
    """Tangent of a quarter of the angle from the frame of the first segment, transported on, to that of the second.

    a0, a1: unit vectors along the segments where the frames m0, m1 are across them; both are transported to t0 and t1.
    """
    u = transport(t0, t1, transport(a0, t0, m0))
    v = transport(a1, t1, m1)
    sine = vec3.dot(vec3.cross(u, v), t1)
    cosine_of_half = math.sqrt(max(HALF * (ONE + vec3.dot(u, v)), TINY))
    return HALF * sine / (cosine_of_half * (ONE + cosine_of_half))


@element
def twist_slopes(t0, t1, kb, a0, a1):
    """Gradients by t0 and t1 of the angle whose quarter `quarter_twist` measures. kb: `curvature` of t0 and t1."""
    return (
        vec3.combine(HALF, kb, HALF, curvature(a0, t0)),
        vec3.combine(HALF, kb, -HALF, curvature(a1, t1)),
    )


@element
def onto_segment(slope, t, inverse):
    """Gradient by a segment's vector, from that by its unit vector t. inverse: of its length [1/m]."""
    return vec3.scale(inverse, vec3.add_scaled(slope, -vec3.dot(slope, t), t))


@element
def at_corners(slope0, slope1, t0, t1, i0, i1):
    """Gradients at the three corners, from those by t0 and t1."""
    g0 = onto_segment(slope0, t0, i0)
    g1 = onto_segment(slope1, t1, i1)
    return vec3.scale(-ONE, g0), vec3.sub(g0, g1), g1
