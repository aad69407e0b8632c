"""The distance that a candidate pair keeps: less than the thickness of its surfaces where these are nearer at rest."""

from __future__ import annotations

from ...device.uncounted import inline
from ...mathlib.vec3 import sub
from ...steering import SAFE_SHARE
from ..narrow_phase.distance import blend, closest_of_segments, closest_of_triangle, length, row


@inline
def pair_distance(x, i, j, k, m, vertex, one):
    """Distance [m] of corner i and triangle j k m, or of edges i j and k m."""
    a, b, c, d = row(x, i), row(x, j), row(x, k), row(x, m)
    if vertex:
        w, _ = closest_of_triangle(a, b, c, d, one)
        return length(sub(a, blend(w, b, c, d)))
    s, t = closest_of_segments(a, b, c, d, one)
    r = one - s
    q = one - t
    p = (r * a[0] + s * b[0], r * a[1] + s * b[1], r * a[2] + s * b[2])
    o = (q * c[0] + t * d[0], q * c[1] + t * d[1], q * c[2] + t * d[2])
    return length(sub(p, o))


@inline
def _may_be_near(rest, i, other, reach, limit, vertex):
    """Return whether two elements with these corners can be nearer than a limit at rest."""
    most = limit + reach[other] if vertex else limit + reach[i] + reach[other]
    a, b, c = rest[i, 0] - rest[other, 0], rest[i, 1] - rest[other, 1], rest[i, 2] - rest[other, 2]
    return a * a + b * b + c * c <= most * most


@inline
def pair_thickness(i, j, k, m, vertex, surfaces, start, one):
    """Distance that a pair keeps [m]. start: positions that the objects begin with [m], (count, 3)."""
    n, distance, half, owner = surfaces.n, surfaces.distance, surfaces.half, surfaces.owner
    rest, reach = surfaces.rest, surfaces.reach
    if vertex:
        far, half_far = max(distance[j], max(distance[k], distance[m])), min(half[j], min(half[k], half[m]))
        near, half_near, other = distance[i], half[i], j
    else:
        far, half_far = max(distance[k], distance[m]), min(half[k], half[m])
        near, half_near, other = max(distance[i], distance[j]), min(half[i], half[j]), k
    if i >= n or other >= n:
        return near + far
    thick = half_near + half_far
    if owner[i] == owner[other] and _may_be_near(rest, i, other, reach, thick / SAFE_SHARE, vertex):
        apart_at_rest = pair_distance(rest, i, j, k, m, vertex, one)
        if apart_at_rest * SAFE_SHARE < thick:
            apart_at_rest = max(apart_at_rest, pair_distance(start, i, j, k, m, vertex, one))
        thick = min(thick, SAFE_SHARE * apart_at_rest)
    return thick
