"""Incomplete Cholesky factors of a mesh's matrix of 3x3 blocks: those of the full one, but only where the matrix has blocks.

As a preconditioner it carries a load along the rows of the mesh in one go, also along the yarns of a fabric that is far
stiffer that way than in shear, where smooth patches help little. It needs a fixed pattern and two passes over it.
Source: Meijerink and van der Vorst 1977, "An iterative solution method for linear systems of which the coefficient matrix
is a symmetric M-matrix".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device.cpu import element, kernel
from .block_matrix import Pattern

Array = np.ndarray

#: A pivot is at least this share of its diagonal number, so that its root exists.
TINY = 1e-6


@dataclass(frozen=True)
class FactorPattern:
    """rows (n + 1,), columns: the matrix's blocks below the diagonal; place: where they stand in it.

    For block k, left[t] and right[t], t from first[k] to first[k + 1], are the pairs of blocks whose product it loses.
    keep: what share of its own square block k takes from its row's diagonal, (k,).
    """

    rows: Array
    columns: Array
    place: Array
    first: Array
    left: Array
    right: Array
    keep: Array


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
    found = keys[at] == wanted if len(keys) else np.zeros(0, bool)
    a, b, c = a[found], b[found], at[found]
    first = np.concatenate([[0], np.cumsum(np.bincount(a, minlength=len(row)))])
    # Pairs (i, k), (j, k) of one column that have no block (i, j) to go to.
    below = np.bincount(column, minlength=n)[column] - 1  # partners of each block in its column
    met = np.bincount(b, minlength=len(row)) + np.bincount(c, minlength=len(row))
    keep = 1.0 - (below - met)
    return FactorPattern(*(x.astype(np.int32) for x in (rows, column, place, first, b, c)), keep)


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


@kernel
def factorise(rows, columns, place, first, left, right, keep, careful, diagonal, free, values, lower, inverse):
    """lower: the factor's blocks below the diagonal, (k, 9). inverse: inverses of its diagonal blocks, (n, 6).

    careful: share of what is dropped that is made good on the diagonal. With 1 the product is the matrix plus something
    positive, so no pivot vanishes; with less the factors are better, if they exist. Returns the smallest pivot, as a share
    of its number in the matrix.
    """
    smallest = 1.0
    for i in range(len(diagonal)):
        own = values[diagonal[i]]
        a00 = float(own[0])
        a10 = float(own[3])
        a11 = float(own[4])
        a20 = float(own[6])
        a21 = float(own[7])
        a22 = float(own[8])
        d0 = a00
        d1 = a11
        d2 = a22
        for k in range(rows[i], rows[i + 1]):
            if not (free[i] and free[columns[k]]):
                for c in range(9):
                    lower[k, c] = 0
                continue
            m = values[place[k]]
            m00 = m[0]
            m01 = m[1]
            m02 = m[2]
            m10 = m[3]
            m11 = m[4]
            m12 = m[5]
            m20 = m[6]
            m21 = m[7]
            m22 = m[8]
            for t in range(first[k], first[k + 1]):
                p = lower[left[t]]
                q = lower[right[t]]
                m00 -= p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
                m01 -= p[0] * q[3] + p[1] * q[4] + p[2] * q[5]
                m02 -= p[0] * q[6] + p[1] * q[7] + p[2] * q[8]
                m10 -= p[3] * q[0] + p[4] * q[1] + p[5] * q[2]
                m11 -= p[3] * q[3] + p[4] * q[4] + p[5] * q[5]
                m12 -= p[3] * q[6] + p[4] * q[7] + p[5] * q[8]
                m20 -= p[6] * q[0] + p[7] * q[1] + p[8] * q[2]
                m21 -= p[6] * q[3] + p[7] * q[4] + p[8] * q[5]
                m22 -= p[6] * q[6] + p[7] * q[7] + p[8] * q[8]
            g = inverse[columns[k]]
            n00 = m00 * g[0]
            n01 = m00 * g[1] + m01 * g[2]
            n02 = m00 * g[3] + m01 * g[4] + m02 * g[5]
            n10 = m10 * g[0]
            n11 = m10 * g[1] + m11 * g[2]
            n12 = m10 * g[3] + m11 * g[4] + m12 * g[5]
            n20 = m20 * g[0]
            n21 = m20 * g[1] + m21 * g[2]
            n22 = m20 * g[3] + m21 * g[4] + m22 * g[5]
            lower[k, 0] = n00
            lower[k, 1] = n01
            lower[k, 2] = n02
            lower[k, 3] = n10
            lower[k, 4] = n11
            lower[k, 5] = n12
            lower[k, 6] = n20
            lower[k, 7] = n21
            lower[k, 8] = n22
            share = 1.0 - careful * (1.0 - keep[k])
            a00 -= share * (n00 * n00 + n01 * n01 + n02 * n02)
            a10 -= share * (n10 * n00 + n11 * n01 + n12 * n02)
            a11 -= share * (n10 * n10 + n11 * n11 + n12 * n12)
            a20 -= share * (n20 * n00 + n21 * n01 + n22 * n02)
            a21 -= share * (n20 * n10 + n21 * n11 + n22 * n12)
            a22 -= share * (n20 * n20 + n21 * n21 + n22 * n22)
        f = _inverse_factor(a00, a10, a11, a20, a21, a22, d0, d1, d2)
        smallest = min(smallest, f[6])
        inverse[i, 0] = f[0]
        inverse[i, 1] = f[1]
        inverse[i, 2] = f[2]
        inverse[i, 3] = f[3]
        inverse[i, 4] = f[4]
        inverse[i, 5] = f[5]
    return smallest


@kernel
def substitute(rows, columns, lower, inverse, y):
    """y = (L L^T)^-1 y in place, (n, 3)."""
    n = len(inverse)
    for i in range(n):
        a = y[i, 0]
        b = y[i, 1]
        c = y[i, 2]
        for k in range(rows[i], rows[i + 1]):
            j = columns[k]
            p = y[j, 0]
            q = y[j, 1]
            r = y[j, 2]
            a -= lower[k, 0] * p + lower[k, 1] * q + lower[k, 2] * r
            b -= lower[k, 3] * p + lower[k, 4] * q + lower[k, 5] * r
            c -= lower[k, 6] * p + lower[k, 7] * q + lower[k, 8] * r
        y[i, 0] = inverse[i, 0] * a
        y[i, 1] = inverse[i, 1] * a + inverse[i, 2] * b
        y[i, 2] = inverse[i, 3] * a + inverse[i, 4] * b + inverse[i, 5] * c
    for i in range(n - 1, -1, -1):
        c = inverse[i, 5] * y[i, 2]
        b = inverse[i, 2] * y[i, 1] + inverse[i, 4] * y[i, 2]
        a = inverse[i, 0] * y[i, 0] + inverse[i, 1] * y[i, 1] + inverse[i, 3] * y[i, 2]
        y[i, 0] = a
        y[i, 1] = b
        y[i, 2] = c
        for k in range(rows[i], rows[i + 1]):
            j = columns[k]
            y[j, 0] -= lower[k, 0] * a + lower[k, 3] * b + lower[k, 6] * c
            y[j, 1] -= lower[k, 1] * a + lower[k, 4] * b + lower[k, 7] * c
            y[j, 2] -= lower[k, 2] * a + lower[k, 5] * b + lower[k, 8] * c
