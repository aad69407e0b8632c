"""Followers."""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel

Array = np.ndarray


class Followers:
    """arrays: (rows (t,), couplings (t, 3, r)), (motions (s, n, 3), products (s, n, 3))."""

    def __init__(self, n: int, rows: Array, couplings: Array, dtype):
        self.n, self.dtype = n, dtype
        self.rows, self.couplings = rows.astype(np.int32), np.ascontiguousarray(couplings, dtype)
        none = np.zeros((0, n, 3), dtype)
        self.arrays = (self.rows, self.couplings, none, none)

    def __len__(self) -> int:
        return self.couplings.shape[2]

    def deflate(self, motions: Array, products: Array) -> None:
        """motions: (s, n, 3); products A motions."""
        matrix = np.einsum("snk,tnk->st", motions.astype(float), products.astype(float))
        matrix = 0.5 * (matrix + matrix.T)
        lower = np.linalg.cholesky(matrix)
        inverse = np.linalg.inv(lower)
        m, p = (np.ascontiguousarray(np.einsum("st,tnk->snk", inverse, a), self.dtype) for a in (motions, products))
        self.arrays = (self.rows, self.couplings, m, p)


@kernel
def subtract_followers(followers, p, out):
    """out -= W W^T p."""
    rows, couplings, _, _ = followers
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


@kernel
def subtract_following(followers, residual, z, out):
    """out += V (V^T residual - (A V)^T z); out may be z."""
    _, _, motions, products = followers
    for c in range(len(motions)):
        a = motions[c].reshape(-1)
        b = products[c].reshape(-1)
        d = residual.reshape(-1)
        e = z.reshape(-1)
        f = out.reshape(-1)
        total = 0.0
        for i in range(len(a)):
            total += float(a[i]) * float(d[i]) - float(b[i]) * float(e[i])
        for i in range(len(a)):
            f[i] += a[i] * total
