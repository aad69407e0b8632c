"""A bounding volume hierarchy of points, edges or triangles: an implicit complete binary tree, ordered once, then refitted.

Node k has the children 2k+1 and 2k+2; the leaves hold `LEAF` elements each, in the order of a Morton curve through the
positions that the tree was made for. No pointers, so a refit is one sweep from the leaves to the root.
Source: Lauterbach et al. 2009, "Fast BVH construction on GPUs", for the Morton order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES
from ...device.uncounted import inline, uncounted_kernel
from .predicted_paths import MovingBoxes

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
    """The arrays of a hierarchy over k places for elements of some corners each: points, edges or triangles.

    items: corners of the elements in the order of the tree, (k, corners) int32. order: number of each, -1 where a place is
    empty, (k,) int32. bounds: their boxes [m], (k, 12) as low xyz, high xyz, then the same at the second time, see
    `MovingBoxes`. blocks: the same of 16 elements each, coordinate by coordinate, (tops, 12 * 16); they are the elements of
    the node tops - 1 + k. nodes: (2 leaves - 1, 12) [m]. last: last element of each node and one more. fresh: (k,) bool,
    elements whose pairs are being searched for; fresh_nodes: nodes that hold one. spans: first and last column, then row, of
    the cells that a node's elements begin in, (nodes, 4) int32; none where the tree knows no cells.
    """

    leaves: int
    tops: int
    items: np.ndarray
    order: np.ndarray
    bounds: np.ndarray
    blocks: np.ndarray
    nodes: np.ndarray
    last: np.ndarray
    fresh: np.ndarray
    fresh_nodes: np.ndarray
    spans: np.ndarray


class Tree:
    """A hierarchy that is refitted to boxes. table: its arrays, for kernels. lanes: corners of 16 elements each as in
    `blocks`, corner by corner, -1 where there are none, (tops, corners * 16) int32."""

    def __init__(self, elements: Array, owner: Array, positions: Array, dtype: np.dtype, cells: Array | None = None) -> None:
        """elements: (k, corners) rows of the particles; owner: object of each particle; positions: to sort them by [m].
        cells: column and row of the cell that each begins in, (k, 2); then no 16 elements are of several. None for none."""
        centres = positions[elements].mean(1) if len(elements) else np.zeros((0, 3))
        along = morton_order(np.asarray(centres, np.float64))
        # Objects stay together, so that their subtrees do not overlap more than they do.
        order = along[np.argsort(owner[elements[along, 0]], kind="stable")].astype(np.int32)
        self._count = len(order)
        if cells is not None and len(order):
            order = _cell_by_cell(order, owner[elements[:, 0]], cells)
        leaves = 1
        while leaves * LEAF < len(order):
            leaves *= 2
        tops, nodes = max(1, leaves * LEAF // LANES), 2 * leaves - 1
        last = np.full(nodes, leaves * LEAF, np.int32)
        last[leaves - 1 :] = np.arange(1, leaves + 1) * LEAF
        for node in range(leaves - 2, -1, -1):
            last[node] = last[2 * node + 2]
        self.table = TreeTable(
            leaves, tops, np.ascontiguousarray(elements[order], np.int32), order, _no_boxes(len(order), dtype),
            np.repeat(_no_boxes(tops, dtype), LANES, axis=1), np.empty((nodes, 12), dtype), last, np.zeros(len(order), bool),
            np.zeros(nodes, bool), _node_spans(order, cells, leaves),
        )  # fmt: skip

        filled = np.full((tops * LANES, elements.shape[1]), -1, np.int32)
        filled[: len(order)] = self.table.items
        self.lanes = np.ascontiguousarray(filled.reshape(tops, LANES, -1).transpose(0, 2, 1)).reshape(tops, -1)

    def fit(self, low: np.ndarray, high: np.ndarray, moved: np.ndarray, partly: bool = False) -> None:
        """New boxes that stand still, see `refit`."""
        self.fit_moving(MovingBoxes(low, high, low, high), moved, partly)

    def fit_moving(self, boxes: MovingBoxes, moved: np.ndarray, partly: bool = False) -> None:
        """New boxes, see `refit`."""
        refit(boxes, moved, partly, self.table)

    @property
    def any_fresh(self) -> bool:
        """Return whether the last `fit` was for a particle of some element that moved."""
        return len(self) > 0 and bool(self.table.fresh_nodes[0])

    @property
    def all_fresh(self) -> bool:
        """Return whether it was for a particle of each."""
        return np.count_nonzero(self.table.fresh) == self._count

    def __len__(self) -> int:
        return len(self.table.order)


def _cell_by_cell(order: Array, owner: Array, cells: Array) -> Array:
    """Places of elements such that no 16 are of several cells, -1 for empty ones. order: of the elements; cells follow that
    of their first ones. owner: of each element, (k,)."""
    _, first, cell = np.unique(np.c_[owner, cells][order], axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    cell = rank[cell.ravel()]
    taken = np.argsort(cell, kind="stable")
    counts = np.bincount(cell)
    begin = np.cumsum(-(-counts // LANES) * LANES)
    places = np.full(begin[-1], -1, np.int32)
    begin = np.concatenate([[0], begin[:-1]])
    number = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    places[np.repeat(begin, counts) + number] = order[taken]
    return places


def _no_boxes(count: int, dtype: np.dtype) -> Array:
    """Boxes that meet nothing, (count, 12)."""
    return np.tile(np.array(2 * [1e30, 1e30, 1e30, -1e30, -1e30, -1e30], dtype), (count, 1))


def _node_spans(order: Array, cells: Array | None, leaves: int) -> Array:
    """See `TreeTable`."""
    if cells is None or not len(order):
        return np.zeros((0, 4), np.int32)
    spans = np.empty((2 * leaves - 1, 4), np.int32)
    spans[:, 0::2], spans[:, 1::2] = np.iinfo(np.int32).max, -1
    leaf, known = leaves - 1 + np.arange(len(order)) // LEAF, order >= 0
    for side, extreme in ((0, np.minimum), (1, np.maximum)):
        extreme.at(spans[:, side::2], leaf[known], cells[order[known]])
        for node in range(leaves - 2, -1, -1):
            spans[node, side::2] = extreme(spans[2 * node + 1, side::2], spans[2 * node + 2, side::2])
    return spans


@inline
def _fit_element(low, high, items, k, column, bounds, blocks):
    """The box of element k at one time. column: where it begins in `bounds`. Written: bounds, blocks."""
    for axis in range(3):
        least, most = low[items[k, 0], axis], high[items[k, 0], axis]
        for c in range(1, items.shape[1]):
            least, most = min(least, low[items[k, c], axis]), max(most, high[items[k, c], axis])
        bounds[k, column + axis], bounds[k, column + axis + 3] = least, most
        at = (column + axis) * LANES + k % LANES
        blocks[k // LANES, at], blocks[k // LANES, at + 3 * LANES] = least, most


@inline
def _fit_leaf(first, last, column, big, node, bounds, nodes):
    """The box of a leaf's elements first..last at one time. Written: nodes."""
    for axis in range(column, column + 3):
        least, most = big, -big
        for k in range(first, last):
            least, most = min(least, bounds[k, axis]), max(most, bounds[k, axis + 3])
        nodes[node, axis], nodes[node, axis + 3] = least, most


@inline
def _fit_node(node, column, nodes):
    """The box of a node at one time, from its children's. Written: nodes."""
    for axis in range(column, column + 3):
        nodes[node, axis] = min(nodes[2 * node + 1, axis], nodes[2 * node + 2, axis])
        nodes[node, axis + 3] = max(nodes[2 * node + 1, axis + 3], nodes[2 * node + 2, axis + 3])


@uncounted_kernel
def refit(boxes, moved, partly, tree):
    """Boxes of elements and of all nodes at both times, from those of the particles.

    boxes: `MovingBoxes`. moved: (count,) bool; an element of one that moved is fresh. partly: only fresh elements have new
    boxes. Written: bounds, blocks, nodes, fresh and fresh_nodes of the tree.
    """
    low, high, end_low, end_high = boxes
    leaves, items, order, bounds, blocks, nodes = tree.leaves, tree.items, tree.order, tree.bounds, tree.blocks, tree.nodes
    fresh, fresh_nodes = tree.fresh, tree.fresh_nodes
    big = bounds.dtype.type(1e30)
    for k in range(len(items)):
        if order[k] < 0:
            continue
        new = moved[items[k, 0]]
        for c in range(1, items.shape[1]):
            new = new | moved[items[k, c]]
        fresh[k] = new
        if partly and not new:
            continue
        _fit_element(low, high, items, k, 0, bounds, blocks)
        _fit_element(end_low, end_high, items, k, 6, bounds, blocks)
    for leaf in range(leaves):
        node, first, last = leaves - 1 + leaf, leaf * LEAF, min(len(items), leaf * LEAF + LEAF)
        new = False
        for k in range(first, last):
            new = new | fresh[k]
        fresh_nodes[node] = new
        if partly and not new:
            continue
        _fit_leaf(first, last, 0, big, node, bounds, nodes)
        _fit_leaf(first, last, 6, big, node, bounds, nodes)
    for node in range(leaves - 2, -1, -1):
        new = fresh_nodes[2 * node + 1] | fresh_nodes[2 * node + 2]
        fresh_nodes[node] = new
        if partly and not new:
            continue
        _fit_node(node, 0, nodes)
        _fit_node(node, 6, nodes)


@inline
def apart(boxes, k, low, high):
    """Return whether box k, at the first time, is clear of the box from low to high."""
    return (
        boxes[k, 0] > high[0]
        or boxes[k, 1] > high[1]
        or boxes[k, 2] > high[2]
        or boxes[k, 3] < low[0]
        or boxes[k, 4] < low[1]
        or boxes[k, 5] < low[2]
    )


@inline
def stay_apart(boxes, k, box):
    """Return whether box k is clear of another one at both times and between, along one axis. box: as a row of `bounds`, a
    tuple of 12.

    Where one face is behind another at both times, it is so between: both move straight.
    """
    return (
        (boxes[k, 0] > box[3] and boxes[k, 6] > box[9])
        or (boxes[k, 1] > box[4] and boxes[k, 7] > box[10])
        or (boxes[k, 2] > box[5] and boxes[k, 8] > box[11])
        or (boxes[k, 3] < box[0] and boxes[k, 9] < box[6])
        or (boxes[k, 4] < box[1] and boxes[k, 10] < box[7])
        or (boxes[k, 5] < box[2] and boxes[k, 11] < box[8])
    )
