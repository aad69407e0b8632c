"""Unknowns that are eliminated from a linear system, and how conjugate gradients know of them.

Of [[A, B], [B^T, C]] with few other unknowns remains A - B C^-1 B^T = A - W W^T. W is of full strength where it stands, so
factors of A alone know nothing of motions in which both move together. These are deflated: V = A^-1 W roughly, made
orthonormal in the norm of A - W W^T.
Source: as `conjugate_gradients`.
"""

from __future__ import annotations

import numpy as np

from ..device.uncounted import subroutine, uncounted_kernel

Array = np.ndarray


class Eliminated:
    """arrays: (rows (t,), W (t, 3, r)), and the deflated motions V and (A - W W^T) V, (s, n, 3) each. None of rows: nothing
    is eliminated."""

    def __init__(self, n: int, rows: Array, couplings: Array, dtype: np.dtype):
        none = np.zeros((0, n, 3), dtype)
        self.arrays = (rows.astype(np.int32), np.ascontiguousarray(couplings, dtype), none, none)

    def deflate(self, motions: Array, products: Array) -> None:
        """motions: (s, n, 3), linearly independent. products: of the matrix with these."""
        rows, couplings, _, _ = self.arrays
        matrix = np.einsum("snk,tnk->st", motions.astype(float), products.astype(float))
        inverse = np.linalg.inv(np.linalg.cholesky(0.5 * (matrix + matrix.T)))
        both = (np.einsum("st,tnk->snk", inverse, a).astype(couplings.dtype) for a in (motions, products))
        self.arrays = (rows, couplings, *both)


@uncounted_kernel
def subtract_eliminated(eliminated, p, out):
    """out -= W W^T p; both (n, 3)."""
    rows, couplings, _, _ = eliminated
    for c in range(couplings.shape[2]):
        total = 0.0
        for q in range(len(rows)):
            v = rows[q]
            for k in range(3):
                total += float(couplings[q, k, c]) * float(p[v, k])
        for q in range(len(rows)):
            v = rows[q]
            for k in range(3):
                out[v, k] -= couplings[q, k, c] * total


@subroutine
def add_deflated(eliminated, residual, z):
    """z += V V^T (residual - (A - W W^T) z): what is left of a residual along the deflated motions; both (n, 3)."""
    _, _, motions, products = eliminated
    b = residual.reshape(-1)
    x = z.reshape(-1)
    for c in range(len(motions)):
        motion = motions[c].reshape(-1)
        product = products[c].reshape(-1)
        total = 0.0
        for i in range(len(x)):
            total += float(motion[i]) * float(b[i]) - float(product[i]) * float(x[i])
        for i in range(len(x)):
            x[i] += motion[i] * total
