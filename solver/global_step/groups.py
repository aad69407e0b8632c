"""Groups of a system: bodies that contacts join. Properties of each of them, such as whether a step has ended or may be
taken whole, are evaluated for all of them at once, as arrays."""

from __future__ import annotations

import numpy as np

from ..device.compiled_function import Others, RowKernel
from ..device.row_kernels import uncounted_row_kernel
from ..device.threads import run_ranges
from ..linalg.segments import segments_of

Array = np.ndarray

#: Against division by zero.
TINY = 1e-30
#: Rows of vectors that take as long as one of a matrix.
LIGHT = 4


class Groups:
    """Groups of bodies whose rows stand one after the other. label: group of each body, from 0 to count - 1, (bodies,);
    of_row: of each row, (n,). body_of_row, body_of_segment: the body of each."""

    def __init__(self, sizes: Array):
        """sizes: rows of each body. At first each body is a group of its own."""
        self.sizes = sizes
        self._first = np.cumsum(sizes) - sizes
        self._segments = _, body, pieces = segments_of(sizes)
        self._first_segment = np.flatnonzero(np.diff(body, prepend=-1))
        self.body_of_row, self.body_of_segment = np.repeat(np.arange(len(sizes)), sizes), body
        self._pieces = np.array([0, len(pieces) - 1]), np.stack([pieces[:-1], pieces[1:]], 1)
        self._given: Array | None = None
        self.join(np.arange(len(sizes)))

    def join(self, label: Array) -> None:
        """Make groups of the bodies with the same label; groups are numbered by their first bodies."""
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

    def added_up(self, kernel: RowKernel[Array, *Others, Array], width: int, *arguments: *Others) -> Array:
        """Sums of each body, (bodies, width), of what kernel(first, last, starts, *arguments, sums) writes for the segments
        first to last, (segments, width), of rows from starts[k] to starts[k + 1]."""
        starts = self.segments[0]
        sums = np.zeros((len(starts) - 1, width))
        run_ranges(kernel, int(starts[-1]) // LIGHT, *self._pieces, starts, *arguments, sums)
        return np.add.reduceat(sums, self._first_segment, axis=0)

    def dots_of_bodies(self, a: Array, b: Array) -> Array:
        """Sum over the rows of each body of the products of vectors, (bodies,). a, b: (n, 3)."""
        return self.added_up(dot_segments, 1, a, b)[:, 0]

    def sums_of_bodies(self, numbers: Array) -> Array:
        """Sum over the rows of each body. numbers: (n,) or (n, k)."""
        return np.add.reduceat(numbers, self._first, axis=0)

    def sums(self, of_bodies: Array) -> Array:
        """Sum over the bodies of each group. of_bodies: (bodies,) or (bodies, k)."""
        if self.count == len(self.label):  # in the order of the bodies
            return of_bodies.astype(float)
        total = np.zeros((self.count, *of_bodies.shape[1:]))
        np.add.at(total, self.label, of_bodies)
        return total

    def sums_of_rows(self, numbers: Array) -> Array:
        """Sum over the rows of each group. numbers: (n,) or (n, k)."""
        return self.sums(self.sums_of_bodies(numbers))

    def means_of_rows(self, weights: Array, vectors: Array) -> Array:
        """Means over the rows of each group, (groups, k). weights: (n,); of a group without any the mean is zero. vectors:
        (n, k)."""
        return _means(self.sums(self.added_up(weigh_segments, 5, weights, vectors)))

    def means_of_bodies(self, weights: Array, vectors: Array) -> Array:
        """Means over the rows of each body, (bodies, 3). weights: (n,). vectors: (n, 3)."""
        return _means(self.added_up(weigh_segments, 5, weights, vectors))

    def spread(self, weights: Array, vectors: Array) -> Array:
        """Sum over the rows of each group of the weighted squares of what vectors are apart from their mean, (groups,).
        weights: (n,). vectors: (n, 3) double."""
        total = self.sums(self.added_up(weigh_segments, 5, weights, vectors))
        of_mean = (total[:, :3] ** 2).sum(1) / np.maximum(total[:, 3], TINY)
        return np.maximum(total[:, 4] - of_mean, 0.0)

    def largest(self, of_bodies: Array) -> Array:
        """The largest number of the bodies of each group, (groups,)."""
        if self.count == len(self.label):
            return of_bodies.astype(float)
        most = np.full(self.count, -np.inf)
        np.maximum.at(most, self.label, of_bodies)
        return most

    def any_of_bodies(self, rows: Array) -> Array:
        """Return whether any row of each body is true, (bodies,). rows: (n,) bool."""
        return np.logical_or.reduceat(rows, self._first)

    def any_of_rows(self, rows: Array) -> Array:
        """Return whether any row of each group is true, (groups,). rows: (n,) bool."""
        return self.largest(self.any_of_bodies(rows).astype(float)) > 0

    def at_rows(self, of_groups: Array) -> Array:
        """Return the value of each row's group, (n,) or (n, k)."""
        return of_groups[self.of_row]


def _means(weighed: Array) -> Array:
    """Means, (k, 3), of sums by `weigh_segments`; zero without weight."""
    return weighed[:, :3] / np.maximum(weighed[:, 3:4], TINY)


@uncounted_row_kernel
def weigh_segments(first, last, starts, weights, vectors, sums):
    """Sums of the weighted vectors of the segments first to last, of the weights, and of the weighted squares."""
    for k in range(first, last):
        x = 0.0
        y = 0.0
        z = 0.0
        total = 0.0
        square = 0.0
        for v in range(starts[k], starts[k + 1]):
            w = weights[v]
            x += w * vectors[v, 0]
            y += w * vectors[v, 1]
            z += w * vectors[v, 2]
            total += w
            square += w * (vectors[v, 0] ** 2 + vectors[v, 1] ** 2 + vectors[v, 2] ** 2)
        sums[k, 0] = x
        sums[k, 1] = y
        sums[k, 2] = z
        sums[k, 3] = total
        sums[k, 4] = square


@uncounted_row_kernel
def dot_segments(first, last, starts, a, b, sums):
    """Sums of the products of the vectors of the segments first to last."""
    for k in range(first, last):
        total = 0.0
        for v in range(starts[k], starts[k + 1]):
            for i in range(3):
                total += float(a[v, i]) * float(b[v, i])
        sums[k, 0] = total
