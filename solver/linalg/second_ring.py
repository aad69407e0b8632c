"""Second-ring couplings, of vertices that are no neighbours in the mesh: for a pair's motions d, F d = q (d_b - d_a) at a.

The matrix itself holds the rest of the energy as if the other end of every pair moved with the vertex, which is stiffer
where q > 0: incomplete factors are made of that alone, and each product with the matrix adds the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.simd.blocks import weighted_differences
from ..device.uncounted import uncounted_kernel

Array = np.ndarray


@dataclass(frozen=True)
class SecondRingCouplings:
    """pairs (p, 2) and their weights (p,) [N/m]; and row by row, both ways: arrays, (rows (n + 1,), columns, weights)."""

    pairs: Array
    weights: Array
    arrays: tuple[Array, Array, Array]


def second_ring_couplings(n: int, parts: list[tuple[Array, Array]], dtype: np.dtype) -> SecondRingCouplings:
    """Return the couplings of n rows. parts: pairs (p, 2) and their weights (p,)."""
    pairs = np.concatenate([np.zeros((0, 2), np.int32), *(part[0] for part in parts)])
    weights = np.concatenate([np.zeros(0), *(part[1] for part in parts)])
    row = np.concatenate([pairs[:, 0], pairs[:, 1]])
    order = np.argsort(row, kind="stable")
    rows = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))]).astype(np.int32)
    columns = np.concatenate([pairs[:, 1], pairs[:, 0]])[order].astype(np.int32)
    return SecondRingCouplings(pairs, weights, (rows, columns, np.tile(weights, 2)[order].astype(dtype)))


@uncounted_kernel
def add_second_ring(first, last, couplings, free, p, out):
    """Add F p to out in the free rows of those from first to last; both (n, 3)."""
    rows, columns, weights = couplings
    for v in range(first, last):
        if free[v]:
            a, b, c = weighted_differences(weights, columns, rows[v], rows[v + 1], p, v)
            out[v, 0] += a
            out[v, 1] += b
            out[v, 2] += c
