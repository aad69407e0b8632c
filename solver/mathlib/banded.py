"""Cholesky factors of banded symmetric matrices, in place: what SciPy would do, which Blender does not have.

A matrix of n rows is kept as (n, width + 1): row r holds the columns r - width to r, so the diagonal stands last.
"""

import math

from ..device.cpu import kernel

#: A pivot is at least this share of its diagonal number: the matrices here only precondition.
SMALLEST_PIVOT = 1e-10


@kernel
def factor(band):
    """The factor L of L L^T = A in place of A. Row by row, so that the innermost sums run along the memory."""
    width = band.shape[1] - 1
    for i in range(len(band)):
        low = max(0, i - width)
        own = i - width  # column c of row i stands at c - own
        for j in range(low, i):
            other = j - width
            total = band[i, j - own]
            for c in range(max(low, other), j):
                total -= band[i, c - own] * band[j, c - other]
            band[i, j - own] = total / band[j, width]
        diagonal = band[i, width]
        pivot = diagonal
        for c in range(low, i):
            pivot -= band[i, c - own] * band[i, c - own]
        band[i, width] = math.sqrt(max(pivot, SMALLEST_PIVOT * diagonal))


@kernel
def solve(band, y):
    """y = (L L^T)^-1 y in place. band: `factor`'s result. y: (n,)."""
    width = band.shape[1] - 1
    for i in range(len(band)):
        own = i - width
        total = y[i]
        for c in range(max(0, own), i):
            total -= band[i, c - own] * y[c]
        y[i] = total / band[i, width]
    for i in range(len(band) - 1, -1, -1):
        own = i - width
        value = y[i] / band[i, width]
        y[i] = value
        for c in range(max(0, own), i):
            y[c] -= band[i, c - own] * value
