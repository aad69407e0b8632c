"""Vertices that are inside a closed collider, or behind a one-sided one: who they are, and the plane that takes them out.

An open surface has no inside. Behind a one-sided one is what a crossing has led there: the corners of what passes through
it, and from these on their neighbours that are behind it as well, up to its depth.
"""

from __future__ import annotations

import math

import numpy as np

from ...device.cpu import kernel
from ...mathlib.vec3 import dot, scale, sub
from ..broad_phase.tree import STACK, nearest_surface
from ..narrow_phase.distance import blend, closest_on_triangle, row, triangle_normal
from ..surfaces.surfaces import Surfaces
from .half_spaces import fill_slot, target_distance

#: States of a vertex beside 0, outside, and k + 1, inside shape k.
UNKNOWN, CROSSING = -1, -2


@kernel
def settle(
    begin, finish, x0, movable, own, mu, allowance, owner, rules, bodies, shapes, boxes, depths, triangles, groups, outward,
    front, reserve, friction, A, B, order, leaves, nodes, inside, number, slots,
):  # fmt: skip
    """Settles the vertices begin..finish that are inside a shape, or not known to be outside all.

    Each that is inside gets a plane: at the nearest surface point, facing out, at most `allowance` [m] further out than
    the vertex starts. owner, rules: see `Surfaces`. shapes: shapes that have an inside, (s,). boxes: their bounds at the
    start pose [m], (s, 6). depths: how far behind its surface a one-sided shape leads back [m], 0 for a closed one, (s,).
    outward, front: of triangles, see `ColliderTables`. nodes: tree boxes that contain the start pose A; B: the end pose [m].
    Read and written: inside (n,): 0 outside, UNKNOWN, CROSSING, k + 1 inside shape k. Written: number (n,), slots, see
    `ground`.
    """
    one = A.dtype.type(1)
    stack = np.empty(STACK, np.int32)
    for i in range(begin, finish):
        if inside[i] == 0 or not movable[i]:
            continue
        p = row(x0, i)
        before = inside[i]
        inside[i] = 0
        for s in range(len(shapes)):
            b = boxes[s]
            one_sided = depths[s] > 0 and (before == CROSSING or before == shapes[s] + 1)
            if not rules[owner[i], bodies + shapes[s]]:
                continue
            if p[0] < b[0] or p[1] < b[1] or p[2] < b[2] or p[0] > b[3] or p[1] > b[4] or p[2] > b[5]:
                continue
            facing = front if one_sided else outward
            t, depth, side = nearest_surface(p, shapes[s], groups, facing, triangles, A, order, leaves, nodes, stack)
            if t < 0 or side > 0 or (one_sided and depth > depths[s]):
                continue
            inside[i] = shapes[s] + 1
            j, k, m = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            face, valid = triangle_normal(row(B, j), row(B, k), row(B, m), one)
            if valid:
                weights, _ = closest_on_triangle(p, row(A, j), row(A, k), row(A, m), one)
                full = own[i] + reserve[t]
                target = target_distance(full, -depth, allowance)
                n = scale(facing[t], face)
                q = blend(weights, row(B, j), row(B, k), row(B, m))
                drift = sub(q, blend(weights, row(A, j), row(A, k), row(A, m)))
                both = math.sqrt(mu[i] * friction[t])
                fill_slot(slots[i, 0], n, dot(n, sub(p, q)) - target, both, drift, full - target)
                number[i] = 1
            break


def follow_crossings(inside: np.ndarray, surfaces: Surfaces, hits: np.ndarray, has_inside: np.ndarray) -> None:
    """Marks the vertices that may be behind a collider: corners of what passes through it, and neighbours of those behind.

    hits: edges and triangles that pass through each other, (k, 2). has_inside: whether a collider has one, (shapes,).
    Written: inside (n,).
    """
    s, n, bodies = surfaces, len(inside), len(surfaces.rules) - len(has_inside)
    sided = np.concatenate([np.zeros(bodies, bool), has_inside])[s.owner]
    found = np.zeros(n, bool)
    edges, triangles = s.edges[hits[:, 0]], s.triangles[hits[:, 1]]
    found[edges[sided[triangles[:, 0]] & (edges[:, 0] < n)]] = True
    found[triangles[sided[edges[:, 0]] & (triangles[:, 0] < n)]] = True
    if (inside > 0).any():
        mine = s.edges[: s.body_edges]
        behind = inside[mine] > 0
        found[mine[behind.any(1)]] = True
    inside[found & (inside <= 0)] = CROSSING
