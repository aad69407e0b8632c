"""Incomplete Cholesky factors of a mesh's matrix of 3x3 blocks, with its sparsity pattern.

As a preconditioner they propagate a load along the rows of the mesh at once, also along the yarns of a fabric that is far
stiffer in that direction than in shear, where a smooth coarse space helps little. They need a fixed pattern and two passes
over it. Source: Meijerink and van der Vorst 1977, "An iterative solution method for linear systems of which the coefficient
matrix is a symmetric M-matrix".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device.atomics import add_atomically, claim, finish, wait_for_change
from ..device.cpu import element, kernel
from ..device.simd.blocks import row_product, sum_of_products
from ..device.threads import PATIENCE, share, stages, threads_for
from ..device.uncounted import inline, subroutine, uncounted_kernel
from .block_matrix import Pattern
from .strips import BODY, END, FIRST

Array = np.ndarray

#: A pivot is at least this share of its diagonal number, so that its root exists.
TINY = 1e-6


@dataclass(frozen=True)
class FactorPattern:
    """Pattern of the factors, that of the matrix: L below the diagonal, its transpose above.

    For block k below the diagonal, row by row, left[t] and right[t], t from first[k] to first[k + 1], are the pairs of
    places whose product is subtracted. keep: share of its own square that block k subtracts from its row's diagonal, (k,).
    begin: first k of each row, (n,).
    """

    begin: Array
    first: Array
    left: Array
    right: Array
    keep: Array

    @property
    def is_exact(self) -> bool:
        """Return whether all products have a block: the product of the factors is the matrix."""
        return bool((self.keep == 1.0).all())


def factor_pattern(matrix: Pattern) -> FactorPattern:
    n = matrix.vertices
    row = np.repeat(np.arange(n), np.diff(matrix.rows))
    place = np.flatnonzero(matrix.columns < row)
    row, column = row[place].astype(np.int64), matrix.columns[place].astype(np.int64)
    rows = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))])
    keys = row * n + column
    # Pairs (i, k), (i, j) of one row with k < j, of which (j, k) is a block too.
    count = np.diff(rows)[row]
    a = np.repeat(np.arange(len(row)), count)  # (i, j)
    b = np.repeat(rows[row], count) + np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)  # (i, k)
    keep = column[b] < column[a]
    a, b = a[keep], b[keep]
    wanted = column[a] * n + column[b]
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    in_pattern = keys[at] == wanted if len(keys) else np.zeros(0, bool)
    a, b, c = a[in_pattern], b[in_pattern], at[in_pattern]
    first = np.concatenate([[0], np.cumsum(np.bincount(a, minlength=len(row)))])
    # Pairs (i, k), (j, k) of one column that have no block (i, j) to go to.
    below = np.bincount(column, minlength=n)[column] - 1  # partners of each block in its column
    met = np.bincount(b, minlength=len(row)) + np.bincount(c, minlength=len(row))
    keep = 1.0 - (below - met)
    begin, first, left, right = (x.astype(np.int32) for x in (rows[:-1], first, place[b], place[c]))
    return FactorPattern(begin, first, left, right, keep)


@element
def _inverse_factor(a00, a10, a11, a20, a21, a22, d0, d1, d2):
    """Inverse of the lower Cholesky factor of a symmetric 3x3 matrix: 00, 10, 11, 20, 21, 22; then its smallest pivot as a
    share of the numbers d of the full diagonal."""
    p0 = max(a00, TINY * d0)
    r0 = 1 / math.sqrt(p0)
    l10 = a10 * r0
    l20 = a20 * r0
    p1 = max(a11 - l10 * l10, TINY * d1)
    r1 = 1 / math.sqrt(p1)
    l21 = (a21 - l20 * l10) * r1
    p2 = max(a22 - l20 * l20 - l21 * l21, TINY * d2)
    r2 = 1 / math.sqrt(p2)
    i10 = -r1 * l10 * r0
    i21 = -r2 * l21 * r1
    i20 = -r2 * (l20 * r0 + l21 * i10)
    return r0, i10, r1, i20, i21, r2, min(min(p0 / d0, p1 / d1), p2 / d2)


@element
def put_block(blocks, k, a, b, c, d, e, f, g, h, i):
    blocks[k, 0] = a
    blocks[k, 1] = b
    blocks[k, 2] = c
    blocks[k, 3] = d
    blocks[k, 4] = e
    blocks[k, 5] = f
    blocks[k, 6] = g
    blocks[k, 7] = h
    blocks[k, 8] = i


def factorise(
    pairs: tuple, careful: float, smallest: float, matrix: tuple, mirror: Array, free: Array, strips: Array, factors, inverse
) -> float:
    """Factorise. Written: factors, L and its transpose in the matrix's places, (k, 9); inverse, of L's diagonal blocks, (n,
    6).

    pairs: (begin, first, left, right, keep) of the factors' pattern. matrix: (rows, columns, diagonal, values). careful:
    share of dropped fill-in that is compensated on the diagonal. With 1 the product is the matrix plus a positive one, so no
    pivot vanishes; with less the factors are better, if they exist. Returns the smallest pivot, as a share of its number in
    the matrix, and stops if that is below `smallest`. strips: `strips.strips_of`.
    """
    threads = threads_for(len(inverse), len(strips))
    least, progress = np.ones((2, len(strips))), stages(2)
    arguments = (pairs, careful, smallest, matrix, mirror, free, strips, factors, inverse)
    share(factorise_strips, [progress] * threads, least, *arguments)
    return float(least.min())


@uncounted_kernel
def factorise_strips(
    thread, threads, known, begun, progress, least,
    pairs, careful, smallest, matrix, mirror, free, strips, factors, inverse,
):  # fmt: skip
    """Run `factorise` on one thread, as a task of `threads.share`: heads of strips, then the rest. Written: least (2,
    strips), once ones."""
    if threads > 1 and thread == 0:
        add_atomically(begun, 0, 1)
    for stage in range(2):
        done = 0
        piece = claim(progress[stage], thread, len(strips))
        while piece >= 0:
            i = int(strips[piece, FIRST])  # of one type throughout: else rows are compiled for two
            body = strips[piece, BODY]
            last = strips[piece, END] if stage == 1 else body
            low = 1.0
            while i < last and not low < smallest:
                if i >= body or (i - strips[piece, FIRST]) % 2 != stage:
                    low = min(low, _factor_row(i, pairs, careful, matrix, mirror, free, factors, inverse))
                i += 1
            least[stage, piece] = low
            done += 1
            piece = claim(progress[stage], thread, len(strips))
        finish(progress[stage], done, len(strips))
        low = 1.0
        for piece in range(len(strips)):
            low = min(low, least[stage, piece])
        if low < smallest:
            break
    return wait_for_change(begun, 0, known, PATIENCE) if thread > 0 else known


@inline
def _factor_row(i, pairs, careful, matrix, mirror, free, factors, inverse):
    """The factors' row i, and its smallest pivot."""
    begin, first, left, right, keep = pairs
    rows, columns, diagonal, values = matrix
    block = values[diagonal[i]]
    a00 = float(block[0])
    a10 = float(block[1])
    a11 = float(block[4])
    a20 = float(block[2])
    a21 = float(block[5])
    a22 = float(block[8])
    d0 = a00
    d1 = a11
    d2 = a22
    for k in range(rows[i], diagonal[i]):
        at = begin[i] + k - rows[i]
        j = columns[k]
        if not (free[i] and free[j]):
            for c in range(9):
                factors[k, c] = 0
                factors[mirror[k], c] = 0
            continue
        m = values[k]
        lost = sum_of_products(factors, left, right, first[at], first[at + 1])
        m00 = m[0] - lost[0]
        m10 = m[1] - lost[1]
        m20 = m[2] - lost[2]
        m01 = m[3] - lost[3]
        m11 = m[4] - lost[4]
        m21 = m[5] - lost[5]
        m02 = m[6] - lost[6]
        m12 = m[7] - lost[7]
        m22 = m[8] - lost[8]
        g = inverse[j]
        n00 = m00 * g[0]
        n01 = m00 * g[1] + m01 * g[2]
        n02 = m00 * g[3] + m01 * g[4] + m02 * g[5]
        n10 = m10 * g[0]
        n11 = m10 * g[1] + m11 * g[2]
        n12 = m10 * g[3] + m11 * g[4] + m12 * g[5]
        n20 = m20 * g[0]
        n21 = m20 * g[1] + m21 * g[2]
        n22 = m20 * g[3] + m21 * g[4] + m22 * g[5]
        put_block(factors, k, n00, n10, n20, n01, n11, n21, n02, n12, n22)
        put_block(factors, mirror[k], n00, n01, n02, n10, n11, n12, n20, n21, n22)
        share = 1.0 - careful * (1.0 - keep[at])
        a00 -= share * (n00 * n00 + n01 * n01 + n02 * n02)
        a10 -= share * (n10 * n00 + n11 * n01 + n12 * n02)
        a11 -= share * (n10 * n10 + n11 * n11 + n12 * n12)
        a20 -= share * (n20 * n00 + n21 * n01 + n22 * n02)
        a21 -= share * (n20 * n10 + n21 * n11 + n22 * n12)
        a22 -= share * (n20 * n20 + n21 * n21 + n22 * n22)
    f = _inverse_factor(a00, a10, a11, a20, a21, a22, d0, d1, d2)
    for c in range(6):
        inverse[i, c] = f[c]
    return f[6]


@kernel
def substitute(strips, args, y):
    """y = (L L^T)^-1 y in place, (n, 3). args: (rows, columns, diagonal, factors, inverse)."""
    for stage in range(3):
        for piece in range(len(strips)):
            substitute_strip(stage, strips[piece], args, y)


@subroutine
def substitute_strip(stage, strip, args, y):
    """Substitute: stage 0 goes forward through a strip's head, 1 forward and back through the rest, 2 back through
    the head."""
    first, body, end = int(strip[FIRST]), int(strip[BODY]), int(strip[END])
    if stage == 0:
        for i in range(first + 1, body, 2):
            _forward_row(i, args, y)
    elif stage == 1:
        for i in range(first, body, 2):
            _forward_row(i, args, y)
        for i in range(body, end):
            _forward_row(i, args, y)
        for i in range(end - 1, body - 1, -1):
            _backward_row(i, args, y)
        for k in range((body - first + 1) // 2 - 1, -1, -1):
            _backward_row(first + 2 * k, args, y)
    else:
        for k in range((body - first) // 2 - 1, -1, -1):
            _backward_row(first + 1 + 2 * k, args, y)


@inline
def _forward_row(i, args, y):
    rows, columns, diagonal, factors, inverse = args
    p, q, r = row_product(factors, columns, rows[i], diagonal[i], y)
    a = y[i, 0] - p
    b = y[i, 1] - q
    c = y[i, 2] - r
    y[i, 0] = inverse[i, 0] * a
    y[i, 1] = inverse[i, 1] * a + inverse[i, 2] * b
    y[i, 2] = inverse[i, 3] * a + inverse[i, 4] * b + inverse[i, 5] * c


@inline
def _backward_row(i, args, y):
    rows, columns, diagonal, factors, inverse = args
    p, q, r = row_product(factors, columns, diagonal[i] + 1, rows[i + 1], y)
    a = y[i, 0] - p
    b = y[i, 1] - q
    c = y[i, 2] - r
    y[i, 0] = inverse[i, 0] * a + inverse[i, 1] * b + inverse[i, 3] * c
    y[i, 1] = inverse[i, 2] * b + inverse[i, 4] * c
    y[i, 2] = inverse[i, 5] * c
