"""Conjugate gradients on a mesh's matrix of 3x3 blocks, beside the exact solution for the motion of patches.

First the patches move to where nothing pushes them any more. Then each direction is what incomplete factors make of the
residual, less what of it would push a patch; so none of the directions spoils what the patches have. What pushes them even
so, by rounding and because their matrix is a little stiffer, they answer each time: without, the error fell no more after
ten iterations. The factors carry a load along the rows of the mesh, the patches across it. Sums over vertices are doubles in
a fixed order: the same bits in every run.
Source: Nicolaides 1987, "Deflation of conjugate gradients with applications to boundary value problems"; of the variants in
Tang, Nabben, Vuik, Erlangga 2009, "Comparison of two-level preconditioners", this is A-DEF2.
"""

from __future__ import annotations

from ..device.cpu import kernel, summing_kernel
from .block_matrix import multiply
from .coarse_space import subtract_motion
from .incomplete_cholesky import substitute
from .second_ring import add_far


@summing_kernel
def dot(p, q):
    """Sum of p q over (n, 3), in double precision."""
    a = p.reshape(-1)  # one long row, which LLVM turns into vectors
    b = q.reshape(-1)
    total = 0.0
    for i in range(len(a)):
        total += float(a[i]) * float(b[i])
    return total


@kernel
def advance(step, p, product, x, residual):
    """x += step p, residual -= step A p."""
    a = p.reshape(-1)
    b = product.reshape(-1)
    c = x.reshape(-1)
    d = residual.reshape(-1)
    for i in range(len(a)):
        c[i] += step * a[i]
        d[i] -= step * b[i]


@kernel
def turn(share, z, p):
    """p = z + share p."""
    a = z.reshape(-1)
    b = p.reshape(-1)
    for i in range(len(a)):
        b[i] = a[i] + share * b[i]


@kernel
def less(p, q):
    """q -= p."""
    a = p.reshape(-1)
    b = q.reshape(-1)
    for i in range(len(a)):
        b[i] -= a[i]


@kernel
def times(matrix, p, out):
    """out = A p."""
    rows, columns, _, values, far, free = matrix
    multiply(0, len(p), rows, columns, values, p, out)
    add_far(far, free, p, out)


@kernel
def descend(matrix, p, product, x, residual):
    """Goes along p as far as is best; product: A p, overwritten. Returns whether there was anything to go for."""
    times(matrix, p, product)
    curvature = dot(p, product)
    if not curvature > 0:  # nothing is left, or the numbers are no longer finite
        return False
    advance(p.dtype.type(dot(p, residual) / curvature), p, product, x, residual)
    return True


@kernel
def minimise(matrix, factors, patches, ahead, iterations, work, residual, x):
    """Improves x, (n, 3), which solves A x = b but for `residual` (zero where not free). ahead: goes along work[0] first.

    matrix: (rows, columns, diagonal, values, `FarCouplings.arrays`, free). factors: (numbers, inverse). patches:
    `PatchMotion.arrays`. work: (3, n, 3), overwritten.
    """
    rows, columns, diagonal, _, _, _ = matrix
    numbers, inverse = factors
    p = work[0]
    product = work[1]
    z = work[2]
    if ahead:
        descend(matrix, p, product, x, residual)
    p[:] = 0
    subtract_motion(patches, residual, p)
    descend(matrix, p, product, x, residual)
    old = 0.0
    for iteration in range(iterations):
        z[:] = residual
        substitute(rows, columns, diagonal, numbers, inverse, z)
        times(matrix, z, product)
        less(residual, product)
        subtract_motion(patches, product, z)
        new = dot(z, residual)
        share_of_old = p.dtype.type(0)
        if iteration > 0:
            share_of_old = p.dtype.type(new / old)
        turn(share_of_old, z, p)
        if not descend(matrix, p, product, x, residual):
            break
        old = new
