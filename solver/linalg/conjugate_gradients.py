"""Conjugate gradients on a mesh's matrix of 3x3 blocks, preconditioned by incomplete factors and deflated by a coarse space.

The coarse space is solved exactly first, then what `Eliminated` deflates. Then each direction is what incomplete factors
make of the residual, less its part in both. What rounding, and a coarse matrix that is a little stiffer, leave there is
corrected in every iteration: otherwise the error stops falling after ten. The factors carry a load along the rows of the
mesh, the coarse space across it. Sums over vertices are doubles in a fixed order: the same bits in every run.
Source: Nicolaides 1987, "Deflation of conjugate gradients with applications to boundary value problems"; of the variants in
Tang, Nabben, Vuik, Erlangga 2009, "Comparison of two-level preconditioners", this is A-DEF2.
"""

from __future__ import annotations

from ..device.cpu import kernel, summing_kernel
from .block_matrix import multiply
from .coarse_space import subtract_correction
from .contact_couplings import add_contact_couplings
from .eliminated import add_deflated, subtract_eliminated
from .incomplete_cholesky import substitute
from .second_ring import add_second_ring


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
def update_direction(share, z, p):
    """p = z + share p."""
    a = z.reshape(-1)
    b = p.reshape(-1)
    for i in range(len(a)):
        b[i] = a[i] + share * b[i]


@kernel
def subtract(p, q):
    """q -= p."""
    a = p.reshape(-1)
    b = q.reshape(-1)
    for i in range(len(a)):
        b[i] -= a[i]


@kernel
def clear(p):
    """p = 0. A slice that is assigned makes Numba compile its messages of wrong shapes, two seconds of them."""
    a = p.reshape(-1)
    for i in range(len(a)):
        a[i] = 0


@kernel
def copy(p, q):
    """q = p, see `clear`."""
    a = p.reshape(-1)
    b = q.reshape(-1)
    for i in range(len(a)):
        b[i] = a[i]


@kernel
def times(matrix, p, out):
    """out = A p."""
    rows, columns, _, values, second_ring, free, eliminated, couplings = matrix
    multiply(0, len(p), rows, columns, values, p, out)
    add_second_ring(second_ring, free, p, out)
    subtract_eliminated(eliminated, p, out)
    add_contact_couplings(couplings, p, out)


@kernel
def line_search(matrix, p, product, x, residual):
    """Moves x along p to the least error in the norm of A; product: A p, overwritten. Returns whether it could."""
    times(matrix, p, product)
    curvature = dot(p, product)
    if not curvature > 0:  # nothing is left, or the numbers are no longer finite
        return False
    advance(p.dtype.type(dot(p, residual) / curvature), p, product, x, residual)
    return True


@kernel
def deflated_conjugate_gradients(matrix, factors, coarse_space, ahead, iterations, least, work, residual, x):
    """Improves x, (n, 3), which solves A x = b but for `residual` (zero where not free). ahead: work[0] is
    searched along first. least: it ends where the square of the residual, in the norm of the preconditioner, is below this
    share of what it is before the first iteration.

    matrix: (rows, columns, diagonal, values, `SecondRingCouplings.arrays`, free, `Eliminated.arrays`, couplings
    of contacts).
    factors: (numbers, inverse). coarse_space: `CoarseSpace.arrays`. work: (3, n, 3), overwritten.
    """
    rows, columns, diagonal, _, _, _, eliminated, _ = matrix
    numbers, inverse = factors
    p = work[0]
    product = work[1]
    z = work[2]
    if ahead:
        line_search(matrix, p, product, x, residual)
    clear(p)
    subtract_correction(coarse_space, residual, p)
    line_search(matrix, p, product, x, residual)
    if len(eliminated[2]):
        clear(p)
        add_deflated(eliminated, residual, p)
        line_search(matrix, p, product, x, residual)
    old = 0.0
    begun = 0.0
    for iteration in range(iterations):
        copy(residual, z)
        substitute(rows, columns, diagonal, numbers, inverse, z)
        times(matrix, z, product)
        subtract(residual, product)
        subtract_correction(coarse_space, product, z)
        add_deflated(eliminated, residual, z)
        new = dot(z, residual)
        begun = max(begun, new)
        if least > 0 and new < least * begun:
            break
        share_of_old = p.dtype.type(0)
        if iteration > 0:
            share_of_old = p.dtype.type(new / old)
        update_direction(share_of_old, z, p)
        if not line_search(matrix, p, product, x, residual):
            break
        old = new
