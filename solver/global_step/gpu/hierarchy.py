"""Aggregates of a sheet's vertices, aggregates of these, and so on: the matrix of each level, made on the device.

A vertex has shares in a few overlapping aggregates, which fall off smoothly; the prolongation N moves it by its shares in
their motions. The next level's matrix is the Galerkin product N^T (A N): its blocks are weighted sums of blocks, with places
and weights found beforehand. The matrix of the last level is small; it is inverted, an aggregate a launch.
Source: Vanek, Mandel, Brezina 1996, "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic
problems"; shares are averaged over neighbours, independent of the matrix, as in `linalg/aggregates.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES, f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice, read_by_many
from ...mathlib import sym3
from ...topology.clusters import bisect
from . import matrix
from .matrix import Entries, Matrix, invert_own

ZERO, ONE = f32(0), f32(1)
#: Aggregates of the last level of a sheet at most: it takes as many launches to invert its matrix.
LAST = 16
#: Rows of a level that are one of the next at most. With more, cycles carry less; with fewer, there are more levels.
AGGREGATE = 40
#: Number of smoothings of shares over neighbours, of vertices and of aggregates.
SMOOTHINGS = 4, 2
#: Shares below this are dropped.
LEAST_SHARE = 0.02
#: Rows whose products are found at once.
CHUNK = 1 << 16
#: Regularisation of an aggregate's diagonal block, as a share and [N/m]: none of its vertices may be free.
MORE, LITTLE = f32(1 + 1e-6), f32(1e-12)


class Shares(NamedTuple):
    """Shares on the host. first: (n + 1,): row v of a level has share[k] in aggregate[k], k from first[v] to
    first[v + 1]."""

    first: np.ndarray
    aggregate: np.ndarray
    share: np.ndarray


@read_by_many
class Products(NamedTuple):
    """A N. first, place, weight: the blocks that each block of it sums up, (k + 1,) and (m,); more: constant numbers, times
    the unit matrix, (k,). values: of the matrix A. out: (k, 9)."""

    go: Array
    first: Array
    place: Array
    weight: Array
    more: Array
    values: Array
    out: Array


@read_by_many
class Sums(NamedTuple):
    """Arguments of N^T (A N). first, product, weight: of each block; place: where it goes; diagonal: the row of a
    diagonal block, else -1. matrix: of the next level."""

    go: Array
    first: Array
    product: Array
    weight: Array
    place: Array
    diagonal: Array
    products: Array
    matrix: Matrix


@read_by_many
class Whole(NamedTuple):
    """Matrices of the last level: for each sheet width * width blocks, row by row, (sheets * width * width, 9). place: of
    each block in values, -1 for zero. before, after: of one step of inversion. pivot: its number."""

    go: Array
    place: Array
    values: Array
    width: np.int32
    pivot: np.int32
    before: Array
    after: Array


@body
def multiply(i, args):
    """A block of A N."""
    if args.go[0] == 0:
        return
    for c in range(9):
        total = args.more[i] if c % 4 == 0 else ZERO
        for k in range(args.first[i], args.first[i + 1]):
            at = args.place[k]
            total += args.weight[k] * args.values[at // LANES, c * LANES + at % LANES]
        args.out[i, c] = total


@body
def gather(i, args):
    """Sum a block of N^T (A N), and invert a diagonal block."""
    if args.go[0] == 0:
        return
    at = args.place[i]
    diagonal_row = args.diagonal[i]
    values = args.matrix.values
    for c in range(9):
        total = ZERO
        for k in range(args.first[i], args.first[i + 1]):
            total += args.weight[k] * args.products[args.product[k], c]
        if c % 4 == 0 and diagonal_row >= 0:
            total = MORE * total + LITTLE
        values[at // LANES, c * LANES + at % LANES] = total
    if diagonal_row >= 0:
        invert_own(args.matrix, diagonal_row)


@body
def spread(i, args):
    """A block of a whole matrix; aggregates that a sheet has less than others are fixed."""
    if args.go[0] == 0:
        return
    at = args.place[i]
    width = args.width
    is_own = (i // width) % width == i % width
    for c in range(9):
        number = ONE if is_own and c % 4 == 0 else ZERO
        if at >= 0:
            number = args.values[at // LANES, c * LANES + at % LANES]
        args.after[i, c] = number


@body
def eliminate(i, args):
    """A block after one step of Gauss and Jordan's inversion in place, of all rows by the pivot's."""
    if args.go[0] == 0:
        return
    width = args.width
    column = i % width
    row = (i // width) % width
    sheet = i // (width * width)
    first = sheet * width * width
    p = first + args.pivot * width + args.pivot
    w = args.before
    H = (w[p, 0], w[p, 3], w[p, 6], w[p, 4], w[p, 7], w[p, 8])
    across = first + row * width + args.pivot
    down = first + args.pivot * width + column
    for c in range(3):  # columns of the block
        if column == args.pivot:
            right = (ONE if c == 0 else ZERO, ONE if c == 1 else ZERO, ONE if c == 2 else ZERO)
        else:
            right = (w[down, 3 * c], w[down, 3 * c + 1], w[down, 3 * c + 2])
        a, b, d = sym3.solve(H, right)
        for r in range(3):
            if row == args.pivot:
                number = a if r == 0 else (b if r == 1 else d)
            else:
                number = -(w[across, r] * a + w[across, 3 + r] * b + w[across, 6 + r] * d)
                if column != args.pivot:
                    number += w[i, 3 * c + r]
            args.after[i, 3 * c + r] = number


@dataclass
class Level:
    """matrix: of it. down: (first, row, share) of each row of the next level, up: (first, row, share) of each row of the
    vectors in the next level; none of the last level. n: rows of its vectors."""

    matrix: Matrix
    n: int
    down: tuple[Array, ...] = ()
    up: tuple[Array, ...] = ()


class Hierarchy:
    """Hierarchy of levels. levels: the first is that of the vertices. inverse: of the last one's matrices, see `Whole`;
    width: of these."""

    def __init__(
        self, device: SerialDevice, first: Matrix, entries: Entries, ring: tuple, points: np.ndarray, sheet: np.ndarray
    ):
        """first: the matrix of the vertices; entries, ring: where it has blocks, see `matrix.made`. points: rest positions
        of the rows of vectors, (n, 3) [m]; sheet: of each, -1 for none."""
        self.device, self.levels = device, [Level(first, len(points))]
        self._sums: list[tuple[Products, Sums]] = []
        none = device.zeros(1, np.int32)
        while True:
            sizes = np.bincount(sheet[sheet >= 0])
            if len(self.levels) > 1 and sizes.max() <= LAST:
                break
            shares, sheet_of = shares_of(points, sheet, entries, SMOOTHINGS[min(len(self.levels) - 1, 1)])
            level = self.levels[-1]
            moves = np.bincount(entries.row, minlength=level.n) > 0
            shares = shares._replace(share=np.where(np.repeat(moves, np.diff(shares.first)), shares.share, 0.0))
            count = len(sheet_of)
            products, keys = _products(shares, entries, ring, count)
            sums, row, column = _sums(shares, keys, count)
            vertex = np.append(np.arange(count), np.full(-count % LANES, -1))
            apart = row != column
            no_ring = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
            following, entries = matrix.made(device, vertex, np.arange(count), (row[apart], column[apart]), no_ring)
            at = np.searchsorted(row * count + column, entries.row.astype(np.int64) * count + entries.column)
            place = np.empty(len(row), np.int32)
            place[at] = entries.place
            out = device.zeros((len(keys), 9), np.float32)
            up = device.upload
            diagonal_row = up(np.where(row == column, row, -1), np.int32)
            self._sums.append(
                (
                    Products._make([none, *(up(array) for array in products), level.matrix.values, out]),
                    Sums._make([none, *(up(array) for array in sums), up(place), diagonal_row, out, following]),
                )
            )
            level.up = tuple(up(array) for array in (shares.first, shares.aggregate, shares.share.astype(np.float32)))
            level.down = tuple(up(array) for array in transposed(shares, count))
            weight = np.bincount(shares.aggregate, shares.share, count)
            at_vertex = np.repeat(np.arange(level.n), np.diff(shares.first))
            points = (
                np.stack([np.bincount(shares.aggregate, shares.share * points[at_vertex, k], count) for k in range(3)], 1)
                / np.maximum(weight, 1e-30)[:, None]
            )
            ring, sheet = no_ring, sheet_of
            self.levels.append(Level(following, count))
        self._whole(sizes, sheet, entries)

    def _whole(self, sizes: np.ndarray, sheet: np.ndarray, entries: Entries) -> None:
        """Work space of the last level's inverse."""
        device, self.width = self.device, int(sizes.max())
        local = np.arange(len(sheet)) - (np.cumsum(sizes) - sizes)[sheet]
        place = np.full(len(sizes) * self.width**2, -1, np.int32)
        at = (sheet[entries.row] * self.width + local[entries.row]) * self.width + local[entries.column]
        place[at] = entries.place
        self.local = device.upload(sheet * self.width + local, np.int32)
        both = [device.zeros((len(place), 9), np.float32) for _ in range(2)]
        none = device.zeros(1, np.int32)
        values = self.levels[-1].matrix.values
        self._inverting = Whole(none, device.upload(place), values, np.int32(self.width), np.int32(0), *both)
        self.inverse = both[self.width % 2]
        self.sizes, self.first = sizes, device.upload(np.cumsum(sizes) - sizes, np.int32)

    def make(self, go: Array) -> None:
        """The matrices of all levels but the first; go: see `matrix.Start`."""
        launch = self.device.launch
        for products, sums in self._sums:
            launch(multiply, len(products.more), products._replace(go=go))
            launch(gather, len(sums.place), sums._replace(go=go))

    def invert(self, go: Array) -> None:
        """The inverse of the last level's matrix."""
        launch = self.device.launch
        whole = self._inverting._replace(go=go)
        one, other = whole.before, whole.after
        launch(spread, len(whole.place), whole._replace(before=other, after=one))
        for pivot in range(self.width):
            launch(eliminate, len(whole.place), whole._replace(pivot=np.int32(pivot), before=one, after=other))
            one, other = other, one


def shares_of(points: np.ndarray, sheet: np.ndarray, entries: Entries, smoothings: int) -> tuple[Shares, np.ndarray]:
    """Aggregates of neighbours, and the sheet of each. points: (n, 3). sheet: of each, -1 for none. entries: which are
    neighbours."""
    n, part = len(points), np.full(len(points), -1)
    sheets: list[int] = []
    for one in range(int(sheet.max()) + 1):
        rows = np.flatnonzero(sheet == one)
        piece = bisect(points[rows], AGGREGATE)
        part[rows] = piece + len(sheets)
        sheets += [one] * (int(piece.max()) + 1)
    count = len(sheets)
    apart = entries.row != entries.column
    row, column = entries.row[apart].astype(np.int64), entries.column[apart].astype(np.int64)
    degree = np.bincount(row, minlength=n)
    rows = np.flatnonzero(part >= 0)
    to, source = np.concatenate([row, rows]), np.concatenate([column, rows])
    mix = np.concatenate([0.5 / degree[row], np.where(degree[rows] > 0, 0.5, 1.0)])
    at, aggregate = rows, part[rows]
    share: np.ndarray = np.ones(len(rows))
    for _ in range(smoothings):
        first = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=n))])
        number, entry = expanded(first, source)
        key, inverse = np.unique(to[number] * count + aggregate[entry], return_inverse=True)
        share = np.bincount(inverse.reshape(-1), mix[number] * share[entry], len(key))
        at, aggregate = np.divmod(key, count)
    keep = share >= LEAST_SHARE
    at, aggregate, share = at[keep], aggregate[keep], share[keep]
    share = share / np.bincount(at, share, n)[at]
    first = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=n))])
    return Shares(first.astype(np.int32), aggregate.astype(np.int32), share), np.array(sheets)


def expanded(first: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all entries of the chosen rows: the chosen row of each entry, and its place. first: begin of each row."""
    count = np.diff(first)[chosen]
    number = np.repeat(np.arange(len(chosen)), count)
    return number, np.arange(len(number)) + np.repeat(first[chosen] - (np.cumsum(count) - count), count)


def transposed(shares: Shares, count: int) -> tuple[np.ndarray, ...]:
    """Return the rows with a share in each aggregate: first (count + 1,), row, share."""
    row = np.repeat(np.arange(len(shares.first) - 1), np.diff(shares.first))
    order = np.argsort(shares.aggregate, kind="stable")
    order = order[shares.share[order] > 0]
    first = np.searchsorted(shares.aggregate[order], np.arange(count + 1))
    return first.astype(np.int32), row[order].astype(np.int32), shares.share[order].astype(np.float32)


def _products(shares: Shares, entries: Entries, ring: tuple, count: int) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Return the host's arrays of `Products`, and each block's row * count + aggregate, ascending."""
    by_row = np.argsort(entries.row, kind="stable")
    ring_order = np.argsort(ring[0], kind="stable")
    row, ring_row = entries.row[by_row], np.asarray(ring[0])[ring_order]
    chunks, last = [], 0
    for low in range(0, len(shares.first) - 1, CHUNK):
        some = by_row[slice(*np.searchsorted(row, [low, low + CHUNK]))]
        beyond = ring_order[slice(*np.searchsorted(ring_row, [low, low + CHUNK]))]
        number, at = _kept(shares, entries.column[some])
        key = entries.row[some][number].astype(np.int64) * count + shares.aggregate[at]
        here, there, weight = (np.asarray(part)[beyond] for part in ring)
        of_there, at_there = _kept(shares, there)
        of_here, at_here = _kept(shares, here)
        ring_key = np.concatenate(
            [
                here[of_there].astype(np.int64) * count + shares.aggregate[at_there],
                here[of_here].astype(np.int64) * count + shares.aggregate[at_here],
            ]
        )
        amount = np.concatenate([weight[of_there] * shares.share[at_there], -weight[of_here] * shares.share[at_here]])
        keys = np.unique(np.concatenate([key, ring_key]))
        block = np.searchsorted(keys, key)
        order = np.argsort(block, kind="stable")
        ends = last + np.cumsum(np.bincount(block, minlength=len(keys)))
        more = np.bincount(np.searchsorted(keys, ring_key), amount, len(keys))
        chunks.append((keys, ends, entries.place[some][number[order]], shares.share[at[order]], more))
        last += len(key)
    keys, ends, place, weight, more = (np.concatenate(part) for part in zip(*chunks, strict=True))
    first = np.append(0, ends).astype(np.int32)
    return (first, place.astype(np.int32), weight.astype(np.float32), more.astype(np.float32)), keys


def _sums(shares: Shares, keys: np.ndarray, count: int) -> tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
    """Return the host's arrays of `Sums`, and row and column of each block, row by row; every aggregate has a diagonal
    block."""
    moved, by = np.divmod(keys, count)
    number, at = _kept(shares, moved)
    key = shares.aggregate[at].astype(np.int64) * count + by[number]
    itself = np.arange(count, dtype=np.int64) * (count + 1)
    blocks = np.union1d(key, itself)
    order = np.argsort(key, kind="stable")
    first = np.searchsorted(key[order], np.append(blocks, blocks[-1] + 1)).astype(np.int32)
    lists = first, number[order].astype(np.int32), shares.share[at[order]].astype(np.float32)
    return lists, *np.divmod(blocks, count)


def _kept(shares: Shares, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `expanded` of the shares of some rows, without zeros."""
    number, at = expanded(shares.first, rows)
    keep = shares.share[at] > 0
    return number[keep], at[keep]
