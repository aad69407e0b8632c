"""Coarse space of a linear system: motions in which each aggregate of vertices moves as one, and the exact solution there.

N is the basis, (3 n, 3 aggregates): N y moves each vertex by its shares in the motions y of the aggregates. The coarse
matrix is N^T A N; its blocks are weighted sums of blocks of A, whose places and weights are known beforehand.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..device.simd.blocks import weighted_sum
from ..device.threads import each
from ..device.uncounted import uncounted_kernel
from .aggregates import AggregateBasis
from .block_matrix import Pattern
from .nested import FRONTS, backward, factor, forward, nested
from .second_ring import SecondRingCouplings, add_coarse_second_ring

Array = np.ndarray

#: Sums of blocks that a thread takes at once.
GATHERED = 64
#: Pairs of vertices that are looked at at once, while the sums are found.
CHUNK = 1 << 18


class CoarseSpace:
    """arrays: (first, aggregate, share), (begin, vertex, part), (factors, coarse): each vertex's aggregates and its shares
    in them, each aggregate's vertices and their shares, and the coarse matrix's factors (`nested.py`) with work space.
    Vertices that are not free have no shares."""

    def __init__(
        self, basis: AggregateBasis, pattern: Pattern, second_ring: SecondRingCouplings, free: Array, dtype: np.dtype
    ):
        """free: (n,) bool."""
        share = np.where(np.repeat(free, np.diff(basis.first)), basis.share, 0.0).astype(dtype)
        order = np.argsort(basis.aggregate, kind="stable")
        vertex = np.repeat(np.arange(pattern.vertices, dtype=np.int32), np.diff(basis.first))
        begin = np.searchsorted(basis.aggregate[order], np.arange(basis.count + 1)).astype(np.int32)
        row, column = _joined(basis, pattern, second_ring)
        factors = nested(basis.count, row, column)
        self.fronts, self._rows = factors.arrays[FRONTS], pattern.vertices
        self.arrays = (
            (basis.first, basis.aggregate, share),
            (begin, vertex[order], share[order]),
            (factors.arrays, np.zeros(3 * basis.count)),
        )
        self._blocks = row == column, factors.at, factors.along
        self._sums = _sums(basis, share, pattern, row * basis.count + column)
        self._second_ring, self._none = np.zeros((2, len(row)))  # alike in all three directions
        ends = np.searchsorted(row, np.arange(basis.count + 1))
        pairs = second_ring.pairs, second_ring.weights
        add_coarse_second_ring(basis.first, basis.aggregate, share, *pairs, ends, column, self._second_ring)

    def factorise(self, values: Array, second_ring: bool) -> None:
        """Factorises the coarse matrix of a matrix with these blocks; second_ring: and with the second-ring couplings."""
        self.fronts[:] = 0
        more, factors = self._second_ring if second_ring else self._none, self.arrays[2][0]
        count, subtrees = len(more), len(factors[0]) - 2

        def gather_some(k: int) -> None:
            gather(GATHERED * k, min(GATHERED * (k + 1), count), *self._blocks, *self._sums, values, more, self.fronts)

        each(-(-count // GATHERED), self._rows, gather_some)
        each(subtrees, self._rows, lambda k: factor(k, k + 1, factors))
        factor(subtrees, subtrees + 1, factors)


def _joined(basis: AggregateBasis, pattern: Pattern, second_ring: SecondRingCouplings) -> tuple[Array, Array]:
    """Pairs of aggregates (a, b), a >= b, whose vertices are joined, ascending, as rows and columns."""
    joined = np.zeros((basis.count, basis.count), bool)  # a number of an aggregate's square: 67 MB for a million vertices
    for columns, rows in ((pattern.columns, pattern.rows), (second_ring.arrays[1], second_ring.arrays[0])):
        vertex = np.repeat(np.arange(pattern.vertices), np.diff(rows))
        for first in range(0, len(columns), CHUNK):
            a, b, _ = _combined(basis, vertex[first : first + CHUNK], columns[first : first + CHUNK])
            joined[basis.aggregate[a], basis.aggregate[b]] = True
    pinned = np.arange(basis.count)
    joined[pinned, pinned] = True
    return np.nonzero(np.tril(joined))


def _sums(basis: AggregateBasis, share: Array, pattern: Pattern, slots: Array) -> tuple[Array, Array, Array]:
    """Where the sums of pairs of aggregates begin, of which places, with which weights. slots: the pairs, as a count + b."""
    row = np.repeat(np.arange(pattern.vertices), np.diff(pattern.rows))
    found = []
    for begin in range(0, len(row), CHUNK):
        a, b, block = _combined(basis, row[begin : begin + CHUNK], pattern.columns[begin : begin + CHUNK])
        keep = (basis.aggregate[a] >= basis.aggregate[b]) & (share[a] * share[b] > 0)
        a, b, block = a[keep], b[keep], block[keep]
        slot = np.searchsorted(slots, basis.aggregate[a].astype(np.int64) * basis.count + basis.aggregate[b])
        order = np.argsort(slot, kind="stable")
        counts = np.bincount(slot, minlength=len(slots)).astype(np.int32)
        found.append((counts, (begin + block[order]).astype(np.int32), (share[a] * share[b])[order]))
    total = np.sum([counts for counts, _, _ in found], axis=0)
    first = np.concatenate([[0], np.cumsum(total)])
    place, weight, ahead = np.empty(first[-1], np.int32), np.empty(first[-1], share.dtype), first[:-1].copy()
    for counts, own_place, own_weight in found:
        at = np.repeat(ahead - (np.cumsum(counts) - counts), counts) + np.arange(len(own_place))
        place[at], weight[at] = own_place, own_weight
        ahead += counts
    return first, place, weight


def _combined(basis: AggregateBasis, row: Array, column: Array) -> tuple[Array, Array, Array]:
    """Of pairs of vertices every pair of shares, as places in the basis, and the number of the pair that it is of."""
    here, there = (np.diff(basis.first)[v] for v in (row, column))
    both = here * there
    pair = np.repeat(np.arange(len(row)), both)
    number = np.arange(len(pair)) - np.repeat(np.cumsum(both) - both, both)
    return basis.first[row[pair]] + number // there[pair], basis.first[column[pair]] + number % there[pair], pair


@kernel
def gather(first, last, own, at, along, begin, place, weight, values, more, fronts):
    """The blocks first to last of N^T A N + more, as `nested.py` keeps them. own: whether of an aggregate with itself."""
    for slot in range(first, last):
        block = weighted_sum(values, place, weight, begin[slot], begin[slot + 1])
        for j in range(3):
            for i in range(3):
                number = float(block[3 * j + i])
                if i == j:
                    number += more[slot]
                    if own[slot]:
                        number = number * (1.0 + 1e-6) + 1e-12  # an aggregate may have no free vertex
                fronts[at[slot] + i * along[slot, 0] + j * along[slot, 1]] = number


@uncounted_kernel
def restrict(first, last, coarse_space, residual, product):
    """What the aggregates first to last have of residual - product, both (n, 3)."""
    _, (begin, vertex, part), (_, coarse) = coarse_space
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
def prolong(first, last, coarse_space, out):
    """out, (n, 3), += the aggregates' motions, for the rows first to last."""
    (start, aggregate, share), _, (_, coarse) = coarse_space
    for v in range(first, last):
        x = out[v, 0]
        y = out[v, 1]
        z = out[v, 2]
        for k in range(start[v], start[v + 1]):
            at = 3 * aggregate[k]
            x += share[k] * out.dtype.type(coarse[at])
            y += share[k] * out.dtype.type(coarse[at + 1])
            z += share[k] * out.dtype.type(coarse[at + 2])
        out[v, 0] = x
        out[v, 1] = y
        out[v, 2] = z


@kernel
def subtract_correction(coarse_space, residual, out):
    """out -= N (N^T A N)^-1 N^T residual; both (n, 3)."""
    restrict(0, len(coarse_space[1][0]) - 1, coarse_space, out - out, residual)
    factors, coarse = coarse_space[2]
    pieces = len(factors[0]) - 1
    forward(0, pieces, factors, coarse)
    backward(0, pieces, factors, coarse)
    prolong(0, len(out), coarse_space, out)
