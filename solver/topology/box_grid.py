"""A uniform grid of axis-aligned boxes, to find those that can touch a point or another box."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

#: More cells than this along one axis would cost memory and win nothing.
MOST_CELLS = 512


def ranges(counts: Array) -> tuple[Array, Array]:
    """Return for counts (n,) the row of each of the sum(counts) items, and its place 0.. within the row."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


class BoxGrid:
    """Boxes sorted into cubic cells; a box is listed in each cell that it overlaps.

    low, high: corners of the boxes [m], (n, 3).
    """

    def __init__(self, low: Array, high: Array):
        self.low, self.high = np.asarray(low, np.float64), np.asarray(high, np.float64)
        self.origin = self.low.min(0)
        extent = self.high.max(0) - self.origin
        sides = (self.high - self.low).max(1)
        # Cells of about the size of a box: larger ones hold too many boxes, smaller ones list each box too often.
        cell = max(float(np.mean(sides)), float(extent.max()) / MOST_CELLS)
        self.cell = cell if cell > 0 else 1.0
        self.shape = np.floor(extent / self.cell).astype(np.int64) + 1
        first, last = self._cells(self.low), self._cells(self.high)
        box, flat = self._expand(first, last)
        order = np.argsort(flat, kind="stable")
        self.items = box[order]
        counts = np.bincount(flat, minlength=int(np.prod(self.shape)))
        self.start = np.concatenate([[0], np.cumsum(counts)])

    def _cells(self, points: Array) -> Array:
        """Cell coordinates (n, 3) of points [m], (n, 3); points outside get the nearest cell."""
        return np.clip(np.floor((points - self.origin) / self.cell).astype(np.int64), 0, self.shape - 1)

    def _expand(self, first: Array, last: Array) -> tuple[Array, Array]:
        """Every cell from first to last (n, 3): the row it came from and its flat index, both (total,)."""
        size = last - first + 1
        row, k = ranges(size.prod(1))
        size, first = size[row], first[row]
        z = k % size[:, 2]
        y = (k // size[:, 2]) % size[:, 1]
        x = k // (size[:, 2] * size[:, 1])
        cell = first + np.stack([x, y, z], axis=1)
        return row, (cell[:, 0] * self.shape[1] + cell[:, 1]) * self.shape[2] + cell[:, 2]

    def near(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Return pairs (query, box), both (p,), whose boxes overlap; each pair once, in ascending order.

        low, high: corners of the query boxes [m], (m, 3); the same array twice for points.
        """
        query, flat = self._expand(self._cells(low), self._cells(high))
        row, k = ranges(self.start[flat + 1] - self.start[flat])
        box = self.items[self.start[flat[row]] + k]
        query = query[row]
        overlap = ((low[query] <= self.high[box]) & (high[query] >= self.low[box])).all(1)
        keys = np.sort(query[overlap] * len(self.low) + box[overlap])
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys
        return keys // len(self.low), keys % len(self.low)
