"""Which candidate pairs become contacts in a substep: those that are near, and nearest where they are.

A pair counts where its closest points are a local minimum of the distance between the two surfaces. So sliding over the
inner edges of flat ground meets one plane, not the slanted ones of the neighbours; and each side or corner is some one
triangle's.
"""

from __future__ import annotations

from ..device.cpu import f32, kernel
from ..mathlib.vec3 import dot, sub
from .distance import FACE, blend, closest_of_segments, closest_of_triangle, length
from .inner import inner
from .motion import approach
from .search import ACTIVE, ASLEEP, KEY, RATE, THICK

ONE, ZERO = f32(1), f32(0)
#: Sine by which another element may lie nearer before a pair stops being the nearest one.
NEARER = 0.02
#: Sine by which a face falls away from a contact of its edge, up to which the contact is one of flat faces as well.
FLAT = 0.15
#: Share of the thickness that edges that cross between flat faces keep; beyond, corners around hold the faces apart.
DEEP = 0.5
#: Ends of an edge: closest points there belong to a corner.
END = 1e-4
#: Steps of conservative advancement towards a pair that comes near within the substep.
STEPS = 12
#: Substeps that a near pair is left alone for, after it was found not to be the nearest one, if its elements move by less
#: than a share of the thickness against each other. Certificates go on.
SLEEP = 3
STILL = 0.01
#: A distance that stands for "not in contact, whatever it does".
FAR = 1e6


@inner
def at(a, b, i, t):
    """Particle i on its way from a to b."""
    return (
        a[i, 0] + t * (b[i, 0] - a[i, 0]),
        a[i, 1] + t * (b[i, 1] - a[i, 1]),
        a[i, 2] + t * (b[i, 2] - a[i, 2]),
    )


@inner
def shift(a, b, i):
    """Displacement of particle i."""
    return (b[i, 0] - a[i, 0], b[i, 1] - a[i, 1], b[i, 2] - a[i, 2])


@inner
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
    inside = s > END and s < 1 - END and u > END and u < 1 - END
    return w4, v, length(v), 0 if inside else 1


@inner
def _steepest(x0, x1, t, e, q, v, edges, opposite):
    """Largest and smallest sine between v and the faces at edge e, seen from a point q of it; positive: they come nearer."""
    most, least = -ONE, ONE
    for side in range(2):
        o = opposite[e, side]
        if o >= 0:
            b = sub(at(x0, x1, o, t), q)
            size = length(b) * length(v)
            sine = dot(v, b) / size if size > 1e-30 else ZERO * size
            most, least = max(most, sine), min(least, sine)
    return most, least


@inner
def is_nearest(
    x0, x1, t, i, j, k, m, e, f, vertex, v, region, d, thick, solid, features, sides, edges, opposite, first, around
):  # fmt: skip
    """Do these closest points make a contact of their own?"""
    if vertex:
        if not features[f, region]:
            return False
        if region == FACE:
            return True
        if solid[i]:
            # A corner that keeps its shape: what slides over flat ground must not run into the ground's own vertices.
            q = at(x0, x1, i, t)
            for p in range(first[i], first[i + 1]):
                b = sub(at(x0, x1, edges[around[p], 0] + edges[around[p], 1] - i, t), q)
                if -dot(v, b) > NEARER * length(v) * length(b):
                    return False
        if region < 4:
            q = sub(at(x0, x1, i, t), v)
            most, _ = _steepest(x0, x1, t, sides[f, region - 1], q, v, edges, opposite)
            return most <= NEARER
        corner = j if region == 4 else k if region == 5 else m
        q = at(x0, x1, corner, t)
        for p in range(first[corner], first[corner + 1]):
            other = edges[around[p], 0] + edges[around[p], 1] - corner
            b = sub(at(x0, x1, other, t), q)
            if dot(v, b) > NEARER * length(v) * length(b):
                return False
        return True
    if region != 0:
        return False
    p, q = at(x0, x1, i, t), at(x0, x1, k, t)
    back = (-v[0], -v[1], -v[2])
    one_most, _ = _steepest(x0, x1, t, e, p, back, edges, opposite)
    two_most, _ = _steepest(x0, x1, t, f, q, v, edges, opposite)
    return max(one_most, two_most) <= NEARER


@inner
def _kept(x0, x1, t, i, k, e, f, v, edges, opposite):
    """Share of the thickness that two crossing edges keep: DEEP between flat faces, which corners around hold apart as
    well, all of it where a face falls away by FLAT or more; in between in between, so that no contact comes and goes."""
    p, q = at(x0, x1, i, t), at(x0, x1, k, t)
    _, one_least = _steepest(x0, x1, t, e, p, (-v[0], -v[1], -v[2]), edges, opposite)
    _, two_least = _steepest(x0, x1, t, f, q, v, edges, opposite)
    falls = min(ONE, max(ZERO, -min(one_least, two_least) / f32(FLAT)))
    return f32(DEEP) + (ONE - f32(DEEP)) * falls


@kernel
def choose(
    begin, finish, vertex_pairs, corners, ids, values, age, off, edge_off, triangle_off, x0, x1, masks, n, owner, bodies,
    inside, tangled, solid, features, sides, edges, opposite, first, around, distance, when, kept,
):  # fmt: skip
    """Distances of the pairs begin..finish at the start of a substep, and which of them become contacts.

    x0, x1: particles at the start and the predicted end [m], (count, 4). off, edge_off, triangle_off: how far
    particles, edges and triangles are off their paths [m]. inside: of each body vertex, (n,), shape + 1 of the collider
    it is in. tangled: (count, 2) uint64, see `Tangles.sides`. masks: whether there are any of these. solid: (count,) bool,
    of colliders and rigid bodies. Written: distance (k,) [m], a lower bound
    where a pair is far; when (k,): the share of the motion at which a contact's plane is taken, negative for no
    contact; kept (k,): the share of the thickness that a contact keeps. Read and written: the ASLEEP column of values.
    """
    for p in range(begin, finish):
        vertex = p < vertex_pairs
        i, j, k, m = corners[p, 0], corners[p, 1], corners[p, 2], corners[p, 3]
        e, f = ids[p, 0], ids[p, 1]
        away = off[i] + triangle_off[f] if vertex else edge_off[e] + edge_off[f]
        thick = values[p, THICK]
        near = f32(ACTIVE) * thick
        bound = values[p, KEY] - (age + ONE) * values[p, RATE] - away
        when[p] = -ONE
        if bound > near:
            distance[p] = bound
            continue
        if masks and is_masked(i, j, k, m, vertex, n, owner, bodies, inside, tangled):
            distance[p] = FAR
            continue
        if values[p, ASLEEP] > ZERO:
            values[p, ASLEEP] -= ONE
            distance[p] = bound
            continue
        t = ZERO * thick
        _, v, d, region = between(x0, x0, i, j, k, m, vertex, t)
        distance[p] = d
        if d >= near:
            speed = approach(shift(x0, x1, i), shift(x0, x1, j), shift(x0, x1, k), shift(x0, x1, m), vertex)
            for _ in range(STEPS):
                if d < near or d - (ONE - t) * speed >= near:
                    break
                t = min(ONE, t + (d - f32(0.95) * thick) / speed)
                _, v, d, region = between(x0, x1, i, j, k, m, vertex, t)
            if d >= near:
                continue
        if is_nearest(
            x0, x1, t, i, j, k, m, e, f, vertex, v, region, d, thick, solid, features, sides, edges, opposite, first, around
        ):
            kept[p] = ONE if vertex else _kept(x0, x1, t, i, k, e, f, v, edges, opposite)
            if d < f32(ACTIVE) * kept[p] * thick:
                when[p] = t
        elif d < near:
            way = approach(shift(x0, x1, i), shift(x0, x1, j), shift(x0, x1, k), shift(x0, x1, m), vertex)
            if way < f32(STILL) * thick:
                values[p, ASLEEP] = f32(SLEEP)


@inner
def is_masked(i, j, k, m, vertex, n, owner, bodies, inside, tangled):
    """Is a pair left alone: on the two sides of one tangle, or one inside the collider that the other belongs to?"""
    one, other = tangled[i, 0], tangled[i, 1]
    first, second = tangled[k, 0] | tangled[m, 0], tangled[k, 1] | tangled[m, 1]
    if vertex:
        first, second = first | tangled[j, 0], second | tangled[j, 1]
        split = j
    else:
        one, other = one | tangled[j, 0], other | tangled[j, 1]
        split = k
    if (one & second) | (other & first):
        return True
    if i >= n:
        s = owner[i] - bodies + 1
        return inside[j] == s or inside[k] == s or inside[m] == s
    if split >= n:
        s = owner[split] - bodies + 1
        return inside[i] == s or (not vertex and inside[j] == s)
    return False
