"""A bounding volume hierarchy of edges or triangles: an implicit complete binary tree, ordered once, then refitted.

Node k has the children 2k+1 and 2k+2; the leaves hold `LEAF` elements each, in the order of a Morton curve through the
positions that the tree was made for. No pointers, so a refit is one sweep from the leaves to the root.
Source: Lauterbach et al. 2009, "Fast BVH construction on GPUs", for the Morton order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES
from ...device.uncounted import inline, uncounted_kernel

Array = np.ndarray

LEAF = 4
#: Depth that the stacks of all traversals hold: two entries a level.
STACK = 96


def morton_order(centres: np.ndarray) -> np.ndarray:
    """Order of points along a Morton curve. centres: (k, 3) [m]. Returns (k,) int32; equal codes keep their order."""
    if not len(centres):
        return np.zeros(0, np.int32)
    low = centres.min(0)
    size = float((centres.max(0) - low).max()) or 1.0
    cells = ((centres - low) * (((1 << 10) - 1) / size)).astype(np.uint64)
    code = np.zeros(len(centres), np.uint64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cells[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return np.argsort(code, kind="stable").astype(np.int32)


class TreeTable(NamedTuple):
    """The arrays of a hierarchy over k elements of some corners each: edges or triangles.

    items: corners of the elements in the order of the tree, (k, corners) int32. order: number of each, (k,) int32. bounds:
    their boxes [m], (k, 6) as low xyz, high xyz. blocks: the same of 16 elements each, coordinate by coordinate, (tops,
    6 * 16); they are the elements of the node tops - 1 + k. nodes: (2 leaves - 1, 6) [m]. fresh: (k,) bool, elements
    that are searched for; fresh_nodes: nodes that hold one.
    """

    leaves: int
    tops: int
    items: np.ndarray
    order: np.ndarray
    bounds: np.ndarray
    blocks: np.ndarray
    nodes: np.ndarray
    fresh: np.ndarray
    fresh_nodes: np.ndarray


class Tree:
    """A hierarchy that is refitted to boxes. table: its arrays, for kernels. lanes: corners of 16 elements each as in
    `blocks`, corner by corner, -1 where there are none, (tops, corners * 16) int32."""

    def __init__(self, elements: Array, owner: Array, positions: Array, dtype: np.dtype) -> None:
        """elements: (k, corners) rows of the particles; owner: object of each particle; positions: to sort them by [m]."""
        centres = positions[elements].mean(1) if len(elements) else np.zeros((0, 3))
        along = morton_order(np.asarray(centres, np.float64))
        # Objects stay together, so that their subtrees do not overlap more than they do.
        order = along[np.argsort(owner[elements[along, 0]], kind="stable")].astype(np.int32)
        leaves = 1
        while leaves * LEAF < len(order):
            leaves *= 2
        tops, nodes = max(1, leaves * LEAF // LANES), 2 * leaves - 1
        nowhere = np.array([[1e30, 1e30, 1e30, -1e30, -1e30, -1e30]], dtype)  # meets nothing
        self.table = TreeTable(
            leaves, tops, np.ascontiguousarray(elements[order], np.int32), order, np.tile(nowhere, (len(order), 1)),
            np.repeat(np.tile(nowhere, (tops, 1)), LANES, axis=1), np.empty((nodes, 6), dtype), np.zeros(len(order), bool),
            np.zeros(nodes, bool),
        )  # fmt: skip

        filled = np.full((tops * LANES, elements.shape[1]), -1, np.int32)
        filled[: len(order)] = self.table.items
        self.lanes = np.ascontiguousarray(filled.reshape(tops, LANES, -1).transpose(0, 2, 1)).reshape(tops, -1)

    def fit(self, low: np.ndarray, high: np.ndarray, moved: np.ndarray) -> None:
        """New boxes, see `refit`."""
        refit(low, high, moved, self.table)

    @property
    def any_fresh(self) -> bool:
        """Return whether the last `fit` was for a particle of some element that moved."""
        return len(self) > 0 and bool(self.table.fresh_nodes[0])

    def __len__(self) -> int:
        return len(self.table.order)


@uncounted_kernel
def refit(low, high, moved, tree):
    """Boxes of elements and of all nodes, from those of the particles.

    low, high: (count, 3 or more) [m]. moved: (count,) bool; an element of one that moved is fresh. Written: bounds, blocks,
    nodes, fresh and fresh_nodes of the tree.
    """
    leaves, items, bounds, blocks, nodes = tree.leaves, tree.items, tree.bounds, tree.blocks, tree.nodes
    fresh, fresh_nodes = tree.fresh, tree.fresh_nodes
    big = bounds.dtype.type(1e30)
    for k in range(len(items)):
        new = moved[items[k, 0]]
        for c in range(1, items.shape[1]):
            new = new | moved[items[k, c]]
        fresh[k] = new
        for axis in range(3):
            least, most = low[items[k, 0], axis], high[items[k, 0], axis]
            for c in range(1, items.shape[1]):
                least, most = min(least, low[items[k, c], axis]), max(most, high[items[k, c], axis])
            bounds[k, axis], bounds[k, axis + 3] = least, most
            at = axis * LANES + k % LANES
            blocks[k // LANES, at], blocks[k // LANES, at + 3 * LANES] = least, most
    for leaf in range(leaves):
        node, first, last = leaves - 1 + leaf, leaf * LEAF, min(len(items), leaf * LEAF + LEAF)
        new = False
        for k in range(first, last):
            new = new | fresh[k]
        fresh_nodes[node] = new
        for axis in range(3):
            least, most = big, -big
            for k in range(first, last):
                least, most = min(least, bounds[k, axis]), max(most, bounds[k, axis + 3])
            nodes[node, axis], nodes[node, axis + 3] = least, most
    for node in range(leaves - 2, -1, -1):
        fresh_nodes[node] = fresh_nodes[2 * node + 1] | fresh_nodes[2 * node + 2]
        for axis in range(3):
            nodes[node, axis] = min(nodes[2 * node + 1, axis], nodes[2 * node + 2, axis])
            nodes[node, axis + 3] = max(nodes[2 * node + 1, axis + 3], nodes[2 * node + 2, axis + 3])


@inline
def apart(boxes, k, low, high):
    """Return whether box k is clear of the box from low to high."""
    return (
        boxes[k, 0] > high[0]
        or boxes[k, 1] > high[1]
        or boxes[k, 2] > high[2]
        or boxes[k, 3] < low[0]
        or boxes[k, 4] < low[1]
        or boxes[k, 5] < low[2]
    )
