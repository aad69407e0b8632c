"""The candidate pairs: points and triangles first, then edges and edges; pairs of elements that moved are replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.layout import layout
from ...device.uncounted import inline, uncounted_kernel

#: Values of a pair. bound, rate: bound - k rate - (drifts of both elements) is a lower bound of its distance after k
#: substeps [m]. thickness: distance that it keeps [m]. recheck: motion [m] of its elements against each other, since the
#: list was made, from which it is measured again.
CANDIDATE = layout(bound=1, rate=1, thickness=1, recheck=1)
#: [m] Stands for the distance of a pair that is excluded from contact; larger than any scene in single precision.
EXCLUDED = f32(1e6)

#: Rows that new arrays have more than are needed, at most.
MOST_SPARE_ROWS = 1 << 20


class PairRows(NamedTuple):
    """Pairs of one kind, or room for them. corners: particles (k, 4) int32. ids: elements (k, 2) int32. values: see
    `CANDIDATE`, (k, CANDIDATE.width)."""

    corners: np.ndarray
    ids: np.ndarray
    values: np.ndarray


class CandidatePairs(NamedTuple):
    """All pairs. split: so many are a point and a triangle, ids of particle and triangle; the others are two edges.

    corners: particles (k, 4) int32. ids: (k, 2) int32. values: see `CANDIDATE`, (k, CANDIDATE.width).
    """

    split: int
    corners: np.ndarray
    ids: np.ndarray
    values: np.ndarray


class CandidateTable:
    """Owns the pairs. Two sets of arrays take turns: pairs that stay go from one to the other, with no new memory."""

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self._arrays, self._other = (self._room(0) for _ in range(2))
        self.pairs = CandidatePairs(0, *self._arrays)

    def __len__(self) -> int:
        return len(self.pairs.ids)

    def clear(self) -> None:
        self._show(0, 0)

    def put(self, corners: np.ndarray, ids: np.ndarray, values: np.ndarray, split: int) -> None:
        """Take over pairs made elsewhere."""
        self._arrays = PairRows(corners.astype(np.int32), ids.astype(np.int32), values.astype(self.dtype))
        self._show(len(ids), split)

    def count_kept(self, moved: np.ndarray) -> int:
        """Return the number of pairs that `replace` keeps."""
        return int(_count_kept(moved, self.pairs.corners))

    def replace(self, moved: np.ndarray, vertex: Sequence[PairRows], edge: Sequence[PairRows]) -> None:
        """Drop the pairs of particles that moved, (count,) bool, and add others."""
        now = self.pairs
        count = len(now.ids) + sum(len(part.ids) for part in (*vertex, *edge)) + 1
        if len(self._other.ids) < count:
            self._other = self._room(count + min(count // 4, MOST_SPARE_ROWS))
        kept_rows, count, splits = PairRows(*now[1:]), 0, []
        for first, last, parts in ((0, now.split, vertex), (now.split, len(now.ids), edge)):
            count = _keep(first, last, moved, kept_rows, count, self._other)
            for part in parts:
                rows = slice(count, count + len(part.ids))
                for array, new in zip(self._other, part, strict=True):
                    array[rows] = new
                count = rows.stop
            splits.append(count)
        self._arrays, self._other = self._other, self._arrays
        self._show(count, splits[0])

    def _room(self, count: int) -> PairRows:
        corners, ids = np.empty((count, 4), np.int32), np.empty((count, 2), np.int32)
        return PairRows(corners, ids, np.empty((count, CANDIDATE.width), self.dtype))

    def _show(self, count: int, split: int) -> None:
        self.pairs = CandidatePairs(split, *(array[:count] for array in self._arrays))


@inline
def _stays(moved, corners, p):
    """Return whether no corner of pair p has moved."""
    return not (moved[corners[p, 0]] | moved[corners[p, 1]] | moved[corners[p, 2]] | moved[corners[p, 3]])


@uncounted_kernel
def _count_kept(moved, corners):
    """Pairs of which no corner moved."""
    count = 0
    for p in range(len(corners)):
        count += _stays(moved, corners, p)
    return count


@uncounted_kernel
def _keep(first, last, moved, old, count, new):
    """Copy the pairs first..last of which no corner moved to row `count` and on; return the next free row."""
    for p in range(first, last):
        for c in range(4):
            new.corners[count, c] = old.corners[p, c]
        for c in range(CANDIDATE.width):
            new.values[count, c] = old.values[p, c]
        new.ids[count, 0], new.ids[count, 1] = old.ids[p, 0], old.ids[p, 1]
        count += _stays(moved, old.corners, p)
    return count
