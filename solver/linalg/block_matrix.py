"""A mesh's symmetric matrix of 3x3 blocks, one for each vertex and each pair of neighbours.

Row v has the columns columns[k], ascending, for k from rows[v] to rows[v + 1]; its block k is values[k], (9,), column by
column. diagonal[v] is the place of its diagonal block, which ends its lower half. Rows of fixed vertices are zero except for
their diagonal block, which is one; their columns are not zero: prescribed motion of such a vertex acts on the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..device.row_kernels import uncounted_row_kernel
from ..device.simd.blocks import row_product
from ..device.threads import run
from ..device.uncounted import inline, uncounted_kernel

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
        """Return the places of the blocks of neighbours."""
        return self.find(row, column)[0]

    def lower_places(self, row: Array, column: Array) -> Array:
        """The same of the blocks below the diagonal; of others -1 less the place of their transposes, which are."""
        lower = self.places(np.maximum(row, column), np.minimum(row, column))
        return np.where(row > column, lower, -1 - lower)

    def find(self, row: Array, column: Array) -> tuple[Array, Array]:
        """Return the places of blocks, and whether they exist: others have a place without meaning."""
        wanted = row.astype(np.int64) * self.vertices + column
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return place, self._keys[place] == wanted

    @cached_property
    def _keys(self) -> Array:
        """Row * n + column of each block, ascending, (k,)."""
        n = self.vertices
        return np.repeat(np.arange(n), np.diff(self.rows)) * n + self.columns

    def blocks(self, corners: Array) -> tuple[Array, Array]:
        """Return the places of the blocks of all pairs of the corners of each element, (k, corners^2), -1 for missing ones;
        and whether all exist, (k,) bool. corners: (k, corners) int32."""
        count, width = corners.shape
        places, there = np.empty((count, width * width), np.int32), np.empty(count, bool)
        find_blocks(self.rows, self.columns, corners, places, there)
        return places, there


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
def find_blocks(rows, columns, corners, places, there):
    """See `Pattern.blocks`. Written: places, there."""
    width = corners.shape[1]
    for k in range(len(corners)):
        complete = True
        for a in range(width):
            row = corners[k, a]
            for b in range(width):
                places[k, width * a + b] = place_of_block(rows, columns, row, corners[k, b])
                complete &= places[k, width * a + b] >= 0
        there[k] = complete


@inline
def place_of_block(rows, columns, row, column):
    """Return the place of the block of two neighbours, -1 for others."""
    place, end = rows[row], rows[row + 1]
    while place < end and columns[place] < column:
        place += 1
    return place if place < end and columns[place] == column else -1


@uncounted_kernel
def multiply(first, last, rows, columns, values, p, out):
    """out = A p for the rows first to last; both (n, 3)."""
    for v in range(first, last):
        a, b, c = row_product(values, columns, rows[v], rows[v + 1], p)
        out[v, 0] = a
        out[v, 1] = b
        out[v, 2] = c


def close(pattern: Pattern, free: Array, inertia: Array, values: Array) -> None:
    """Complete a matrix from its blocks below the diagonal: the others are their transposes, and a free row's diagonal block
    is inertia less the sum of the row's others, because energies are invariant under translation. Other rows become those
    of the unit matrix. free: (n,) bool. inertia: M / h^2 [N/m], (n,). Written: values (k, 9).
    """
    p, inertia_of_rows = pattern, inertia.astype(values.dtype)
    run(close_rows, p.vertices, p.rows, p.diagonal, p.mirror, inertia_of_rows, values)
    make_unit_rows(np.flatnonzero(~free), p.rows, p.diagonal, values)


@uncounted_row_kernel
def close_rows(first, last, rows, diagonal, mirror, inertia, values):
    """`close`, of the rows first to last, as if all were free."""
    zero = values.dtype.type(0)
    for v in range(first, last):
        diagonal_place = diagonal[v]
        a, b, c, d, e, f, g, h, i = zero, zero, zero, zero, zero, zero, zero, zero, zero
        for k in range(rows[v], rows[v + 1]):
            if k == diagonal_place:
                continue
            if k < diagonal_place:
                n = values[k]
                a, b, c, d, e, f, g, h, i = (
                    a - n[0], b - n[1], c - n[2], d - n[3], e - n[4], f - n[5], g - n[6], h - n[7], i - n[8],
                )  # fmt: skip
            else:
                m = values[mirror[k]]
                q, r, s, t, u, w, x, y, z = m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]
                n = values[k]
                n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8] = q, r, s, t, u, w, x, y, z
                a, b, c, d, e, f, g, h, i = a - q, b - r, c - s, d - t, e - u, f - w, g - x, h - y, i - z
        n = values[diagonal_place]
        more = inertia[v]
        n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8] = a + more, b, c, d, e + more, f, g, h, i + more


@uncounted_kernel
def make_unit_rows(held, rows, diagonal, values):
    """The rows held become those of the unit matrix."""
    for number in range(len(held)):
        v = held[number]
        for k in range(rows[v], rows[v + 1]):
            for i in range(9):
                values[k, i] = 0
        for i in (0, 4, 8):
            values[diagonal[v], i] = 1
