"""Symmetric matrices of 3x3 blocks on a device.

Row i is lane i % 16 of pack i // 16. Slot after slot a pack has a block for each of its lanes, the diagonal block first;
lanes with fewer blocks are filled with zeros. So sixteen adjacent threads read adjacent numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES, f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice, read_by_many
from ...device.uncounted import inline
from ...mathlib import sym3

ZERO, ONE = f32(0), f32(1)


class Matrix(NamedTuple):
    """Matrix. first: each pack's first slot, (packs + 1,). columns: rows of the vectors, (slots, 16). values: blocks, column
    by column, (slots, 9 * 16) [N/m]. ring_*: the same of second-ring couplings (`linalg/second_ring.py`), with single
    numbers, (slots, 16) [N/m]. vertex: each row's row of the vectors, -1 for fixed, (packs * 16,). inverse: of each
    diagonal block, (packs, 6 * 16): 00, 01, 02, 11, 12, 22.
    """

    first: Array
    columns: Array
    values: Array
    ring_first: Array
    ring_columns: Array
    ring_weights: Array
    vertex: Array
    inverse: Array


class Entries(NamedTuple):
    """Nonzero blocks on the host, row by row. row, column: rows of the vectors, (k,); place: slot * 16 + lane."""

    row: np.ndarray
    column: np.ndarray
    place: np.ndarray


def slots(number: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return places of entries: each pack's first slot, (packs + 1,), and slot * 16 + lane of each entry, (k,). number: the
    row of each entry, ascending; rows: how many there are, a multiple of 16."""
    count = np.bincount(number, minlength=rows)
    begin = np.cumsum(count) - count
    first = np.concatenate([[0], np.cumsum(count.reshape(-1, LANES).max(1))]).astype(np.int32)
    slot = first[number // LANES] + np.arange(len(number)) - begin[number]
    return first, slot * LANES + number % LANES


def made(
    device: SerialDevice, vertex: np.ndarray, number_of: np.ndarray, pairs: tuple, ring: tuple
) -> tuple[Matrix, Entries]:
    """Return a matrix of zeros, and the places of its blocks.

    vertex: see `Matrix`. number_of: the row of each row of the vectors. pairs: (row, column) of off-diagonal blocks. ring:
    (row, column, weight). Of both, free rows only.
    """
    free = vertex[vertex >= 0]
    row, column = np.concatenate([free, pairs[0]]), np.concatenate([free, pairs[1]])
    order = np.lexsort((column, column != row, number_of[row]))
    row, column = row[order], column[order]
    first, place = slots(number_of[row], len(vertex))
    columns = np.zeros((int(first[-1]), LANES), np.int32)
    columns.reshape(-1)[place] = column
    order = np.argsort(number_of[ring[0]], kind="stable")
    ring_first, ring_place = slots(number_of[ring[0]][order], len(vertex))
    ring_columns = np.zeros((max(int(ring_first[-1]), 1), LANES), np.int32)
    ring_weights = np.zeros(ring_columns.shape, np.float32)
    ring_columns.reshape(-1)[ring_place] = ring[1][order]
    ring_weights.reshape(-1)[ring_place] = ring[2][order]
    up, packs = device.upload, len(vertex) // LANES
    arrays = up(first), up(columns), device.zeros((len(columns), 9 * LANES), np.float32)
    others = up(ring_first), up(ring_columns), up(ring_weights), up(vertex, np.int32)
    return Matrix(*arrays, *others, device.zeros((packs, 6 * LANES), np.float32)), Entries(row, column, place)


@inline
def times(m, i, p):
    """Row i of A p. p: (n, 4)."""
    pack = i // LANES
    lane = i % LANES
    x = ZERO
    y = ZERO
    z = ZERO
    for slot in range(m.first[pack], m.first[pack + 1]):
        u = m.columns[slot, lane]
        a = p[u, 0]
        b = p[u, 1]
        c = p[u, 2]
        w = m.values
        x += w[slot, lane] * a + w[slot, 3 * LANES + lane] * b + w[slot, 6 * LANES + lane] * c
        y += w[slot, LANES + lane] * a + w[slot, 4 * LANES + lane] * b + w[slot, 7 * LANES + lane] * c
        z += w[slot, 2 * LANES + lane] * a + w[slot, 5 * LANES + lane] * b + w[slot, 8 * LANES + lane] * c
    v = m.vertex[i]
    for slot in range(m.ring_first[pack], m.ring_first[pack + 1]):
        u = m.ring_columns[slot, lane]
        q = m.ring_weights[slot, lane]
        x += q * (p[u, 0] - p[v, 0])
        y += q * (p[u, 1] - p[v, 1])
        z += q * (p[u, 2] - p[v, 2])
    return x, y, z


@inline
def times_inverse(inverse, i, scale, r):
    """Return scale times the inverse of row i's diagonal block, times r. inverse: of a `Matrix`."""
    pack = i // LANES
    lane = i % LANES
    a = inverse[pack, lane]
    b = inverse[pack, LANES + lane]
    c = inverse[pack, 2 * LANES + lane]
    d = inverse[pack, 3 * LANES + lane]
    e = inverse[pack, 4 * LANES + lane]
    f = inverse[pack, 5 * LANES + lane]
    return (
        scale * (a * r[0] + b * r[1] + c * r[2]),
        scale * (b * r[0] + d * r[1] + e * r[2]),
        scale * (c * r[0] + e * r[1] + f * r[2]),
    )


@inline
def invert_own(m, i):
    """Invert row i's diagonal block, including its second-ring part."""
    pack = i // LANES
    lane = i % LANES
    slot = m.first[pack]
    less = ZERO
    for k in range(m.ring_first[pack], m.ring_first[pack + 1]):
        less += m.ring_weights[k, lane]
    H = (
        m.values[slot, lane] - less,
        m.values[slot, 3 * LANES + lane],
        m.values[slot, 6 * LANES + lane],
        m.values[slot, 4 * LANES + lane] - less,
        m.values[slot, 7 * LANES + lane],
        m.values[slot, 8 * LANES + lane] - less,
    )
    a, b, c = sym3.solve(H, (ONE, ZERO, ZERO))
    _, d, e = sym3.solve(H, (ZERO, ONE, ZERO))
    _, _, f = sym3.solve(H, (ZERO, ZERO, ONE))
    m.inverse[pack, lane] = a
    m.inverse[pack, LANES + lane] = b
    m.inverse[pack, 2 * LANES + lane] = c
    m.inverse[pack, 3 * LANES + lane] = d
    m.inverse[pack, 4 * LANES + lane] = e
    m.inverse[pack, 5 * LANES + lane] = f


@read_by_many
class Start(NamedTuple):
    """go: (1,) int32, of every launch: 0 where nothing is to be done any more. values: of a `Matrix`. weights: constant
    numbers, times the unit matrix, (slots, 16) [N/m]."""

    go: Array
    values: Array
    weights: Array


@body
def start(i, args):
    """Initialise a block of the matrix with its constant part."""
    if args.go[0] == 0:
        return
    slot = i // LANES
    lane = i % LANES
    for k in range(9):
        args.values[slot, k * LANES + lane] = args.weights[slot, lane] if k % 4 == 0 else ZERO


@read_by_many
class Close(NamedTuple):
    """x0: (n, 4), the last number h^2 / mass."""

    go: Array
    matrix: Matrix
    x0: Array


@body
def close(i, args):
    """Complete a row: its diagonal block is inertia less the sum of the others, because energies are invariant under
    translation."""
    m = args.matrix
    if args.go[0] == 0 or m.vertex[i] < 0:
        return
    pack = i // LANES
    lane = i % LANES
    slot = m.first[pack]
    inertia = ONE / args.x0[m.vertex[i], 3]
    for k in range(9):
        total = m.values[slot, k * LANES + lane]
        for other in range(slot + 1, m.first[pack + 1]):
            total -= m.values[other, k * LANES + lane]
        m.values[slot, k * LANES + lane] = total + inertia if k % 4 == 0 else total
    invert_own(m, i)


def vectors(device: SerialDevice, n: int, count: int) -> list[Array]:
    """So many vectors of n rows, zero."""
    return [device.zeros((n, 4), np.float32) for _ in range(count)]
