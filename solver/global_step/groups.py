"""Groups of a system: bodies that contacts join. What is asked of each of them, such as whether a step has ended or may be
taken whole, is answered for all of them at once, as arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..device.threads import MANY, each
from ..linalg.segments import segments_of

Array = np.ndarray

#: Against division by zero.
TINY = 1e-30


class Groups:
    """Of bodies whose rows stand one after the other. label: group of each body, from 0 to count - 1, (bodies,); of_row: of
    each row, (n,)."""

    def __init__(self, sizes: Array):
        """sizes: rows of each body. At first each body is a group of its own."""
        self.sizes = sizes
        self._first = np.cumsum(sizes) - sizes
        self._segments = segments_of(sizes)
        self._given: Array | None = None
        self.join(np.arange(len(sizes)))

    def join(self, label: Array) -> None:
        """Makes groups of the bodies with the same label; groups are numbered by their first bodies."""
        if self._given is not None and np.array_equal(label, self._given):
            return
        self._given = label
        _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(first), np.int64)
        rank[order] = np.arange(len(first))
        self.label, self.count = rank[inverse], len(first)
        self.of_row = np.repeat(self.label, self.sizes)
        starts, body, pieces = self._segments
        #: As `deflated_conjugate_gradients` wants them.
        self.segments = starts, self.label[body], pieces

    def sums_of_segments(self, task: Callable[[int, int, Array], None]) -> Array:
        """Sums of each group, (groups,), of what task(first, last, sums) writes for the segments first to last; some at
        once where there are many rows."""
        starts, group, _ = self.segments
        sums, rows = np.zeros(len(group)), int(starts[-1])
        parts = max(1, rows // MANY)
        each(parts, rows, lambda k: task(len(group) * k // parts, len(group) * (k + 1) // parts, sums))
        return np.bincount(group, sums, self.count)

    def sums_of_bodies(self, numbers: Array) -> Array:
        """Sums over the rows of each body. numbers: (n,) or (n, k)."""
        return np.add.reduceat(numbers, self._first, axis=0)

    def sums(self, of_bodies: Array) -> Array:
        """Sums over the bodies of each group. of_bodies: (bodies,) or (bodies, k)."""
        if self.count == len(self.label):  # in the order of the bodies
            return of_bodies.astype(float)
        total = np.zeros((self.count, *of_bodies.shape[1:]))
        np.add.at(total, self.label, of_bodies)
        return total

    def sums_of_rows(self, numbers: Array) -> Array:
        """Sums over the rows of each group. numbers: (n,) or (n, k)."""
        return self.sums(self.sums_of_bodies(numbers))

    def means_of_rows(self, weights: Array, vectors: Array) -> Array:
        """Means over the rows of each group, (groups, k). weights: (n,); of a group without any the mean is zero. vectors:
        (n, k)."""
        total = self.sums_of_rows(weights[:, None] * vectors)
        return total / np.maximum(self.sums_of_rows(weights), TINY)[:, None]

    def largest(self, of_bodies: Array) -> Array:
        """The largest number of the bodies of each group, (groups,)."""
        if self.count == len(self.label):
            return of_bodies.astype(float)
        most = np.full(self.count, -np.inf)
        np.maximum.at(most, self.label, of_bodies)
        return most

    def any_of_bodies(self, rows: Array) -> Array:
        """Whether any row of each body is true, (bodies,). rows: (n,) bool."""
        return np.logical_or.reduceat(rows, self._first)

    def any_of_rows(self, rows: Array) -> Array:
        """Whether any row of each group is true, (groups,). rows: (n,) bool."""
        return self.largest(self.any_of_bodies(rows).astype(float)) > 0

    def at_rows(self, of_groups: Array) -> Array:
        """What each row's group has, (n,) or (n, k)."""
        return of_groups[self.of_row]
