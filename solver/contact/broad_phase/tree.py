"""A bounding volume hierarchy of points, edges or triangles: an implicit complete binary tree, ordered once, then refitted.

Node k has the children 2k+1 and 2k+2; the leaves hold `LEAF` elements each, in the order of a Morton curve through the
place where the tree was made. No pointers, so a refit is one sweep from the leaves to the root.
"""

from __future__ import annotations

import math

import numpy as np

from ...device.cpu import LANES
from ...device.inner import inner, loop
from ...mathlib.vec3 import dot, sub
from ..narrow_phase.distance import blend, closest_on_triangle, row, triangle_normal

LEAF = 4
#: Depth that the stacks of all traversals hold: two entries a level.
STACK = 96


def morton_order(centres: np.ndarray) -> np.ndarray:
    """Order of points along a Morton curve. centres: (k, 3) [m]. Returns (k,) int32; equal codes keep their order."""
    if not len(centres):
        return np.zeros(0, np.int32)
    low = centres.min(0)
    size = float((centres.max(0) - low).max()) or 1.0
    cells = ((centres - low) * (1023.0 / size)).astype(np.uint64)
    code = np.zeros(len(centres), np.uint64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cells[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return np.argsort(code, kind="stable").astype(np.int32)


class Tree:
    """The arrays of a hierarchy over k elements of some corners each: points, edges or triangles.

    items: corners of the elements in the order of the tree, (k, corners) int32. order: number of each, (k,) int32.
    bounds: their boxes [m], (k, 6) as low xyz, high xyz. blocks: the same of 16 elements each, coordinate by coordinate,
    (tops, 6 * 16); they are the elements of the node tops - 1 + k. nodes: (2 leaves - 1, 6) [m]. fresh: (k,) bool, elements
    whose pairs are being searched for; fresh_nodes: nodes that hold one. last: last element of each node and one more.
    """

    def __init__(self, elements: np.ndarray, owner: np.ndarray, place: np.ndarray, dtype: np.dtype) -> None:
        """elements: (k, corners) rows of the particles; owner: object of each particle; place: where to sort them [m]."""
        centres = place[elements].mean(1) if len(elements) else np.zeros((0, 3))
        along = morton_order(np.asarray(centres, np.float64))
        # Objects stay together, so that their subtrees do not overlap more than they do.
        self.order = along[np.argsort(owner[elements[along, 0]], kind="stable")].astype(np.int32)
        self.items = np.ascontiguousarray(elements[self.order], np.int32)
        leaves = 1
        while leaves * LEAF < len(elements):
            leaves *= 2
        self.leaves = leaves
        self.tops = max(1, leaves * LEAF // LANES)
        self.bounds = np.empty((len(elements), 6), dtype)
        self.blocks = np.empty((self.tops, 6 * LANES), dtype)
        self.nodes = np.empty((2 * leaves - 1, 6), dtype)
        self.last = np.full(2 * leaves - 1, leaves * LEAF, np.int32)
        self.last[leaves - 1 :] = np.arange(1, leaves + 1) * LEAF
        for node in range(leaves - 2, -1, -1):
            self.last[node] = self.last[2 * node + 2]
        self.fresh = np.zeros(len(elements), bool)
        self.fresh_nodes = np.zeros(2 * leaves - 1, bool)

    def fit(self, low: np.ndarray, high: np.ndarray, moved: np.ndarray, partly: bool = False) -> None:
        """New boxes, see `refit`."""
        arrays = self.bounds, self.blocks, self.nodes, self.fresh, self.fresh_nodes
        refit(self.items, low, high, moved, partly, self.leaves, *arrays)

    def __len__(self) -> int:
        return len(self.order)


@loop
def refit(items, low, high, moved, partly, leaves, bounds, blocks, nodes, fresh, fresh_nodes):
    """Boxes of elements and of all nodes, from those of the particles.

    low, high: (count, 3) [m]. moved: (count,) bool; an element of one that moved is fresh. partly: only fresh elements have
    new boxes. Written: the last five.
    """
    big = low.dtype.type(1e30)
    for k in range(len(items)):
        new = moved[items[k, 0]]
        for c in range(1, items.shape[1]):
            new = new | moved[items[k, c]]
        fresh[k] = new
        if partly and not new:
            continue
        for axis in range(3):
            least, most = low[items[k, 0], axis], high[items[k, 0], axis]
            for c in range(1, items.shape[1]):
                least, most = min(least, low[items[k, c], axis]), max(most, high[items[k, c], axis])
            bounds[k, axis], bounds[k, axis + 3] = least, most
            at = axis * LANES + k % LANES
            blocks[k // LANES, at], blocks[k // LANES, at + 3 * LANES] = least, most
    for k in range(len(items), len(blocks) * LANES):
        for axis in range(3):
            at = axis * LANES + k % LANES
            blocks[k // LANES, at], blocks[k // LANES, at + 3 * LANES] = big, -big
    for leaf in range(leaves):
        node, first, last = leaves - 1 + leaf, leaf * LEAF, min(len(items), leaf * LEAF + LEAF)
        new = False
        for k in range(first, last):
            new = new | fresh[k]
        fresh_nodes[node] = new
        if partly and not new:
            continue
        for axis in range(3):
            least, most = big, -big
            for k in range(first, last):
                least, most = min(least, bounds[k, axis]), max(most, bounds[k, axis + 3])
            nodes[node, axis], nodes[node, axis + 3] = least, most
    for node in range(leaves - 2, -1, -1):
        new = fresh_nodes[2 * node + 1] | fresh_nodes[2 * node + 2]
        fresh_nodes[node] = new
        if partly and not new:
            continue
        for axis in range(3):
            nodes[node, axis] = min(nodes[2 * node + 1, axis], nodes[2 * node + 2, axis])
            nodes[node, axis + 3] = max(nodes[2 * node + 1, axis + 3], nodes[2 * node + 2, axis + 3])


@inner
def apart(boxes, k, low, high):
    """Is box k clear of the box from low to high?"""
    return (
        boxes[k, 0] > high[0]
        or boxes[k, 1] > high[1]
        or boxes[k, 2] > high[2]
        or boxes[k, 3] < low[0]
        or boxes[k, 4] < low[1]
        or boxes[k, 5] < low[2]
    )


@inner
def _box_distance(nodes, k, p, zero):
    """Squared distance from a point to box k; zero inside."""
    dx = max(zero, max(nodes[k, 0] - p[0], p[0] - nodes[k, 3]))
    dy = max(zero, max(nodes[k, 1] - p[1], p[1] - nodes[k, 4]))
    dz = max(zero, max(nodes[k, 2] - p[2], p[2] - nodes[k, 5]))
    return dx * dx + dy * dy + dz * dz


@inner
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
        if _box_distance(nodes, node, p, zero) > best + best * 1e-4 + 1e-12:
            continue
        if node < leaves - 1:
            near, far = 2 * node + 1, 2 * node + 2
            if _box_distance(nodes, far, p, zero) < _box_distance(nodes, near, p, zero):
                near, far = far, near
            stack[depth], stack[depth + 1] = far, near
            depth += 2
            continue
        leaf = node - (leaves - 1)
        for k in range(leaf * LEAF, min(len(order), leaf * LEAF + LEAF)):
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
            margin = best * 1e-4 + 1e-12
            if square < best - margin or (square <= best + margin and abs(facing) > best_facing):
                best, best_facing, triangle = min(square, best), abs(facing), t
                side = one if facing >= zero else -one
    return triangle, math.sqrt(best), side
