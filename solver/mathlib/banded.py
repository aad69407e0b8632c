"""Cholesky factors of banded symmetric matrices, in place: what SciPy would do, which Blender does not have.

A matrix of n rows is kept as (n, width + 1): row r holds the columns r - width to r, so the diagonal stands last.
"""

import math

from ..device.cpu import element, kernel

#: A pivot is at least this share of its diagonal number: the matrices here only precondition.
SMALLEST_PIVOT = 1e-10


@element
def _product(p, q):
    """Sum of p q of two slices: counted from 0, so that it is vectorised."""
    total = p.dtype.type(0)
    for i in range(len(p)):
        total += p[i] * q[i]
    return total


@kernel
def factor(band):
    """The factor L of L L^T = A in place of A. Row by row, so that the innermost sums run along the memory."""
    width = band.shape[1] - 1
    for i in range(len(band)):
        low = max(0, i - width)
        own = i - width  # column c of row i stands at c - own
        row = band[i]
        for j in range(low, i):
            other = j - width
            start = max(low, other)
            less = _product(row[start - own : j - own], band[j, start - other : j - other])
            row[j - own] = (row[j - own] - less) / band[j, width]
        diagonal = row[width]
        head = row[low - own : width]
        row[width] = math.sqrt(max(diagonal - _product(head, head), SMALLEST_PIVOT * diagonal))


@kernel
def solve(band, y):
    """y = (L L^T)^-1 y in place. band: `factor`'s result. y: (n,)."""
    width = band.shape[1] - 1
    for i in range(len(band)):
        low = max(0, i - width)
        y[i] = (y[i] - _product(band[i, low - i + width : width], y[low:i])) / band[i, width]
    for i in range(len(band) - 1, -1, -1):
        low = max(0, i - width)
        value = y[i] / band[i, width]
        y[i] = value
        row = band[i, low - i + width : width]
        above = y[low:i]
        for c in range(len(row)):
            above[c] -= row[c] * value
