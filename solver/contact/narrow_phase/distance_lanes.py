"""Closest points of 16 pairs at once: results of `distance` as straight-line lane code.

A lane takes all candidates for the closest points, and then the best of them, so that no pair branches. Lengths are
those of `distance` up to rounding.
"""

from __future__ import annotations

import math

from ...device.cpu import LANES, f32
from ...device.lanes import corner, gather
from ...device.layout import layout
from ...device.uncounted import inline, uncounted_kernel
from ...mathlib.vec3 import add_scaled, cross, dot, sub
from ...steering import EDGE_END, PARALLEL, SLIVER
from .motion_bound import motion_bound

ONE, ZERO, TINY = f32(1), f32(0), f32(1e-36)
#: Results of a pair, 16 lanes each: the weights of its corners, the vector between its closest points [m], their
#: distance [m], and the region of a triangle, or 0 where both points are inside their edges and else 1.
FOUND = layout(weight=4, vector=3, length=1, region=1)


@inline
def closest_to_triangle(p, a, b, c, one):
    """Weights of the corners, vector from the closest point of a triangle to p, its length, and region 0..6 as a number.

    Regions: 0 the face, 1..3 the sides ab, bc, ca, 4..6 the corners. Also for triangles without area.
    """
    zero = one - one
    tiny = one * TINY
    ab, ac, bc = sub(b, a), sub(c, a), sub(c, b)
    ap, bp = sub(p, a), sub(p, b)
    s1, s2, s3 = dot(ab, ab), dot(bc, bc), dot(ac, ac)
    t1 = min(max(dot(ap, ab) / max(s1, tiny), zero), one)
    t2 = min(max(dot(bp, bc) / max(s2, tiny), zero), one)
    t3 = min(max(dot(ap, ac) / max(s3, tiny), zero), one)
    e1, e2, e3 = add_scaled(ap, -t1, ab), add_scaled(bp, -t2, bc), add_scaled(ap, -t3, ac)
    q1, q2, q3 = dot(e1, e1), dot(e2, e2), dot(e3, e3)
    r1 = f32(4) if t1 <= zero else (f32(5) if t1 >= one else f32(1))
    r2 = f32(5) if t2 <= zero else (f32(6) if t2 >= one else f32(2))
    r3 = f32(4) if t3 <= zero else (f32(6) if t3 >= one else f32(3))
    # The side bc if it is nearer than ab, then ca if it is nearer still, then the face if p is over it.
    other = q2 < q1
    q = q2 if other else q1
    region = r2 if other else r1
    v = one - t2 if other else t1
    w = t2 if other else zero
    ex, ey, ez = e2[0] if other else e1[0], e2[1] if other else e1[1], e2[2] if other else e1[2]
    other = q3 < q
    q = q3 if other else q
    region = r3 if other else region
    v = zero if other else v
    w = t3 if other else w
    ex, ey, ez = e3[0] if other else ex, e3[1] if other else ey, e3[2] if other else ez
    n = cross(ab, ac)
    square = dot(n, n)
    longest = max(s1, max(s2, s3))
    inverse = one / max(square, tiny)
    over, along = dot(cross(ap, ac), n) * inverse, dot(cross(ab, ap), n) * inverse
    # Not along the normal, which of a needle is known to a few digits only.
    e = sub(add_scaled(ap, -over, ab), (along * ac[0], along * ac[1], along * ac[2]))
    face = (over > zero) & (along > zero) & (over + along < one)
    face = face & (square > longest * longest * f32(SLIVER)) & (square > tiny)
    region = ZERO if face else region
    v = over if face else v
    w = along if face else w
    ex, ey, ez = e[0] if face else ex, e[1] if face else ey, e[2] if face else ez
    return (one, v + w - one, -v, -w), (ex, ey, ez), math.sqrt(ex * ex + ey * ey + ez * ez), region


@inline
def closest_of_edges(a, b, c, d, one):
    """Weights of the corners, vector from the second edge to the first, its length, and 0 if both points are inside.

    Parallel edges, for which the determinant is rounding, take the best of their ends; so do edges without length.
    """
    zero = one - one
    tiny = one * TINY
    u, v, w = sub(b, a), sub(d, c), sub(a, c)
    uu, vv, uv, uw, vw = dot(u, u), dot(v, v), dot(u, v), dot(u, w), dot(v, w)
    one_u, one_v = one / max(uu, tiny), one / max(vv, tiny)
    ta, tb = min(max(vw * one_v, zero), one), min(max((vw + uv) * one_v, zero), one)
    sc, sd = min(max(-uw * one_u, zero), one), min(max((uv - uw) * one_u, zero), one)
    ea, eb = add_scaled(w, -ta, v), sub(add_scaled(w, one, u), (tb * v[0], tb * v[1], tb * v[2]))
    ec, ed = add_scaled(w, sc, u), add_scaled(sub(w, v), sd, u)
    qa, qb, qc, qd = dot(ea, ea), dot(eb, eb), dot(ec, ec), dot(ed, ed)
    better = qb < qa
    q, s, t = qb if better else qa, one if better else zero, tb if better else ta
    better = qc < q
    q, s, t = qc if better else q, sc if better else s, zero if better else t
    better = qd < q
    q, s, t = qd if better else q, sd if better else s, one if better else t
    det = uu * vv - uv * uv
    si = min(max((uv * vw - uw * vv) / max(det, tiny), zero), one)
    ti = min(max((uv * si + vw) * one_v, zero), one)
    e = sub(add_scaled(w, si, u), (ti * v[0], ti * v[1], ti * v[2]))
    better = (det > uu * vv * f32(PARALLEL)) & (dot(e, e) < q)
    s, t = si if better else s, ti if better else t
    ex, ey, ez = w[0] + s * u[0] - t * v[0], w[1] + s * u[1] - t * v[1], w[2] + s * u[2] - t * v[2]
    between = (s > f32(EDGE_END)) & (s < one - f32(EDGE_END)) & (t > f32(EDGE_END)) & (t < one - f32(EDGE_END))
    region = ZERO if between else ONE
    return (one - s, s, t - one, -t), (ex, ey, ez), math.sqrt(ex * ex + ey * ey + ez * ez), region


@uncounted_kernel
def measure_lanes(vertex, x, index, lanes, distances):
    """Find the closest points of 16 pairs.

    vertex: corner 0 and a triangle, else two edges. x: (count, 4) [m]. index: (1, 4 * 16), corner by corner. lanes:
    (16 * 16,), scratch. Written: distances (FOUND.width * 16,).
    """
    one = x.dtype.type(1)
    gather(x, index, 0, 4, lanes)
    if vertex:
        for lane in range(LANES):
            w, v, d, region = closest_to_triangle(
                corner(lanes, 0, lane), corner(lanes, 1, lane), corner(lanes, 2, lane), corner(lanes, 3, lane), one
            )
            _put(distances, lane, w, v, d, region)
    else:
        for lane in range(LANES):
            w, v, d, region = closest_of_edges(
                corner(lanes, 0, lane), corner(lanes, 1, lane), corner(lanes, 2, lane), corner(lanes, 3, lane), one
            )
            _put(distances, lane, w, v, d, region)


@inline
def _put(distances, lane, w, v, d, region):
    at = FOUND.weight * LANES + lane
    distances[at], distances[at + LANES], distances[at + 2 * LANES], distances[at + 3 * LANES] = w
    at = FOUND.vector * LANES + lane
    distances[at], distances[at + LANES], distances[at + 2 * LANES] = v
    distances[FOUND.length * LANES + lane], distances[FOUND.region * LANES + lane] = d, region


@uncounted_kernel
def motion_bound_lanes(vertex, moves, index, lanes, rates):
    """Most that each of 16 pairs comes nearer [m] when its corners are displaced by `moves`, (count, 4) [m].

    Written: rates (16,).
    """
    gather(moves, index, 0, 4, lanes)
    if vertex:
        for lane in range(LANES):
            rates[lane] = motion_bound(
                corner(lanes, 0, lane), corner(lanes, 1, lane), corner(lanes, 2, lane), corner(lanes, 3, lane), True
            )
    else:
        for lane in range(LANES):
            rates[lane] = motion_bound(
                corner(lanes, 0, lane), corner(lanes, 1, lane), corner(lanes, 2, lane), corner(lanes, 3, lane), False
            )
