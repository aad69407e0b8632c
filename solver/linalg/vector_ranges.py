"""Operations on ranges of the numbers of long vectors, for subroutines of kernels."""

from __future__ import annotations

from ..device.uncounted import inline, summing_inline

# Ranges are cut out first: of an index that might be negative LLVM makes no vectors.


@summing_inline
def range_dot(first, last, p, q):
    """Sum of p q from first to last, in double precision."""
    a = p[first:last]
    b = q[first:last]
    total = 0.0
    for i in range(len(a)):
        total += float(a[i]) * float(b[i])
    return total


@inline
def add_up(sums, group, totals):
    """totals = the sums of the segments of each group."""
    for i in range(len(totals)):
        totals[i] = 0.0
    for k in range(len(sums)):
        totals[group[k]] += sums[k]


@inline
def clear_range(first, last, p):
    """p = 0 from first to last."""
    a = p[first:last]
    for i in range(len(a)):
        a[i] = 0


@inline
def update_range(first, last, part, z, p):
    """p = z + part p from first to last."""
    a = z[first:last]
    b = p[first:last]
    for i in range(len(a)):
        b[i] = a[i] + part * b[i]


@inline
def advance_range(first, last, moved, step, flat):
    """x += step p, residual -= step A p, if it has moved; z = residual."""
    a = flat[0][first:last]
    b = flat[1][first:last]
    c = flat[4][first:last]
    d = flat[3][first:last]
    z = flat[2][first:last]
    if moved:
        for i in range(len(a)):
            c[i] += step * a[i]
            d[i] -= step * b[i]
    for i in range(len(a)):
        z[i] = d[i]
