"""Local minima of the distance: pairs of elements that are nearest where they are.

A pair counts where its closest points are a local minimum of the distance between the two surfaces. So sliding over the
inner edges of flat ground meets one plane, not the slanted ones of the neighbours; and each side or corner is some one
triangle's.
"""

from __future__ import annotations

import math

from ...device.cpu import f32
from ...device.uncounted import inline
from ...mathlib.vec3 import dot, sub
from ...steering import EDGE_END, FLAT_SINE, LOCAL_MINIMUM_SINE
from .distance import FACE, blend, closest_of_segments, closest_of_triangle, length

ONE, HALF, ZERO = f32(1), f32(0.5), f32(0)
#: Share of an edge up to which closest points belong to its inside; from there on to the corner at its end.
LAST_INSIDE = f32(1 - EDGE_END)


@inline
def at(a, b, i, t):
    """Position of particle i at a share t of the motion from a to b [m]."""
    return (
        a[i, 0] + t * (b[i, 0] - a[i, 0]),
        a[i, 1] + t * (b[i, 1] - a[i, 1]),
        a[i, 2] + t * (b[i, 2] - a[i, 2]),
    )


@inline
def shift(a, b, i):
    """Displacement of particle i."""
    return (b[i, 0] - a[i, 0], b[i, 1] - a[i, 1], b[i, 2] - a[i, 2])


@inline
def between(x0, x1, i, j, k, m, vertex, t):
    """The closest points of a pair at a share t of the motion from x0 to x1.

    Returns the weights of the four corners (their sum with those of positions is the vector from the second element to
    the first), that vector, its length [m], and the region (vertex) or whether both points are inside their edges.
    """
    one = ONE * (t * ZERO + ONE)
    a, b, c, d = at(x0, x1, i, t), at(x0, x1, j, t), at(x0, x1, k, t), at(x0, x1, m, t)
    if vertex:
        w, region = closest_of_triangle(a, b, c, d, one)
        v = sub(a, blend(w, b, c, d))
        return (one, -w[0], -w[1], -w[2]), v, length(v), region
    s, u = closest_of_segments(a, b, c, d, one)
    w4 = (one - s, s, u - one, -u)
    v = (
        w4[0] * a[0] + w4[1] * b[0] + w4[2] * c[0] + w4[3] * d[0],
        w4[0] * a[1] + w4[1] * b[1] + w4[2] * c[1] + w4[3] * d[1],
        w4[0] * a[2] + w4[1] * b[2] + w4[2] * c[2] + w4[3] * d[2],
    )
    inside = s > EDGE_END and s <= LAST_INSIDE and u > EDGE_END and u <= LAST_INSIDE
    return w4, v, length(v), 0 if inside else 1


@inline
def _steepest(x0, x1, t, e, q, v, opposite):
    """Largest and smallest sine between v and the faces at edge e, seen from a point q of it; positive: they come nearer."""
    most, least = -ONE, ONE
    for side in range(2):
        o = opposite[e, side]
        if o >= 0:
            b = sub(at(x0, x1, o, t), q)
            square = dot(b, b) * dot(v, v)
            sine = dot(v, b) / math.sqrt(square) if square > 1e-36 else ZERO * square
            most, least = max(most, sine), min(least, sine)
    return most, least


@inline
def is_nearest(motion, t, corners, ids, vertex, v, region, solid, surfaces):
    """Do the closest points of a pair, at a share t of the motion, make a contact of their own?

    corners (4), ids (2): particles and elements of the pair. v, region: see `between`. solid: whether a particle is of a
    rigid object, (count,) bool. surfaces: `SurfaceTable`.
    """
    x0, x1, opposite, first, around = motion.x0, motion.x1, surfaces.opposite, surfaces.neighbour_first, surfaces.neighbours
    i, j, k, m = corners
    e, f = ids
    if vertex:
        if not surfaces.features[f, region]:
            return False
        if region == FACE:
            return True
        # A rigid corner: sliding over flat ground must not collide with the ground's own vertices.
        if solid[i] and not _is_lowest(x0, x1, t, i, at(x0, x1, i, t), (-v[0], -v[1], -v[2]), first, around):
            return False
        if region < 4:
            q = sub(at(x0, x1, i, t), v)
            most, _ = _steepest(x0, x1, t, surfaces.sides[f, region - 1], q, v, opposite)
            return most <= LOCAL_MINIMUM_SINE
        corner = j if region == 4 else k if region == 5 else m
        return _is_lowest(x0, x1, t, corner, at(x0, x1, corner, t), v, first, around)
    if region != 0:
        return False
    p, q = at(x0, x1, i, t), at(x0, x1, k, t)
    back = (-v[0], -v[1], -v[2])
    one_most, _ = _steepest(x0, x1, t, e, p, back, opposite)
    two_most, _ = _steepest(x0, x1, t, f, q, v, opposite)
    return max(one_most, two_most) <= LOCAL_MINIMUM_SINE


@inline
def _is_lowest(x0, x1, t, corner, q, v, first, around):
    """Return whether no edge at a corner, which is at q, leads further along v, past the end that belongs to the corner."""
    for p in range(first[corner], first[corner + 1]):
        b = sub(at(x0, x1, around[p], t), q)
        nearer, square = dot(v, b), dot(b, b)
        is_steep = nearer * nearer > f32(LOCAL_MINIMUM_SINE * LOCAL_MINIMUM_SINE) * dot(v, v) * square
        if nearer > f32(EDGE_END) * square and is_steep:
            return False
    return True


@inline
def share_kept(motion, t, corners, ids, v, surfaces):
    """Share of the thickness that two crossing edges keep: half between flat faces, which corners around hold apart
    as well, all of it where a face falls away by FLAT_SINE or more; in between in between, so that no contact comes and
    goes."""
    x0, x1, opposite = motion.x0, motion.x1, surfaces.opposite
    e, f = ids
    p, q = at(x0, x1, corners[0], t), at(x0, x1, corners[2], t)
    _, one_least = _steepest(x0, x1, t, e, p, (-v[0], -v[1], -v[2]), opposite)
    _, two_least = _steepest(x0, x1, t, f, q, v, opposite)
    falls = min(ONE, max(ZERO, -min(one_least, two_least) / f32(FLAT_SINE)))
    return HALF + HALF * falls
