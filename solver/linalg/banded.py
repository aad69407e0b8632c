"""Cholesky factors of banded symmetric matrices, in place: as in SciPy, which Blender lacks.

A matrix of n rows is stored as (n, width + 1): row r has the columns r to r + width, so the diagonal is first.
"""

import math

from ..device.cpu import kernel, summing_kernel

#: Least pivot as a share of its diagonal number: the matrices here only precondition.
SMALLEST_PIVOT = 1e-10


@kernel
def factor(band):
    """Factorise A = U^T U in place. Row by row from the top, each subtracted at once from those below it: so the innermost
    loops run along the memory, and no sum waits for its last number."""
    n = len(band)
    for k in range(n):
        row = band[k]
        root = math.sqrt(row[0])
        row[0] = root
        last = min(band.shape[1] - 1, n - 1 - k)
        for c in range(1, last + 1):
            row[c] /= root
        for i in range(1, last + 1):
            share = row[i]
            below = band[k + i]
            floor = SMALLEST_PIVOT * below[0]
            for c in range(last + 1 - i):
                below[c] -= share * row[i + c]
            below[0] = max(below[0], floor)


@summing_kernel
def solve(band, y):
    """y = (U^T U)^-1 y in place. band: `factor`'s result. y: (n,)."""
    n = len(band)
    width = band.shape[1] - 1
    for i in range(n):
        value = y[i] / band[i, 0]
        y[i] = value
        row = band[i, 1 : min(width, n - 1 - i) + 1]
        below = y[i + 1 :]
        for c in range(len(row)):
            below[c] -= row[c] * value
    for i in range(n - 1, -1, -1):
        row = band[i, 1 : min(width, n - 1 - i) + 1]
        below = y[i + 1 :]
        less = 0.0
        for c in range(len(row)):
            less += row[c] * below[c]
        y[i] = (y[i] - less) / band[i, 0]
