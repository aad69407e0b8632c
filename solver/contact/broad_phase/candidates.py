"""The candidate pairs themselves: points and triangles first, then edges; pairs of elements that moved are replaced."""

from __future__ import annotations

import numpy as np

from ...device.inner import inner, loop

# Columns of a pair's values: distance key, approach a substep, thickness, motion from which on it is looked at again.
KEY, RATE, THICK, AWAKE, VALUES = 0, 1, 2, 3, 4

#: Room for so many pairs more than there are, at most.
SPARE = 1 << 20


class Found:
    """Pairs of one kind: corners (k, 4) and ids (k, 2) int32, values (k, VALUES)."""

    def __init__(self, corners: np.ndarray, ids: np.ndarray, values: np.ndarray) -> None:
        self.corners, self.ids, self.values = corners, ids, values

    def __len__(self) -> int:
        return len(self.ids)


class Pairs(Found):
    """All pairs of a world; the first `split` of them are points and triangles, the others edges.

    Two sets of arrays take turns: pairs that stay go from one to the other, so that no new memory is needed.
    """

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self._spare = self._room(0)
        self._show(self._room(0), 0, 0)

    def clear(self) -> None:
        self._show(self._arrays, 0, 0)

    def put(self, corners: np.ndarray, ids: np.ndarray, values: np.ndarray, split: int) -> None:
        """Takes over pairs made elsewhere."""
        self._show((corners.astype(np.int32), ids.astype(np.int32), values.astype(self.dtype)), len(ids), split)

    def replace(self, moved: np.ndarray, vertex: list[Found], edge: list[Found]) -> None:
        """Drops the pairs of particles that moved, (count,) bool, and adds others."""
        count = _count_kept(moved, self.corners) + sum(len(part) for part in (*vertex, *edge)) + 1
        if len(self._spare[1]) < count:
            self._spare = self._room(count + min(count // 4, SPARE))
        count, splits = 0, []
        for first, last, parts in ((0, self.split, vertex), (self.split, len(self), edge)):
            count = _keep(first, last, moved, self.corners, self.ids, self.values, count, *self._spare)
            for part in parts:
                rows = slice(count, count + len(part))
                for array, new in zip(self._spare, (part.corners, part.ids, part.values), strict=True):
                    array[rows] = new
                count = rows.stop
            splits.append(count)
        self._spare, arrays = self._arrays, self._spare
        self._show(arrays, count, splits[0])

    def _room(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.empty((count, 4), np.int32), np.empty((count, 2), np.int32), np.empty((count, VALUES), self.dtype)

    def _show(self, arrays: tuple[np.ndarray, np.ndarray, np.ndarray], count: int, split: int) -> None:
        self._arrays, self.split = arrays, split
        self.corners, self.ids, self.values = (array[:count] for array in arrays)


@inner
def _stays(moved, corners, p):
    """Has no corner of pair p moved?"""
    return not (moved[corners[p, 0]] | moved[corners[p, 1]] | moved[corners[p, 2]] | moved[corners[p, 3]])


@loop
def _count_kept(moved, corners):
    """Pairs of which no corner moved."""
    count = 0
    for p in range(len(corners)):
        count += _stays(moved, corners, p)
    return count


@loop
def _keep(first, last, moved, corners, ids, values, count, new_corners, new_ids, new_values):
    """Copies the pairs first..last of which no corner moved to row `count` and on; returns the next free row."""
    for p in range(first, last):
        for c in range(4):
            new_corners[count, c] = corners[p, c]
            new_values[count, c] = values[p, c]
        new_ids[count, 0], new_ids[count, 1] = ids[p, 0], ids[p, 1]
        count += _stays(moved, corners, p)
    return count
