"""Unknowns that are eliminated from a linear system, and how conjugate gradients know of them.

Of [[A, B], [B^T, C]] with few other unknowns remains A - B C^-1 B^T = A - W W^T. W is of full strength where it stands, so
factors of A alone know nothing of motions in which both move together. These are deflated: V = D^-1 W with the own blocks D
of the rows that W has, those of each group of unknowns made orthonormal in the norm of A - W W^T. Groups are corrected one
after the other, there and back: what they have in common is left to the iterations, and no matrix is larger than a group's.
Source: as `conjugate_gradients`; of groups in turn, Smith, Bjorstad, Gropp 1996, "Domain decomposition", symmetric
multiplicative Schwarz.
"""

from __future__ import annotations

import numpy as np

from ..device.uncounted import uncounted_kernel

Array = np.ndarray


class Eliminated:
    """arrays: (rows (t,), W (t, 3, r)), and the deflated motions V and (A - W W^T) V, (s, n, 3) each. None of rows: nothing
    is eliminated."""

    def __init__(self, n: int, rows: Array, couplings: Array, dtype: np.dtype):
        none = np.zeros((0, n, 3), dtype)
        self.arrays = (rows.astype(np.int32), np.ascontiguousarray(couplings, dtype), none, none)

    def motions(self, own: Array, size: int, least: float) -> tuple[Array, Array]:
        """Motions that each group of so many unknowns shares with the rows, at these, (groups, size, t, 3), and which of them
        count for more than a share `least` of the rows' stiffness, (groups, size) bool; others are zero.

        own: D, (t, 3, 3) double."""
        rows, couplings, _, _ = self.arrays
        groups = couplings.shape[2] // size
        coupled = couplings.astype(float)
        answer = np.linalg.solve(own, coupled).reshape(len(rows), 3, groups, size)
        share, turn = np.linalg.eigh(np.einsum("tkgr,tkgs->grs", coupled.reshape(answer.shape), answer))
        counts = share > least
        return np.einsum("tkgr,grs->gstk", answer, turn) * counts[:, :, None, None], counts

    def deflate(self, motions: Array, products: Array, counts: Array) -> None:
        """motions: of each group, (groups, size, n, 3), those that count linearly independent, (groups, size) bool.
        products: of the matrix with these."""
        rows, couplings, _, _ = self.arrays
        matrix = np.einsum("gsnk,gtnk->gst", motions.astype(float), products.astype(float))
        matrix = 0.5 * (matrix + matrix.transpose(0, 2, 1)) + np.eye(counts.shape[1]) * ~counts[:, None]
        inverse = np.linalg.inv(np.linalg.cholesky(matrix))
        both = (np.einsum("gst,gtnk->gsnk", inverse, a)[counts].astype(couplings.dtype) for a in (motions, products))
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


@uncounted_kernel
def add_deflated(eliminated, residual, z):
    """z += V V^T (residual - (A - W W^T) z) of one group after the other, there and back: what is left of a residual along
    the deflated motions; both (n, 3)."""
    _, _, motions, products = eliminated
    b = residual.reshape(-1)
    x = z.reshape(-1)
    for k in range(2 * len(motions)):
        c = min(k, 2 * len(motions) - 1 - k)
        motion = motions[c].reshape(-1)
        product = products[c].reshape(-1)
        total = 0.0
        for i in range(len(x)):
            total += float(motion[i]) * float(b[i]) - float(product[i]) * float(x[i])
        for i in range(len(x)):
            x[i] += motion[i] * total
