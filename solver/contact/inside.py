"""Vertices that are inside a closed collider: who they are, and the plane that takes them out."""

from __future__ import annotations

import math

import numpy as np

from ..device.cpu import kernel
from ..mathlib.vec3 import dot, scale, sub
from .distance import blend, closest_on_triangle, row, triangle_normal
from .ground import fill_slot, target_distance
from .tree import STACK, nearest_surface


@kernel
def settle(
    begin, finish, x0, movable, own, mu, allowance, shapes, boxes, triangles, groups, outward, reserve, friction, A, B,
    order, leaves, nodes, inside, number, slots,
):  # fmt: skip
    """Settles the vertices begin..finish that are inside a closed shape, or not known to be outside all.

    Each that is inside gets a plane: at the nearest surface point, facing out, at most `allowance` [m] further out than
    the vertex starts. shapes: shapes with a closed part, (s,). boxes: their bounds at the start pose [m], (s, 6).
    nodes: tree boxes that contain the start pose A; B: the end pose [m].
    Read and written: inside (n,): 0 outside, -1 unknown, k + 1 inside shape k. Written: number (n,), slots, see `ground`.
    """
    one = A.dtype.type(1)
    stack = np.empty(STACK, np.int32)
    for i in range(begin, finish):
        if inside[i] == 0 or not movable[i]:
            continue
        p = row(x0, i)
        inside[i] = 0
        for s in range(len(shapes)):
            b = boxes[s]
            if p[0] < b[0] or p[1] < b[1] or p[2] < b[2] or p[0] > b[3] or p[1] > b[4] or p[2] > b[5]:
                continue
            t, depth, side = nearest_surface(p, shapes[s], groups, outward, triangles, A, order, leaves, nodes, stack)
            if t < 0 or side > 0:
                continue
            inside[i] = shapes[s] + 1
            j, k, m = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            face, valid = triangle_normal(row(B, j), row(B, k), row(B, m), one)
            if valid:
                weights, _ = closest_on_triangle(p, row(A, j), row(A, k), row(A, m), one)
                full = own[i] + reserve[t]
                target = target_distance(full, -depth, allowance)
                n = scale(outward[t], face)
                q = blend(weights, row(B, j), row(B, k), row(B, m))
                drift = sub(q, blend(weights, row(A, j), row(A, k), row(A, m)))
                both = math.sqrt(mu[i] * friction[t])
                fill_slot(slots[i, 0], n, dot(n, sub(p, q)) - target, both, drift, full - target)
                number[i] = 1
            break
