"""Geometry of a vertex and a triangle and of two segments: closest points, also where these have no area or length.

Tuples in, tuples out, in the precision of the arguments; `one` is the number 1 in that precision.
"""

from __future__ import annotations

import math

from ...device.uncounted import inline
from ...mathlib.vec3 import add_scaled, cross, dot, scale, sub
from ...steering import NEARLY_PARALLEL, PARALLEL, SLIVER

#: Region of `closest_on_triangle` that means "inside the face"; the others are the three edges and the three corners.
FACE = 0


@inline
def blend(weights, a, b, c):
    """The point of a triangle with these barycentric weights."""
    return (
        weights[0] * a[0] + weights[1] * b[0] + weights[2] * c[0],
        weights[0] * a[1] + weights[1] * b[1] + weights[2] * c[1],
        weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2],
    )


@inline
def row(x, i):
    """The first three columns of row i as a tuple."""
    return (x[i, 0], x[i, 1], x[i, 2])


@inline
def length(a):
    """Euclidean length."""
    return math.sqrt(dot(a, a))


@inline
def triangle_normal(a, b, c, one):
    """Unit normal, and whether the triangle has one: false if its area is nothing beside the square of its edges."""
    e, f = sub(b, a), sub(c, a)
    n = cross(e, f)
    g = sub(c, b)
    longest = max(dot(e, e), max(dot(f, f), dot(g, g)))
    square = dot(n, n)
    if not (square > longest * longest * SLIVER) or not (square > 1e-36):
        return (one - one, one - one, one - one), False
    return scale(one / math.sqrt(square), n), True


@inline
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


@inline
def _closest_parameter(p, a, ab, zero, one):
    """Return the closest parameter t along a + t ab, 0 <= t <= 1, to a point; 0 for a segment without length."""
    square = dot(ab, ab)
    return min(max(dot(sub(p, a), ab) / square, zero), one) if square > zero else zero


@inline
def closest_on_sliver(p, a, b, c, one):
    """As `closest_on_triangle`, for a triangle without area: the closest point of its sides."""
    zero = one - one
    t0 = _closest_parameter(p, a, sub(b, a), zero, one)
    t1 = _closest_parameter(p, b, sub(c, b), zero, one)
    t2 = _closest_parameter(p, c, sub(a, c), zero, one)
    w0, w1, w2 = (one - t0, t0, zero), (zero, one - t1, t1), (t2, zero, one - t2)
    e0, e1, e2 = sub(p, blend(w0, a, b, c)), sub(p, blend(w1, a, b, c)), sub(p, blend(w2, a, b, c))
    d0, d1, d2 = dot(e0, e0), dot(e1, e1), dot(e2, e2)
    if d0 <= d1 and d0 <= d2:
        return w0, 1
    if d1 <= d2:
        return w1, 2
    return w2, 3


@inline
def closest_of_triangle(p, a, b, c, one):
    """As `closest_on_triangle`, for any triangle."""
    _, valid = triangle_normal(a, b, c, one)
    if valid:
        return closest_on_triangle(p, a, b, c, one)
    return closest_on_sliver(p, a, b, c, one)


@inline
def closest_of_segments(a, b, c, d, one):
    """Return the closest parameters along a + s (b - a) and c + t (d - c) of two segments: (s, t), both in 0..1.

    Near-parallel ones, for which the determinant in single precision is rounding, take the best of their ends.
    Source: Ericson 2005, "Real-Time Collision Detection", section 5.1.9.
    """
    zero = one - one
    u, v, w = sub(b, a), sub(d, c), sub(a, c)
    uu, vv, uv, uw, vw = dot(u, u), dot(v, v), dot(u, v), dot(u, w), dot(v, w)
    det = uu * vv - uv * uv
    if det > uu * vv * NEARLY_PARALLEL:
        s = min(max((uv * vw - uw * vv) / det, zero), one)
        t = (uv * s + vw) / vv
        if t < zero:
            t, s = zero, min(max(-uw / uu, zero), one)
        elif t > one:
            t, s = one, min(max((uv - uw) / uu, zero), one)
        return s, t
    best_s, best_t = zero, _closest_parameter(a, c, v, zero, one)
    e = sub(a, add_scaled(c, best_t, v))
    best = dot(e, e)
    t = _closest_parameter(b, c, v, zero, one)
    e = sub(b, add_scaled(c, t, v))
    if dot(e, e) < best:
        best, best_s, best_t = dot(e, e), one, t
    s = _closest_parameter(c, a, u, zero, one)
    e = sub(add_scaled(a, s, u), c)
    if dot(e, e) < best:
        best, best_s, best_t = dot(e, e), s, zero
    s = _closest_parameter(d, a, u, zero, one)
    e = sub(add_scaled(a, s, u), d)
    if dot(e, e) < best:
        best, best_s, best_t = dot(e, e), s, one
    if det > uu * vv * PARALLEL:
        s = min(max((uv * vw - uw * vv) / det, zero), one)
        t = min(max((uv * s + vw) / vv, zero), one)
        e = sub(add_scaled(a, s, u), add_scaled(c, t, v))
        if dot(e, e) < best:
            best_s, best_t = s, t
    return best_s, best_t
