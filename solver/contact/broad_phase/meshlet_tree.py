"""Meshlets, parts of a surface of up to 16 points, edges and triangles each, and a bounding volume hierarchy over them.

Node k has the children 2k+1 and 2k+2; each leaf is a meshlet, in the order of a Morton curve. One descent finds the meshlets
near another one, whose elements are compared 16 at a time, of all kinds.
Source: Curtis, Tamstorf, Manocha 2008, "Fast collision detection for deformable models using representative-triangles", for
one hierarchy for all kinds of elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES
from ...device.row_kernels import uncounted_row_kernel
from ...device.threads import run
from ...device.uncounted import inline, subroutine, uncounted_kernel
from .predicted_paths import MovingBoxes
from .tree import morton_order

Array = np.ndarray


class PlaceTable(NamedTuple):
    """Elements of one kind, in the first `filled` of 16 places of each meshlet.

    filled: (meshlets,) int32. corners: of each place, (meshlets * 16, corners) int32; numbers: of the elements, (meshlets *
    16,) int32. boxes: at two times, see `MovingBoxes` [m], (meshlets, 12 * 16): low x of all 16, then low y and z, high
    x, y and z, then the same at the second time. fresh: bits of the elements whose pairs are searched for, (meshlets,)
    int64.
    """

    filled: Array
    corners: Array
    numbers: Array
    boxes: Array
    fresh: Array


class MeshletTable(NamedTuple):
    """points, edges, triangles: places of the elements. owner: object of each meshlet, (meshlets,) int32. leaves: a power of
    2. nodes: boxes at two times in the order of a place's, (2 leaves - 1, 12) [m]. fresh_boxes: around the fresh elements of
    each meshlet, (meshlets, 12). last: last meshlet of each node and one more. fresh_nodes: nodes with a fresh element.
    spans: first and last column, then row, of the cells that a node's elements begin in, (nodes, 4) int32."""

    points: PlaceTable
    edges: PlaceTable
    triangles: PlaceTable
    owner: Array
    leaves: int
    nodes: Array
    fresh_boxes: Array
    last: Array
    fresh_nodes: Array
    spans: Array


class MeshletTree:
    """Meshlets of the surfaces of some objects. table: their arrays, for kernels."""

    def __init__(
        self, elements: Sequence[Array], numbers: Sequence[int], owner: Array, positions: Array, dtype: np.dtype,
        cells: Sequence[Array],
    ) -> None:  # fmt: skip
        """elements: points, edges and triangles, rows of the particles, (k, corners) each. numbers: of the first of each.
        owner: object of each particle. positions: to sort elements by [m]. cells: column and row of the cell that each
        element begins in, (k, 2) for each kind; no meshlet is of several cells or objects."""
        counts = [len(kind) for kind in elements]
        centres = np.concatenate([positions[kind].mean(1).reshape(-1, 3) for kind in elements])
        of_object = np.concatenate([owner[kind[:, 0]] for kind in elements])
        kinds, of_cell = np.repeat(np.arange(3), counts), np.concatenate(cells)
        order = _order_by_cells(np.asarray(centres, np.float64), of_object, of_cell)
        meshlet = np.zeros(len(order), np.int64)
        group = np.c_[of_object, of_cell][order].astype(np.int64)
        meshlets = int(_cut(kinds[order], group, meshlet))
        leaves = 1
        while leaves < meshlets:
            leaves *= 2
        nodes, first = 2 * leaves - 1, np.concatenate([[0], np.cumsum(counts)])
        last = np.full(nodes, leaves, np.int32)
        last[leaves - 1 :] = np.arange(1, leaves + 1)
        for node in range(leaves - 2, -1, -1):
            last[node] = last[2 * node + 2]
        tables: list[PlaceTable] = []
        for kind in range(3):
            mine = kinds[order] == kind
            tables.append(_places(elements[kind], order[mine] - first[kind], meshlet[mine], meshlets, numbers[kind], dtype))
        of_points, of_edges, of_triangles = tables
        of_meshlet = np.zeros(meshlets, np.int32)
        of_meshlet[meshlet] = of_object[order]
        self.table = MeshletTable(
            of_points, of_edges, of_triangles, of_meshlet, leaves, _no_boxes(nodes, dtype), _no_boxes(meshlets, dtype), last,
            np.zeros(nodes, bool), _spans(meshlet, group[:, 1:], leaves),
        )  # fmt: skip

    def __len__(self) -> int:
        """Places of elements of one kind."""
        return LANES * len(self.table.owner)

    @property
    def any_fresh(self) -> bool:
        """Return whether the last `fit` was for a particle of some element that moved."""
        return bool(self.table.fresh_nodes[0])

    @property
    def all_fresh(self) -> bool:
        """Return whether it was for a particle of each element."""
        kinds = self.table.points, self.table.edges, self.table.triangles
        return all(bool((kind.fresh == (1 << kind.filled) - 1).all()) for kind in kinds)

    def fit(self, boxes: MovingBoxes, moved: Array, partly: bool = False) -> None:
        """Fit boxes to those of the particles. moved: (count,) bool; elements of these are fresh. partly: only they have new
        boxes."""
        if len(self):
            run(fit_meshlets, len(self), boxes, moved, partly, self.table)
            fit_nodes(partly, self.table)


def _order_by_cells(centres: Array, owner: Array, cells: Array) -> Array:
    """Order of elements: by object, then cell by cell in the order of their first ones, then along a Morton curve."""
    along = morton_order(centres)
    order = along[np.argsort(owner[along], kind="stable")].astype(np.int64)
    if not len(order):
        return order
    _, first, cell = np.unique(np.c_[owner, cells][order], axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return order[np.argsort(rank[cell.ravel()], kind="stable")]


def _places(elements: Array, order: Array, meshlet: Array, meshlets: int, number: int, dtype: np.dtype) -> PlaceTable:
    """Places of one kind. order: of the elements, with the meshlet of each."""
    filled = np.bincount(meshlet, minlength=meshlets).astype(np.int32)
    place = meshlet * LANES + np.arange(len(meshlet)) - (np.cumsum(filled) - filled)[meshlet]
    corners = np.zeros((meshlets * LANES, elements.shape[1]), np.int32)
    numbers = np.full(meshlets * LANES, -1, np.int32)
    corners[place], numbers[place] = elements[order], order + number
    boxes = np.repeat(_no_boxes(meshlets, dtype), LANES, 1)
    return PlaceTable(filled, corners, numbers, boxes, np.zeros(meshlets, np.int64))


def _no_boxes(count: int, dtype: np.dtype) -> Array:
    """Boxes that meet nothing, (count, 12)."""
    return np.tile(np.array(2 * [1e30, 1e30, 1e30, -1e30, -1e30, -1e30], dtype), (count, 1))


def _spans(meshlet: Array, cells: Array, leaves: int) -> Array:
    """See `MeshletTable`."""
    spans = np.empty((2 * leaves - 1, 4), np.int32)
    spans[:, 0::2], spans[:, 1::2] = np.iinfo(np.int32).max, -1
    for side, extreme in ((0, np.minimum), (1, np.maximum)):
        extreme.at(spans[:, side::2], leaves - 1 + meshlet, cells)
        for node in range(leaves - 2, -1, -1):
            spans[node, side::2] = extreme(spans[2 * node + 1, side::2], spans[2 * node + 2, side::2])
    return spans


@uncounted_kernel
def _cut(kinds, groups, meshlet):
    """Cut a row of elements into meshlets: a new one where there is no more place of a kind, or another group begins.

    kinds: 0 to 2, (k,). groups: (k, 3). Returns the number of meshlets. Written: meshlet (k,).
    """
    number, points, edges, triangles = 0, 0, 0, 0
    for k in range(len(kinds)):
        here = points if kinds[k] == 0 else (edges if kinds[k] == 1 else triangles)
        new = here == LANES
        for c in range(3):
            new = new or (k > 0 and groups[k, c] != groups[k - 1, c])
        if new:
            number += 1
            points = edges = triangles = 0
        points += kinds[k] == 0
        edges += kinds[k] == 1
        triangles += kinds[k] == 2
        meshlet[k] = number
    return number + 1 if len(kinds) else 0


@inline
def _around(boxes, i):
    """The boxes of particle i, as a tuple in the order of `nodes`."""
    low, high, end_low, end_high = boxes
    return (
        low[i, 0], low[i, 1], low[i, 2], high[i, 0], high[i, 1], high[i, 2],
        end_low[i, 0], end_low[i, 1], end_low[i, 2], end_high[i, 0], end_high[i, 1], end_high[i, 2],
    )  # fmt: skip


@inline
def _union(a, b):
    """The boxes around two."""
    return (
        min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2]), max(a[3], b[3]), max(a[4], b[4]), max(a[5], b[5]),
        min(a[6], b[6]), min(a[7], b[7]), min(a[8], b[8]), max(a[9], b[9]), max(a[10], b[10]), max(a[11], b[11]),
    )  # fmt: skip


@inline
def node_box(nodes, node):
    """The boxes of a node, as a tuple."""
    return (
        nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3], nodes[node, 4], nodes[node, 5],
        nodes[node, 6], nodes[node, 7], nodes[node, 8], nodes[node, 9], nodes[node, 10], nodes[node, 11],
    )  # fmt: skip


@inline
def stay_apart(boxes, k, box):
    """Return whether box k is clear of another one at both times and between, along one axis. box: as a row of `nodes`, a
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


@inline
def place_box(boxes, lane):
    """The boxes of one of 16 places, as a tuple."""
    return (
        boxes[lane], boxes[LANES + lane], boxes[2 * LANES + lane],
        boxes[3 * LANES + lane], boxes[4 * LANES + lane], boxes[5 * LANES + lane],
        boxes[6 * LANES + lane], boxes[7 * LANES + lane], boxes[8 * LANES + lane],
        boxes[9 * LANES + lane], boxes[10 * LANES + lane], boxes[11 * LANES + lane],
    )  # fmt: skip


@inline
def _fresh(meshlet, places, moved):
    """Bits of the elements of one kind of a meshlet with a particle that moved."""
    corners, fresh = places.corners, np.int64(0)
    for lane in range(places.filled[meshlet]):
        new = moved[corners[meshlet * LANES + lane, 0]]
        for c in range(1, corners.shape[1]):
            new = new | moved[corners[meshlet * LANES + lane, c]]
        fresh |= np.int64(new) << lane
    return fresh


@subroutine
def _fit_places(meshlet, places, boxes, around, of_fresh):
    """Fit the elements of one kind of a meshlet; return the box around them and another one, and the same of fresh elements.
    Written: boxes of the places."""
    corners, rows, fresh = places.corners, places.boxes[meshlet], places.fresh[meshlet]
    for lane in range(places.filled[meshlet]):
        place = meshlet * LANES + lane
        box = _around(boxes, corners[place, 0])
        for c in range(1, corners.shape[1]):
            box = _union(box, _around(boxes, corners[place, c]))
        for c in range(12):
            rows[c * LANES + lane] = box[c]
        around = _union(around, box)
        if fresh >> lane & 1:
            of_fresh = _union(of_fresh, box)
    return around, of_fresh


@uncounted_row_kernel
def fit_meshlets(begin, finish, boxes, moved, partly, table):
    """Fit the meshlets of places begin..finish, see `MeshletTree.fit`. Written: boxes and fresh of the places, fresh_boxes
    and the leaves."""
    points, edges, triangles, nodes = table.points, table.edges, table.triangles, table.nodes
    big = nodes.dtype.type(1e30)
    for meshlet in range(begin // LANES, (finish + LANES - 1) // LANES):
        a, b, c = _fresh(meshlet, points, moved), _fresh(meshlet, edges, moved), _fresh(meshlet, triangles, moved)
        points.fresh[meshlet], edges.fresh[meshlet], triangles.fresh[meshlet] = a, b, c
        leaf, new = table.leaves - 1 + meshlet, (a | b | c) != 0
        table.fresh_nodes[leaf] = new
        if partly and not new:
            continue
        around = big, big, big, -big, -big, -big, big, big, big, -big, -big, -big
        of_fresh = around
        around, of_fresh = _fit_places(meshlet, points, boxes, around, of_fresh)
        around, of_fresh = _fit_places(meshlet, edges, boxes, around, of_fresh)
        around, of_fresh = _fit_places(meshlet, triangles, boxes, around, of_fresh)
        for k in range(12):
            nodes[leaf, k], table.fresh_boxes[meshlet, k] = around[k], of_fresh[k]


@uncounted_kernel
def fit_nodes(partly, table):
    """Fit the nodes above the meshlets. Written: nodes, fresh_nodes of the table."""
    nodes, fresh = table.nodes, table.fresh_nodes
    for node in range(table.leaves - 2, -1, -1):
        new = fresh[2 * node + 1] | fresh[2 * node + 2]
        fresh[node] = new
        if partly and not new:
            continue
        around = _union(node_box(nodes, 2 * node + 1), node_box(nodes, 2 * node + 2))
        for c in range(12):
            nodes[node, c] = around[c]
