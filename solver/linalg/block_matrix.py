"""A mesh's symmetric matrix of 3x3 blocks, one for each vertex and each pair of neighbours.

Row v holds the columns columns[k], ascending, for k from rows[v] to rows[v + 1]; its block k is values[k], (9,), column by
column. diagonal[v] is the place of its own block, which ends its lower half. Rows of vertices that are not free are zero but
for their own block, which is one; their columns are not zero: what such a vertex moves acts on the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.cpu import kernel
from ..device.simd.blocks import row_product
from ..device.uncounted import uncounted_kernel

Array = np.ndarray


@dataclass(frozen=True)
class Pattern:
    """rows (n + 1,), columns (k,), diagonal (n,), mirror (k,): the place of the transposed block."""

    rows: Array
    columns: Array
    diagonal: Array
    mirror: Array

    @property
    def vertices(self) -> int:
        return len(self.diagonal)

    def places(self, row: Array, column: Array) -> Array:
        """Where the blocks of neighbours stand."""
        return self.find(row, column)[0]

    def find(self, row: Array, column: Array) -> tuple[Array, Array]:
        """Where blocks stand, and whether they do: others have a place without meaning."""
        n = self.vertices
        keys = np.repeat(np.arange(n), np.diff(self.rows)) * n + self.columns
        wanted = row.astype(np.int64) * n + column
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return place, keys[place] == wanted


def pattern(n: int, edges: Array) -> Pattern:
    """edges: pairs of neighbours, each once, (e, 2)."""
    edges, loops = edges.astype(np.int64), np.arange(n)
    row = np.concatenate([edges[:, 0], edges[:, 1], loops])
    column = np.concatenate([edges[:, 1], edges[:, 0], loops])
    keys = np.sort(row * n + column)
    rows = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))])
    columns = keys % n
    mirror = np.searchsorted(keys, columns * n + keys // n)
    return Pattern(*(a.astype(np.int32) for a in (rows, columns, np.searchsorted(keys, loops * (n + 1)), mirror)))


@uncounted_kernel
def multiply(first, last, rows, columns, values, p, out):
    """out = A p for the rows first to last; both (n, 3)."""
    for v in range(first, last):
        a, b, c = row_product(values, columns, rows[v], rows[v + 1], p)
        out[v, 0] = a
        out[v, 1] = b
        out[v, 2] = c


@kernel
def join_pairs(first, last, rows, columns, mirror, values):
    """Adds to each block of two vertices, of the rows first to last, the transpose of the pair's other one, and so there."""
    for v in range(first, last):
        for k in range(rows[v], rows[v + 1]):
            if columns[k] < v:
                other = mirror[k]
                for i in range(3):
                    for j in range(3):
                        total = values[k, 3 * i + j] + values[other, 3 * j + i]
                        values[k, 3 * i + j] = total
                        values[other, 3 * j + i] = total


@kernel
def close_rows(first, last, rows, columns, diagonal, free, inertia, values):
    """Each free row's own block: inertia less the sum of the row's others, since no energy minds a translation.

    inertia: M / h^2 [N/m], (n,). Other rows become those of the unit matrix.
    """
    for v in range(first, last):
        own = diagonal[v]
        if free[v]:
            for i in range(9):
                values[own, i] = 0
            for k in range(rows[v], rows[v + 1]):
                if k != own:
                    for i in range(9):
                        values[own, i] -= values[k, i]
            extra = inertia[v]
        else:
            for k in range(rows[v], rows[v + 1]):
                for i in range(9):
                    values[k, i] = 0
            extra = values.dtype.type(1)
        values[own, 0] += extra
        values[own, 4] += extra
        values[own, 8] += extra
