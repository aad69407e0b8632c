"""Coarse space of a linear system: motions in which each aggregate of vertices moves as one, and the exact solution there.

N is the basis, (3 n, 3 aggregates): N y moves each vertex by its shares in the motions y of the aggregates. The coarse
matrix is N^T A N; its blocks are weighted sums of blocks of A, whose places and weights are known beforehand.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..device.simd.blocks import weighted_sum
from ..device.threads import run
from ..device.uncounted import uncounted_kernel
from .aggregates import AggregateBasis
from .banded import factor, solve
from .block_matrix import Pattern
from .second_ring import SecondRingCouplings, add_coarse_second_ring

Array = np.ndarray


class CoarseSpace:
    """arrays: (first, aggregate, share), (begin, vertex, part), (band, coarse, typed): each vertex's aggregates and its
    shares in them, each aggregate's vertices and their shares, and work space. Vertices that are not free have no shares."""

    def __init__(
        self, basis: AggregateBasis, pattern: Pattern, second_ring: SecondRingCouplings, free: Array, dtype: np.dtype
    ):
        """free: (n,) bool."""
        share = np.where(np.repeat(free, np.diff(basis.first)), basis.share, 0.0).astype(dtype)
        self._band = np.zeros((3 * basis.count, 3 * basis.reach + 3))
        order = np.argsort(basis.aggregate, kind="stable")
        vertex = np.repeat(np.arange(pattern.vertices, dtype=np.int32), np.diff(basis.first))
        begin = np.searchsorted(basis.aggregate[order], np.arange(basis.count + 1)).astype(np.int32)
        work = (self._band, np.zeros(3 * basis.count), np.zeros(3 * basis.count, dtype))
        self.arrays = (basis.first, basis.aggregate, share), (begin, vertex[order], share[order]), work
        slots, self._first, self._place, self._weight = _sums(basis, share, pattern)
        self._row, self._column = (x.astype(np.int32) for x in np.divmod(slots, basis.count))
        alike = np.zeros((basis.count, basis.reach + 1))  # in all three directions
        add_coarse_second_ring(basis.first, basis.aggregate, share, second_ring.pairs, second_ring.weights, alike)
        self._second_ring = np.zeros_like(self._band)
        for i in range(3):
            self._second_ring[i::3, ::3] = alike

    def factorise(self, values: Array, second_ring: bool) -> None:
        """Factorises the coarse matrix of a matrix with these blocks; second_ring: and with the second-ring couplings."""
        self._band[:] = 0
        sums = (self._first, self._place, self._weight)
        run(gather, len(self._row), self._row, self._column, *sums, values, self._band)
        if second_ring:
            self._band += self._second_ring
        factor(self._band)


def _sums(basis: AggregateBasis, share: Array, pattern: Pattern) -> tuple[Array, Array, Array, Array]:
    """Pairs of aggregates (a, b), a >= b, as a count + b, ascending; then where their sums begin, of which
    places, with which weights."""
    row = np.repeat(np.arange(pattern.vertices), np.diff(pattern.rows))
    here, there = (np.diff(basis.first)[v] for v in (row, pattern.columns))
    both = here * there
    block = np.repeat(np.arange(len(row)), both)
    number = np.arange(both.sum()) - np.repeat(np.cumsum(both) - both, both)
    a = basis.first[row[block]] + number // there[block]
    b = basis.first[pattern.columns[block]] + number % there[block]
    keep = (basis.aggregate[a] >= basis.aggregate[b]) & (share[a] * share[b] > 0)
    a, b, block = a[keep], b[keep], block[keep]
    key = basis.aggregate[a].astype(np.int64) * basis.count + basis.aggregate[b]
    order = np.argsort(key, kind="stable")
    slots, first = np.unique(key[order], return_index=True)
    weight = (share[a] * share[b])[order]
    return slots, np.append(first, len(key)), block[order].astype(np.int32), weight


@kernel
def gather(first, last, rows, columns, begin, place, weight, values, band):
    """band = N^T A N, as `banded.py` keeps it."""
    for slot in range(first, last):
        block = weighted_sum(values, place, weight, begin[slot], begin[slot + 1])
        r = 3 * columns[slot]  # the upper half: rows and columns change places
        c = 3 * rows[slot] - r
        if c > 0:
            for j in range(3):
                for i in range(3):
                    band[r + j, c + i - j] = block[3 * j + i]
        else:
            for j in range(3):
                for i in range(j, 3):
                    band[r + j, i - j] = block[3 * j + i]
                band[r + j, 0] = band[r + j, 0] * (1.0 + 1e-6) + 1e-12  # an aggregate may have no free vertex


@uncounted_kernel
def restrict(first, last, coarse_space, residual, product):
    """What the aggregates first to last have of residual - product, both (n, 3)."""
    _, (begin, vertex, part), (_, coarse, _) = coarse_space
    for number in range(first, min(last, len(begin) - 1)):
        a = 0.0
        b = 0.0
        c = 0.0
        for k in range(begin[number], begin[number + 1]):
            v = vertex[k]
            a += part[k] * (residual[v, 0] - product[v, 0])
            b += part[k] * (residual[v, 1] - product[v, 1])
            c += part[k] * (residual[v, 2] - product[v, 2])
        coarse[3 * number] = a
        coarse[3 * number + 1] = b
        coarse[3 * number + 2] = c


@uncounted_kernel
def solve_coarse(coarse_space):
    """The aggregates' motions from what they have of a residual."""
    _, _, (band, coarse, typed) = coarse_space
    solve(band, coarse)
    for i in range(len(coarse)):
        typed[i] = coarse[i]


@uncounted_kernel
def prolong(first, last, coarse_space, out):
    """out, (n, 3), += the aggregates' motions, for the rows first to last."""
    (start, aggregate, share), _, (_, _, typed) = coarse_space
    for v in range(first, last):
        x = out[v, 0]
        y = out[v, 1]
        z = out[v, 2]
        for k in range(start[v], start[v + 1]):
            at = 3 * aggregate[k]
            x += share[k] * typed[at]
            y += share[k] * typed[at + 1]
            z += share[k] * typed[at + 2]
        out[v, 0] = x
        out[v, 1] = y
        out[v, 2] = z


@kernel
def subtract_correction(coarse_space, residual, out):
    """out -= N (N^T A N)^-1 N^T residual; both (n, 3)."""
    restrict(0, len(coarse_space[1][0]) - 1, coarse_space, out - out, residual)
    solve_coarse(coarse_space)
    prolong(0, len(out), coarse_space, out)
