"""Conjugate gradients on a mesh's matrix of 3x3 blocks, preconditioned by incomplete factors plus the motion of patches.

The factors carry a load along the rows of the mesh, the patches across it. Sums over vertices are doubles in a fixed order:
the same bits in every run.
"""

from __future__ import annotations

from ..device.cpu import kernel
from ..mathlib.banded import solve
from .block_matrix import multiply
from .incomplete_cholesky import substitute


@kernel
def dot(p, q):
    """Sum of p q over (n, 3), in double precision."""
    total = 0.0
    for v in range(len(p)):
        total += float(p[v, 0] * q[v, 0] + p[v, 1] * q[v, 1] + p[v, 2] * q[v, 2])
    return total


@kernel
def gather_patches(rows, columns, diagonal, values, free, first, patch, share, band):
    """band = N^T A N for the translations N of the patches, as `mathlib/banded.py` keeps it."""
    band[:] = 0
    width = band.shape[1] - 1
    for v in range(len(rows) - 1):
        if not free[v]:
            continue
        for k in range(rows[v], diagonal[v] + 1):
            u = columns[k]
            if not free[u]:
                continue
            for a in range(first[v], first[v + 1]):
                for b in range(first[u], first[u + 1]):
                    both = share[a] * share[b]
                    for i in range(3):
                        for j in range(3):
                            row = 3 * patch[a] + i
                            column = 3 * patch[b] + j
                            number = both * values[k, 3 * i + j]
                            if column <= row:
                                band[row, column - row + width] += number
                            if row <= column and u != v:
                                band[column, row - column + width] += number
    for row in range(len(band)):
        band[row, width] = band[row, width] * (1.0 + 1e-6) + 1e-12  # patches of fixed vertices have no stiffness


@kernel
def restrict(free, first, patch, share, residual, coarse):
    """coarse = N^T residual, (3 patches,)."""
    coarse[:] = 0
    for v in range(len(residual)):
        if free[v]:
            for k in range(first[v], first[v + 1]):
                at = 3 * patch[k]
                coarse[at] += share[k] * residual[v, 0]
                coarse[at + 1] += share[k] * residual[v, 1]
                coarse[at + 2] += share[k] * residual[v, 2]


@kernel
def prolong(free, first, patch, share, coarse, residual, out):
    """out += N coarse; returns the product of out and the residual."""
    total = 0.0
    for v in range(len(out)):
        a = float(out[v, 0])
        b = float(out[v, 1])
        c = float(out[v, 2])
        if free[v]:
            for k in range(first[v], first[v + 1]):
                at = 3 * patch[k]
                a += share[k] * coarse[at]
                b += share[k] * coarse[at + 1]
                c += share[k] * coarse[at + 2]
        out[v, 0] = a
        out[v, 1] = b
        out[v, 2] = c
        total += a * residual[v, 0] + b * residual[v, 1] + c * residual[v, 2]
    return total


@kernel
def precondition(factors, patches, free, band, residual, coarse, out):
    """out = ((L L^T)^-1 + N (N^T A N)^-1 N^T) residual; returns their product. coarse: (3 patches,), overwritten."""
    rows, columns, lower, inverse = factors
    first, patch, share = patches
    restrict(free, first, patch, share, residual, coarse)
    solve(band, coarse)
    out[:] = residual
    substitute(rows, columns, lower, inverse, out)
    return prolong(free, first, patch, share, coarse, residual, out)


@kernel
def advance(step, p, product, x, residual):
    """x += step p, residual -= step A p."""
    for v in range(len(p)):
        for i in range(3):
            x[v, i] += step * p[v, i]
            residual[v, i] -= step * product[v, i]


@kernel
def minimise(matrix, factors, patches, free, band, iterations, coarse, work, residual, x):
    """Improves x, (n, 3), which solves A x = b but for `residual` (zero where not free); takes work[0] as first direction.

    matrix: (rows, columns, values). factors: (rows, columns, lower, inverse). patches: (first, patch, share).
    work: (3, n, 3), overwritten.
    """
    rows, columns, values = matrix
    p = work[0]
    product = work[1]
    z = work[2]
    multiply(0, len(p), rows, columns, values, p, product)
    curvature = dot(p, product)
    if curvature > 0:
        advance(p.dtype.type(dot(p, residual) / curvature), p, product, x, residual)
    old = precondition(factors, patches, free, band, residual, coarse, z)
    p[:] = z
    for iteration in range(iterations):
        multiply(0, len(p), rows, columns, values, p, product)
        curvature = dot(p, product)
        if not curvature > 0:  # nothing is left, or the numbers are no longer finite
            break
        advance(p.dtype.type(old / curvature), p, product, x, residual)
        if iteration == iterations - 1:
            break
        new = precondition(factors, patches, free, band, residual, coarse, z)
        share_of_old = p.dtype.type(new / old)
        for v in range(len(p)):
            for i in range(3):
                p[v, i] = z[v, i] + share_of_old * p[v, i]
        old = new
