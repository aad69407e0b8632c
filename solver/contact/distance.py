"""Geometry of one vertex and one triangle: closest point, degenerate triangles, and where a moving vertex goes through.

Tuples in, tuples out, in the precision of the arguments; `one` is the number 1 in that precision.
"""

from __future__ import annotations

import math

from ..mathlib.vec3 import add_scaled, cross, dot, scale, sub
from .inner import inner

#: Region of `closest_on_triangle` that means "inside the face"; the others are the three edges and the three corners.
FACE = 0


@inner
def blend(weights, a, b, c):
    """The point of a triangle with these barycentric weights."""
    return (
        weights[0] * a[0] + weights[1] * b[0] + weights[2] * c[0],
        weights[0] * a[1] + weights[1] * b[1] + weights[2] * c[1],
        weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2],
    )


@inner
def row(x, i):
    """The first three columns of row i as a tuple."""
    return (x[i, 0], x[i, 1], x[i, 2])


@inner
def length(a):
    """Euclidean length."""
    return math.sqrt(dot(a, a))


@inner
def triangle_normal(a, b, c, one):
    """Unit normal, and whether the triangle has one: false if its area is nothing beside the square of its edges."""
    e, f = sub(b, a), sub(c, a)
    n = cross(e, f)
    g = sub(c, b)
    longest = max(dot(e, e), max(dot(f, f), dot(g, g)))
    square = dot(n, n)
    # sin < 1e-5: in float32 the direction of such a cross product is rounding.
    if not (square > longest * longest * 1e-10) or not (square > 1e-36):
        return (one - one, one - one, one - one), False
    return scale(one / math.sqrt(square), n), True


@inner
def closest_on_triangle(p, a, b, c, one):
    """Barycentric weights of the point of the triangle that is closest to p, and the region it lies in.

    The triangle must have an area. Source: Ericson 2005, "Real-Time Collision Detection", section 5.1.5.
    """
    zero = one - one
    ab, ac, ap = sub(b, a), sub(c, a), sub(p, a)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= zero and d2 <= zero:
        return (one, zero, zero), 4
    bp = sub(p, b)
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= zero and d4 <= d3:
        return (zero, one, zero), 5
    vc = d1 * d4 - d3 * d2
    if vc <= zero and d1 >= zero and d3 <= zero and d1 > d3:
        t = d1 / (d1 - d3)
        return (one - t, t, zero), 1
    cp = sub(p, c)
    d5, d6 = dot(ab, cp), dot(ac, cp)
    if d6 >= zero and d5 <= d6:
        return (zero, zero, one), 6
    vb = d5 * d2 - d1 * d6
    if vb <= zero and d2 >= zero and d6 <= zero and d2 > d6:
        t = d2 / (d2 - d6)
        return (one - t, zero, t), 3
    va = d3 * d6 - d5 * d4
    if va <= zero and d4 >= d3 and d5 >= d6 and (d4 - d3) + (d5 - d6) > zero:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return (zero, one - t, t), 2
    total = va + vb + vc
    if not total > zero:
        return (one, zero, zero), 4
    v, w = vb / total, vc / total
    return (one - v - w, v, w), FACE


@inner
def _height(t, p, dp, e, de, f, df):
    """Signed volume (vertex over triangle) at time t of three vectors that change linearly."""
    return dot(add_scaled(p, t, dp), cross(add_scaled(e, t, de), add_scaled(f, t, df)))


@inner
def crossing(x0, x1, a0, b0, c0, a1, b1, c1, one):
    """Does a vertex that moves straight from x0 to x1 go through a triangle whose corners move straight?

    Returns (hit, time in 0..1, side it came from: +1 the front or -1, barycentric weights of the hit). It compares the
    sides at the start and the end, so going through and back again within the step is no hit. The triangle is taken a
    little larger (1e-4), so that no vertex slips between two triangles. One without area at the end stops nothing.
    """
    zero, half = one - one, one / (one + one)
    p, q = sub(x0, a0), sub(x1, a1)
    e, f = sub(b0, a0), sub(c0, a0)
    g, h = sub(b1, a1), sub(c1, a1)
    n0, n1 = cross(e, f), cross(g, h)
    low, high = dot(p, n0), dot(q, n1)
    front = low >= zero
    side = one if front else -one
    none = (zero, zero, zero)
    if front == (high >= zero):
        return False, one, side, none
    dp, de, df = sub(q, p), sub(g, e), sub(h, f)
    left, right = zero, one
    t = low / (low - high)
    for _ in range(16):  # regula falsi with Illinois' halving; one step is exact for a triangle that only translates
        value = _height(t, p, dp, e, de, f, df)
        if abs(value) <= 1e-6 * max(abs(low), abs(high)):
            break
        if (value >= zero) == front:
            left, low, high = t, value, half * high
        else:
            right, high, low = t, value, half * low
        gap = low - high
        t = left + (right - left) * (low / gap) if abs(gap) > zero else half * (left + right)
        t = min(max(t, left), right)
    at, u, v = add_scaled(p, t, dp), add_scaled(e, t, de), add_scaled(f, t, df)
    n = cross(u, v)
    square = dot(n, n)
    if not (square > 1e-36):
        return False, one, side, none
    wv = dot(cross(at, v), n) / square
    ww = dot(cross(u, at), n) / square
    if wv < -1e-4 or ww < -1e-4 or wv + ww > 1.0001:
        return False, one, side, none
    wv, ww = max(wv, zero), max(ww, zero)
    total = max(wv + ww, one)
    wv, ww = wv / total, ww / total
    _, valid = triangle_normal(a1, b1, c1, one)
    return valid, t, side, (one - wv - ww, wv, ww)


@inner
def direction(p, q, one):
    """Unit vector from q to p and their distance; the zero vector if they coincide."""
    d = sub(p, q)
    distance = length(d)
    return scale(one / distance if distance > 1e-18 else one - one, d), distance
