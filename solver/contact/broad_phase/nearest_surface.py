"""The point of a closed surface that is nearest to a point, by descent of a tree of its triangles."""

from __future__ import annotations

import math

from ...device.uncounted import inline
from ...mathlib.vec3 import dot, sub
from ...steering import EDGE_END
from ..narrow_phase.distance import blend, closest_on_triangle, row, triangle_normal
from .tree import LEAF


@inline
def _box_distance(nodes, k, p, zero):
    """Squared distance from a point to box k; zero inside."""
    dx = max(zero, max(nodes[k, 0] - p[0], p[0] - nodes[k, 3]))
    dy = max(zero, max(nodes[k, 1] - p[1], p[1] - nodes[k, 4]))
    dz = max(zero, max(nodes[k, 2] - p[2], p[2] - nodes[k, 5]))
    return dx * dx + dy * dy + dz * dz


@inline
def nearest_surface(p, shape, shapes, outward, triangles, pose, order, leaves, nodes, stack):
    """The triangle of one closed shape that is nearest to a point, and which side the point is on.

    shapes: shape of each triangle, (k,). outward: +1 or -1 where the triangle's normal or its opposite points out of a
    closed surface, 0 elsewhere, (k,). Returns (triangle or -1, distance [m], +1 outside or -1 inside).
    Where several triangles share the closest point, the one that faces the point most decides the side: for an edge or
    a corner the others may show their back to a point that is outside.
    """
    one = pose.dtype.type(1)
    zero = one - one
    best, best_facing = pose.dtype.type(1e30), zero
    triangle, side = -1, one
    depth = 1
    stack[0] = 0
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if _box_distance(nodes, node, p, zero) > best + best * EDGE_END + 1e-12:
            continue
        if node < leaves - 1:
            near, far = 2 * node + 1, 2 * node + 2
            if _box_distance(nodes, far, p, zero) < _box_distance(nodes, near, p, zero):
                near, far = far, near
            stack[depth], stack[depth + 1] = far, near
            depth += 2
            continue
        leaf = node - (leaves - 1)
        for k in range(leaf * LEAF, min(order.shape[0], leaf * LEAF + LEAF)):
            t = order[k]
            if shapes[t] != shape or outward[t] == 0:
                continue
            a, b, c = row(pose, triangles[t, 0]), row(pose, triangles[t, 1]), row(pose, triangles[t, 2])
            normal, valid = triangle_normal(a, b, c, one)
            if not valid:
                continue
            weights, _ = closest_on_triangle(p, a, b, c, one)
            d = sub(p, blend(weights, a, b, c))
            square = dot(d, d)
            facing = dot(d, normal) * outward[t]
            if square > 1e-30:
                facing = facing / math.sqrt(square)
            margin = best * EDGE_END + 1e-12
            if square < best - margin or (square <= best + margin and abs(facing) > best_facing):
                best, best_facing, triangle = min(square, best), abs(facing), t
                side = one if facing >= zero else -one
    return triangle, math.sqrt(best), side
