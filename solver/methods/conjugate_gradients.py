"""Conjugate gradients on a mesh's matrix of 3x3 blocks, preconditioned by its diagonal blocks plus the motion of patches.

The blocks of row v are values[k], row by row, in column columns[k], k from rows[v] to rows[v + 1]; rows of vertices that
are not free are zero, their columns are not. Sums over vertices are doubles in a fixed order, on one thread: the same bits
in every run.
"""

from ..device.cpu import kernel
from ..mathlib.banded import solve


@kernel
def multiply(rows, columns, values, p, out):
    """out = A p; both (n, 3)."""
    zero = p.dtype.type(0)
    for v in range(len(rows) - 1):
        a = zero
        b = zero
        c = zero
        for k in range(rows[v], rows[v + 1]):
            j = columns[k]
            x = p[j, 0]
            y = p[j, 1]
            z = p[j, 2]
            a += values[k, 0] * x + values[k, 1] * y + values[k, 2] * z
            b += values[k, 3] * x + values[k, 4] * y + values[k, 5] * z
            c += values[k, 6] * x + values[k, 7] * y + values[k, 8] * z
        out[v, 0] = a
        out[v, 1] = b
        out[v, 2] = c


@kernel
def dot(p, q):
    """Sum of p q over (n, 3), in double precision."""
    total = 0.0
    for v in range(len(p)):
        total += float(p[v, 0] * q[v, 0] + p[v, 1] * q[v, 1] + p[v, 2] * q[v, 2])
    return total


@kernel
def invert_diagonal(diagonal, values, free, inverse):
    """inverse: 00, 01, 02, 11, 12, 22 of the inverse of each free vertex's own block, (n, 6), else 0."""
    for v in range(len(diagonal)):
        if not free[v]:
            inverse[v] = 0
            continue
        m = values[diagonal[v]]
        a = float(m[0])
        b = float(m[4])
        c = float(m[8])
        d = float(m[1])
        e = float(m[2])
        f = float(m[5])
        p = b * c - f * f
        q = e * f - d * c
        r = d * f - b * e
        share = 1.0 / (a * p + d * q + e * r)
        inverse[v, 0] = p * share
        inverse[v, 1] = q * share
        inverse[v, 2] = r * share
        inverse[v, 3] = (a * c - e * e) * share
        inverse[v, 4] = (d * e - a * f) * share
        inverse[v, 5] = (a * b - d * d) * share


@kernel
def gather_patches(rows, columns, values, free, first, patch, share, band):
    """band = N^T A N for the translations N of the patches, as `mathlib/banded.py` keeps it."""
    band[:] = 0
    width = band.shape[1] - 1
    for v in range(len(rows) - 1):
        if not free[v]:
            continue
        for k in range(rows[v], rows[v + 1]):
            u = columns[k]
            if not free[u]:
                continue
            for a in range(first[v], first[v + 1]):
                for b in range(first[u], first[u + 1]):
                    if patch[b] > patch[a]:
                        break
                    both = share[a] * share[b]
                    for i in range(3):
                        row = 3 * patch[a] + i
                        for j in range(3):
                            column = 3 * patch[b] + j
                            if column <= row:
                                band[row, column - row + width] += both * values[k, 3 * i + j]
    for row in range(len(band)):
        band[row, width] = band[row, width] * (1.0 + 1e-6) + 1e-12  # patches of fixed vertices have no stiffness


@kernel
def precondition(inverse, free, first, patch, share, factors, residual, coarse, out):
    """out = (diagonal^-1 + N (N^T A N)^-1 N^T) residual; returns their product. coarse: (3 patches,), overwritten."""
    coarse[:] = 0
    for v in range(len(inverse)):
        if free[v]:
            for k in range(first[v], first[v + 1]):
                for i in range(3):
                    coarse[3 * patch[k] + i] += share[k] * residual[v, i]
    solve(factors, coarse)
    total = 0.0
    for v in range(len(inverse)):
        r0 = residual[v, 0]
        r1 = residual[v, 1]
        r2 = residual[v, 2]
        a = float(inverse[v, 0] * r0 + inverse[v, 1] * r1 + inverse[v, 2] * r2)
        b = float(inverse[v, 1] * r0 + inverse[v, 3] * r1 + inverse[v, 4] * r2)
        c = float(inverse[v, 2] * r0 + inverse[v, 4] * r1 + inverse[v, 5] * r2)
        if free[v]:
            for k in range(first[v], first[v + 1]):
                at = 3 * patch[k]
                a += share[k] * coarse[at]
                b += share[k] * coarse[at + 1]
                c += share[k] * coarse[at + 2]
        out[v, 0] = a
        out[v, 1] = b
        out[v, 2] = c
        total += a * r0 + b * r1 + c * r2
    return total


@kernel
def advance(step, p, product, x, residual):
    """x += step p, residual -= step A p."""
    for v in range(len(p)):
        for i in range(3):
            x[v, i] += step * p[v, i]
            residual[v, i] -= step * product[v, i]


@kernel
def minimise(rows, columns, values, inverse, free, first, patch, share, factors, iterations, coarse, work, residual, x):
    """Improves x, (n, 3), which solves A x = b but for `residual` (zero where not free); takes work[0] as first direction.

    work: (3, n, 3), overwritten.
    """
    p = work[0]
    product = work[1]
    z = work[2]
    multiply(rows, columns, values, p, product)
    curvature = dot(p, product)
    if curvature > 0:
        advance(p.dtype.type(dot(p, residual) / curvature), p, product, x, residual)
    old = precondition(inverse, free, first, patch, share, factors, residual, coarse, z)
    p[:] = z
    for iteration in range(iterations):
        multiply(rows, columns, values, p, product)
        curvature = dot(p, product)
        if not curvature > 0:  # nothing is left, or the numbers are no longer finite
            break
        advance(p.dtype.type(old / curvature), p, product, x, residual)
        if iteration == iterations - 1:
            break
        new = precondition(inverse, free, first, patch, share, factors, residual, coarse, z)
        share_of_old = p.dtype.type(new / old)
        for v in range(len(p)):
            for i in range(3):
                p[v, i] = z[v, i] + share_of_old * p[v, i]
        old = new
