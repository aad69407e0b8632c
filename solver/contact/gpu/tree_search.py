"""Candidate pairs on a device: elements whose boxes meet between two times.

A tree of boxes is refitted level by level, and each element traverses it without a stack: in a complete tree the next node
follows from the number of the current one. The same kernel counts the pairs and, after a prefix sum of the counts, writes
them.
Source: Lauterbach et al. 2009, "Fast BVH construction on GPUs", for trees in Morton order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice
from ...device.cuda.primitives import Tree
from ...device.uncounted import inline
from ..broad_phase.meshlet_tree import stay_apart
from ..surfaces.surfaces import SurfaceTable
from .surface_arrays import BITS, EDGE, Elements, SurfaceArrays, kind_of

BIG = f32(1e30)
LAST = (1 << BITS) - 1


class Boxes(NamedTuple):
    """elements; x0: particles at the first time, x1, other: two places at the second [m], (count, 4). thickness: (count,)
    [m], of which boxes are grown by a share."""

    elements: Elements
    x0: Array
    x1: Array
    other: Array
    thickness: Array
    share: np.float32


class Level(NamedTuple):
    """boxes: (nodes, 12) [m]. children, first: where a level begins, and the one below it."""

    boxes: Array
    children: np.int32
    first: np.int32


class Search(NamedTuple):
    """Arguments of the search. elements, surfaces. first: row of each element's pairs, (e + 1,); room: capacity in rows.
    counts: pairs of each element, (e + 1,); partners, owners: of each pair the element found and the searching element,
    (room,).
    """

    elements: Elements
    surfaces: SurfaceTable
    first: Array
    room: np.int32
    counts: Array
    partners: Array
    owners: Array


class Needed(NamedTuple):
    """first: (e + 1,). most: (1,), the largest number of rows that were needed so far."""

    first: Array
    most: Array


@body
def fit(i, args):
    """The box of an element at both times; of a place without an element one that meets nothing."""
    e = args.elements
    for k in range(3):
        low, high, end_low, end_high = BIG, -BIG, BIG, -BIG
        for c in range(3):
            p = e.corners[i, c]
            if p >= 0:
                grown = args.share * args.thickness[p]
                low, high = min(low, args.x0[p, k] - grown), max(high, args.x0[p, k] + grown)
                end_low = min(end_low, min(args.x1[p, k], args.other[p, k]) - grown)
                end_high = max(end_high, max(args.x1[p, k], args.other[p, k]) + grown)
        e.boxes[i, k] = low
        e.boxes[i, k + 3] = high
        e.boxes[i, k + 6] = end_low
        e.boxes[i, k + 9] = end_high


@body
def fit_level(i, args):
    """The box of a node, from its children's."""
    b, node, child = args.boxes, args.first + i, args.children + (i << BITS)
    for k in range(3):
        low, high, end_low, end_high = BIG, -BIG, BIG, -BIG
        for c in range(LAST + 1):
            low, high = min(low, b[child + c, k]), max(high, b[child + c, k + 3])
            end_low, end_high = min(end_low, b[child + c, k + 6]), max(end_high, b[child + c, k + 9])
        b[node, k] = low
        b[node, k + 3] = high
        b[node, k + 6] = end_low
        b[node, k + 9] = end_high


@body
def search(i, args):
    """Count the partners of an element, and write as many as it has rows for. Boxes are compared and nothing computed, so
    both launches find the same."""
    e, pairs = args.elements, 0
    a = e.corners[i, 0]
    if a >= 0 and a < args.surfaces.n:
        row = args.first[i]
        stop_row = min(args.first[i + 1], args.room)
        b = e.boxes
        box = (
            b[i, 0], b[i, 1], b[i, 2], b[i, 3], b[i, 4], b[i, 5],
            b[i, 6], b[i, 7], b[i, 8], b[i, 9], b[i, 10], b[i, 11],
        )  # fmt: skip
        kind = kind_of(e, i)
        partner = EDGE if kind == EDGE else 1 - kind
        top = e.levels.shape[0] - 1
        level, k, stop = top, e.tops[partner, 0], e.tops[partner, 1]
        while level < top or k < stop:
            down = False
            if not stay_apart(b, e.levels[level] + k, box):
                if level > 0:
                    down = True
                elif may_touch(e.corners, args.surfaces, i, k):
                    if row + pairs < stop_row:
                        args.partners[row + pairs] = k
                        args.owners[row + pairs] = i
                    pairs += 1
            level, k = next_node(level, k, top, down)
    args.counts[i] = pairs


@inline
def next_node(level, k, top, down):
    """Return the next node of a traversal after node k of a level: its first child, or else its successor. top: the highest
    level."""
    if down:
        level -= 1
        k <<= BITS
    else:
        k += 1
        while level < top and (k & LAST) == 0:
            k >>= BITS
            level += 1
    return level, k


@inline
def may_touch(corners, surfaces, i, k):
    """Do two elements share no particle, and their objects touch?"""
    for c in range(3):
        p = corners[i, c]
        if p >= 0 and (p == corners[k, 0] or p == corners[k, 1] or p == corners[k, 2]):
            return False
    return surfaces.rules[surfaces.owner[corners[i, 0]], surfaces.owner[corners[k, 0]]]


@body
def note_needed(i, args):
    """Keep how many rows were needed."""
    args.most[i] = max(args.most[i], args.first[args.first.shape[0] - 1])


def refit(device: SerialDevice, boxes: Boxes, sizes: Sequence[int]) -> None:
    """Launch the refit of the boxes of elements and all nodes. sizes: of the levels."""
    device.launch(fit, sizes[0], boxes)
    first = 0
    for below, size in pairwise(sizes):
        device.launch(fit_level, size, Level(boxes.elements.boxes, np.int32(first), np.int32(first + below)))
        first += below


class Ranges:
    """Rows of each element: counts, (e + 1,), their sums `first`, and how many rows there are at most, `room`; most: see
    `Needed`."""

    def __init__(self, device: SerialDevice, elements: int, room: int) -> None:
        self.device, self.room = device, np.int32(room)
        self.counts, self.first = (device.zeros(elements + 1, np.int32) for _ in range(2))
        self.most = device.zeros(1, np.int32)
        self._tree = Tree(device, elements + 1, np.int32)

    def sum_up(self) -> None:
        """Set `first` from the counts."""
        self._tree.scan(self.counts, self.first)
        self.device.launch(note_needed, 1, Needed(self.first, self.most))


class Candidates:
    """The pairs of the last search. ranges: their rows; partners, owners: see `Search`."""

    def __init__(self, surfaces: SurfaceArrays, room: int) -> None:
        device = self._device = surfaces.device
        self._surfaces, self._none = surfaces, device.zeros(len(surfaces.ids) + 1, np.int32)
        self.ranges = Ranges(device, len(surfaces.ids), room)
        self.partners, self.owners = (device.zeros(room, np.int32) for _ in range(2))

    def find(self, x0: Array, x1: Array, other: Array, share: float) -> None:
        """Pairs whose boxes meet on straight ways from x0 to anything between x1 and `other`, (count, 4) [m].

        share: of the thickness of particles, which they have around them.
        """
        s, device = self._surfaces, self._device
        e, count = s.elements, len(s.ids)
        refit(device, Boxes(e, x0, x1, other, s.thickness, np.float32(share)), s.sizes)
        rows = self.ranges.room, self.ranges.counts, self.partners, self.owners
        device.launch(search, count, Search(e, s.table, self._none, *rows))
        self.ranges.sum_up()
        device.launch(search, count, Search(e, s.table, self.ranges.first, *rows))
