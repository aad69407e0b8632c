"""Coarse space of a linear system: motions in which each aggregate of vertices moves as one, and the exact solution there.

N is the basis, (3 n, 3 aggregates): N y moves each vertex by its shares in the motions y of the aggregates. The coarse
matrix is N^T A N. It is computed from the products A N, whose transpose restricts A z to an aggregate without that product:
their blocks are weighted sums of blocks of A, whose places and weights are known beforehand, as those of N^T (A N) are.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..device.row_kernels import uncounted_row_kernel
from ..device.simd.blocks import row_product, weighted_rows, weighted_sum
from ..device.threads import run, run_ranges
from ..device.uncounted import subroutine
from .aggregates import AggregateBasis
from .block_matrix import Pattern
from .nested import FRONTS, HALVINGS, backward, factor, forward, nested
from .second_ring import SecondRingCouplings

Array = np.ndarray

#: Sums of blocks that a thread takes at once.
GATHERED = 64
#: Pieces of work that the subtrees of its factors make at most.
PIECES = 1 << HALVINGS
#: Rows processed at once when the sums are set up.
CHUNK = 1 << 16


class CoarseSpace:
    """arrays: (first, aggregate, share), (begin, vertex, part), (factors, coarse), (begin, vertex, products): each vertex's
    aggregates and its shares in them, each aggregate's vertices and their shares, the coarse matrix's factors (`nested.py`)
    with work space, and for each aggregate the transposed blocks of A N, (k, 9). Vertices that are not free have no
    shares."""

    def __init__(
        self, basis: AggregateBasis, pattern: Pattern, second_ring: SecondRingCouplings, free: Array, dtype: np.dtype
    ):
        """free: (n,) bool."""
        share = np.where(np.repeat(free, np.diff(basis.first)), basis.share, 0.0).astype(dtype)
        order = np.argsort(basis.aggregate, kind="stable")
        vertex = np.repeat(np.arange(pattern.vertices, dtype=np.int32), np.diff(basis.first))
        begin = np.searchsorted(basis.aggregate[order], np.arange(basis.count + 1)).astype(np.int32)
        basis = AggregateBasis(basis.first, basis.aggregate, share, basis.count)
        keys, sums, more = _products(basis, pattern, second_ring, free)
        moved, by = np.divmod(keys, basis.count)
        ascending = np.argsort(by, kind="stable")
        at = np.empty(len(keys), np.int32)
        at[ascending] = np.arange(len(keys))
        begin_products = np.searchsorted(by[ascending], np.arange(basis.count + 1)).astype(np.int32)
        self.products, self._rows = np.zeros((len(keys), 9), dtype), pattern.vertices
        self._make_products = at, *sums
        self._second_ring, self._none = more.astype(dtype), np.zeros(len(keys), dtype)  # alike in all three directions
        row, column, self._sums = _sums(basis, moved, by, at)
        factors = nested(basis.count, row, column)
        self.fronts = factors.arrays[FRONTS]
        self.arrays = (
            (basis.first, basis.aggregate, share),
            (begin, vertex[order], share[order]),
            (factors.arrays, np.zeros(3 * basis.count)),
            (begin_products, moved[ascending].astype(np.int32), self.products),
        )
        self._blocks = row == column, factors.at, factors.along
        self._some, self._pieces = _in_ranges(len(row), GATHERED), _subtrees(len(factors.arrays[0]) - 2)
        self._is_made = False

    @classmethod
    def side_by_side(cls, parts: list[CoarseSpace], arrays: tuple, blocks: list[int]) -> CoarseSpace:
        """Return the coarse space of matrices without common unknowns, as of one. arrays: of all, concatenated; blocks: the
        first block of each matrix."""
        combined = cls.__new__(cls)
        products = np.cumsum([0, *(len(part.products) for part in parts)])
        fronts = np.cumsum([0, *(len(part.fronts) for part in parts)])
        each = list(zip(parts, products, fronts, blocks, strict=False))
        combined.arrays, combined.products, combined.fronts = arrays, arrays[3][2], arrays[2][0][FRONTS]
        combined._rows = sum(part._rows for part in parts)
        combined._second_ring, combined._none = (
            np.concatenate([getattr(p, k) for p in parts]) for k in ("_second_ring", "_none")
        )
        places = np.concatenate([part._make_products[2] + np.int32(block) for part, _, _, block in each])
        combined._make_products = (
            np.concatenate([part._make_products[0] + np.int32(first) for part, first, _, _ in each]),
            begins([part._make_products[1] for part in parts]),
            places,
            np.concatenate([part._make_products[3] for part in parts]),
        )
        combined._sums = (
            begins([part._sums[0] for part in parts]),
            np.concatenate([part._sums[1] + np.int32(first) for part, first, _, _ in each]),
            np.concatenate([part._sums[2] for part in parts]),
        )
        combined._blocks = (
            np.concatenate([part._blocks[0] for part in parts]),
            np.concatenate([part._blocks[1] + front for part, _, front, _ in each]),
            np.concatenate([part._blocks[2] for part in parts]),
        )
        combined._some = _in_ranges(len(combined._blocks[0]), GATHERED)
        combined._pieces = _subtrees(len(arrays[2][0][0]) - 2)
        combined._is_made = False
        return combined

    def factorise(self, values: Array, second_ring: bool) -> None:
        """Factorise the coarse matrix of a matrix with these blocks; second_ring: and with the second-ring couplings."""
        if self._is_made and not len(self.products):  # an empty one stays as it is
            return
        more, factors = self._second_ring if second_ring else self._none, self.arrays[2][0]
        run(multiply_basis, len(more), *self._make_products, values, more, self.products)
        self.fronts[:] = 0
        run_ranges(gather, self._rows, *self._some, *self._blocks, *self._sums, self.products, self.fronts)
        run_ranges(factor, self._rows, *self._pieces, factors)
        self._is_made = True


def _in_ranges(count: int, most: int) -> tuple[Array, Array]:
    """Numbers from 0 to count in ranges of `most`, of one stage."""
    first = np.arange(0, count, most, dtype=np.int64)
    return np.array([0, len(first)]), np.stack([first, np.minimum(first + most, count)], 1)


def _subtrees(count: int) -> tuple[Array, Array]:
    """Split factors into ranges of subtrees, and a second stage with the rows above them."""
    some = min(count, PIECES)
    ranges = [(count * k // some, count * (k + 1) // some) for k in range(some)]
    return np.array([0, some, some + 1]), np.array([*ranges, (count, count + 1)])


def begins(parts: list[Array]) -> Array:
    """Return the begin of each list, (k + 1,), from the begins in each part."""
    last = np.cumsum([0, *(part[-1] for part in parts)])
    shifted = [part[1:] + first for part, first in zip(parts, last, strict=False)]
    return np.concatenate([np.zeros(1, np.int64), *shifted]).astype(np.int32)


def _products(
    basis: AggregateBasis, pattern: Pattern, second_ring: SecondRingCouplings, free: Array
) -> tuple[Array, tuple[Array, Array, Array], Array]:
    """Return the blocks of A N, as vertex count + aggregate, ascending; the begins, places and weights of their sums; and
    the term of the second ring in each [N/m]."""
    rows, columns, weights = second_ring.arrays
    chunks, last = [], 0
    for low in range(0, pattern.vertices, CHUNK):
        high = min(low + CHUNK, pattern.vertices)
        row, place = _entries(pattern.rows, low, high, free)
        number, aggregate, weight = _shares_of(basis, pattern.columns[place])
        key = row[number] * basis.count + aggregate
        row, pair = _entries(rows, low, high, free)
        there, aggregates_there, shares_there = _shares_of(basis, columns[pair])
        here, aggregates_here, shares_here = _shares_of(basis, row)
        ring = np.concatenate([row[there] * basis.count + aggregates_there, row[here] * basis.count + aggregates_here])
        amount = np.concatenate([weights[pair[there]] * shares_there, -weights[pair[here]] * shares_here])
        keys = np.unique(np.concatenate([key, ring]))
        block = np.searchsorted(keys, key)
        order = np.argsort(block, kind="stable")
        ends = last + np.cumsum(np.bincount(block, minlength=len(keys)))
        more = np.bincount(np.searchsorted(keys, ring), amount, len(keys))
        chunks.append((keys, ends.astype(np.int32), place[number[order]].astype(np.int32), weight[order], more))
        last += len(key)
    keys, ends, places, weight, more = (np.concatenate(part) for part in zip(*chunks, strict=True))
    return keys, (np.append(np.int32(0), ends), places, weight), more


def _entries(rows: Array, low: int, high: int, free: Array) -> tuple[Array, Array]:
    """The free rows from low to high of each of their entries, and the entries' places. rows: where each begins."""
    row = np.repeat(np.arange(low, high), np.diff(rows[low : high + 1]))
    keep = np.flatnonzero(free[row])
    return row[keep], rows[low] + keep


def _shares_of(basis: AggregateBasis, vertex: Array) -> tuple[Array, Array, Array]:
    """Return every nonzero share of each vertex: its number in `vertex`, the aggregate, and the share."""
    count = basis.first[vertex + 1] - basis.first[vertex]
    number = np.repeat(np.arange(len(vertex)), count)
    at = np.repeat(basis.first[vertex] - (np.cumsum(count) - count), count) + np.arange(len(number))
    keep = basis.share[at] > 0
    return number[keep], basis.aggregate[at][keep], basis.share[at][keep]


def _sums(basis: AggregateBasis, vertex: Array, aggregate: Array, at: Array) -> tuple[Array, Array, tuple]:
    """Return pairs of aggregates (a, b), a >= b, ascending, as rows and columns; and the begins, products and weights of
    their sums. vertex, aggregate: of each product; at: its place."""
    number, other, share = _shares_of(basis, vertex)
    keep = other >= aggregate[number]
    number, other, share = number[keep], other[keep], share[keep]
    key = other.astype(np.int64) * basis.count + aggregate[number]
    itself = np.arange(basis.count, dtype=np.int64) * (basis.count + 1)  # including aggregates without free vertices
    slots = np.union1d(key, itself)
    order = np.argsort(key, kind="stable")
    begin = np.searchsorted(key[order], np.append(slots, slots[-1] + 1)).astype(np.int32)
    return *np.divmod(slots, basis.count), (begin, at[number[order]], share[order])


@uncounted_row_kernel
def multiply_basis(first, last, at, begin, place, weight, values, more, products):
    """The blocks first to last of A N, transposed."""
    for k in range(first, last):
        block = weighted_sum(values, place, weight, begin[k], begin[k + 1])
        for i in range(3):
            for j in range(3):
                products[at[k], 3 * i + j] = block[3 * j + i]
            products[at[k], 4 * i] += more[k]


@uncounted_row_kernel
def gather(first, last, is_own, at, along, begin, place, weight, products, fronts):
    """Sum the blocks first to last of N^T A N, in the layout of `nested.py`. is_own: whether it is a diagonal block."""
    for slot in range(first, last):
        block = weighted_sum(products, place, weight, begin[slot], begin[slot + 1])
        for i in range(3):
            for j in range(3):
                number = float(block[3 * i + j])
                if i == j and is_own[slot]:
                    number = number * (1.0 + 1e-6) + 1e-12  # an aggregate may have no free vertex
                fronts[at[slot] + i * along[slot, 0] + j * along[slot, 1]] = number


@subroutine
def restrict(first, last, coarse_space, vector):
    """Restrict a vector, (n, 3), to the aggregates first to last."""
    _, (begin, vertex, part), (_, coarse), _ = coarse_space
    for number in range(first, min(last, len(begin) - 1)):
        a = 0.0
        b = 0.0
        c = 0.0
        for k in range(begin[number], begin[number + 1]):
            v = vertex[k]
            a += part[k] * vector[v, 0]
            b += part[k] * vector[v, 1]
            c += part[k] * vector[v, 2]
        coarse[3 * number] = a
        coarse[3 * number + 1] = b
        coarse[3 * number + 2] = c


@subroutine
def restrict_beyond(first, last, coarse_space, residual, beyond, is_more, z):
    """Restrict residual - A z - beyond, all (n, 3), to the aggregates first to last, for the factorised matrix A.

    is_more: whether there is anything beyond.
    """
    _, (begin, vertex, part), (_, coarse), (begin_products, moved, products) = coarse_space
    for number in range(first, min(last, len(begin) - 1)):
        x, y, w = row_product(products, moved, begin_products[number], begin_products[number + 1], z)
        a = -float(x)
        b = -float(y)
        c = -float(w)
        if is_more:
            for k in range(begin[number], begin[number + 1]):
                v = vertex[k]
                a += part[k] * (residual[v, 0] - beyond[v, 0])
                b += part[k] * (residual[v, 1] - beyond[v, 1])
                c += part[k] * (residual[v, 2] - beyond[v, 2])
        else:
            for k in range(begin[number], begin[number + 1]):
                v = vertex[k]
                a += part[k] * residual[v, 0]
                b += part[k] * residual[v, 1]
                c += part[k] * residual[v, 2]
        coarse[3 * number] = a
        coarse[3 * number + 1] = b
        coarse[3 * number + 2] = c


@subroutine
def prolong(first, last, coarse_space, out):
    """out, (n, 3), += the aggregates' motions, for the rows first to last."""
    (start, aggregate, share), _, (_, coarse), _ = coarse_space
    for v in range(first, last):
        x, y, z = weighted_rows(share, aggregate, start[v], start[v + 1], coarse)
        out[v, 0] += x
        out[v, 1] += y
        out[v, 2] += z


@kernel
def subtract_correction(coarse_space, residual, out):
    """out -= N (N^T A N)^-1 N^T residual; both (n, 3)."""
    restrict(0, len(coarse_space[1][0]) - 1, coarse_space, residual)
    factors, coarse = coarse_space[2]
    for i in range(len(coarse)):
        coarse[i] = -coarse[i]
    pieces = len(factors[0]) - 1
    forward(0, pieces, factors, coarse)
    backward(0, pieces, factors, coarse)
    prolong(0, len(out), coarse_space, out)
