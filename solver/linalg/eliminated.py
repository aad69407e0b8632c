"""Unknowns that are eliminated from a linear system, and their deflation in conjugate gradients.

Of [[A, B], [B^T, C]], where C has a small block for each of many sets of other unknowns, remains A - B C^-1 B^T = A - sum W
W^T, a W for each set. W is not small on its rows, so factors of A alone precondition motions badly in which both move
together. These are deflated: V = D^-1 W with the diagonal blocks D of the rows of W, those of each set orthonormalised in
the norm of the whole. Sets are corrected one after the other, forward and back, each by the remaining residual in its rows:
coupling between sets is left to the iterations, and no system is larger than a set.
Source: as `conjugate_gradients`; of sets in turn, Smith, Bjorstad, Gropp 1996, "Domain decomposition", symmetric
multiplicative Schwarz.
"""

from __future__ import annotations

import numpy as np

from ..device.uncounted import uncounted_kernel
from .block_matrix import Pattern, multiply
from .second_ring import add_second_ring

Array = np.ndarray

#: Unknowns of a set.
SET = 6


class Eliminated:
    """arrays: (first (g + 1,), rows (e,), W (e, 3, SET), V (e, 3, SET), of_set (e,), begin (n + 1,), entries (e,), work
    space (g + 1, SET)): of each set the entries from first[g] to first[g + 1], with the row that an entry is of; and of
    each row its entries. None of rows: nothing is eliminated."""

    def __init__(self, n: int, first: Array, rows: Array, couplings: Array, dtype: np.dtype):
        """first, rows, couplings: as in `arrays`; every set has an entry, and no row twice."""
        by_row = np.argsort(rows, kind="stable")
        ends = np.searchsorted(rows[by_row], np.arange(n + 1))
        set_of = np.repeat(np.arange(len(first) - 1), np.diff(first))
        first, rows, of_set, begin, order = (a.astype(np.int32) for a in (first, rows, set_of, ends, by_row))
        couplings = np.ascontiguousarray(couplings, dtype)
        work = np.zeros((len(first), SET))
        self.arrays = first, rows, couplings, np.zeros_like(couplings), of_set, begin, order, work

    def deflate(self, pattern: Pattern, values: Array, second_ring: tuple, free: Array, least: float) -> None:
        """Choose the motions that sets share with the rows: those with more than a share `least` of the rows' own stiffness.
        values, second_ring, free: of A."""
        first, rows, couplings, motions, of_set, *_ = self.arrays
        if not len(rows):
            return
        diagonal_blocks, coupled = values[pattern.diagonal[rows]].reshape(-1, 3, 3).astype(float), couplings.astype(float)
        compliance, begin = np.linalg.solve(diagonal_blocks, coupled), first[:-1]
        share, turn = np.linalg.eigh(np.add.reduceat(coupled.transpose(0, 2, 1) @ compliance, begin, axis=0))
        counts = share > least
        motions[:] = compliance @ (turn * counts[:, None])[of_set]
        norm = np.zeros((len(begin), SET, SET))
        matrix = pattern.rows, pattern.columns, values, second_ring, free
        room = np.zeros((2, len(free), 3), values.dtype)
        norms_of_motions(matrix, self.arrays, room[0], room[1], norm)
        norm = 0.5 * (norm + norm.transpose(0, 2, 1)) + np.eye(SET) * ~counts[:, None]
        inverse = np.linalg.inv(np.linalg.cholesky(norm))
        motions[:] = motions @ inverse.transpose(0, 2, 1)[of_set]


def no_eliminated(n: int, dtype: np.dtype) -> Eliminated:
    """Return no eliminated unknowns, for n rows."""
    return Eliminated(n, np.zeros(1, int), np.zeros(0, int), np.zeros((0, 3, SET)), dtype)


@uncounted_kernel
def subtract_eliminated(eliminated, p, out):
    """out -= sum W W^T p; both (n, 3)."""
    first, rows, couplings, _, _, _, _, _ = eliminated
    for g in range(len(first) - 1):
        for c in range(SET):
            total = 0.0
            for e in range(first[g], first[g + 1]):
                v = rows[e]
                for k in range(3):
                    total += float(couplings[e, k, c]) * float(p[v, k])
            for e in range(first[g], first[g + 1]):
                v = rows[e]
                for k in range(3):
                    out[v, k] -= couplings[e, k, c] * total


@uncounted_kernel
def norms_of_motions(matrix, eliminated, p, product, norm):
    """V^T (A - sum W W^T) V of each set, (g, SET, SET), is added to norm. p, product: work space, (n, 3), p of
    zeros."""
    pattern_rows, columns, values, second_ring, free = matrix
    first, rows, couplings, motions, of_set, begin, entries, moved = eliminated
    moved[:] = 0.0
    for g in range(len(first) - 1):
        for c in range(SET):
            for e in range(first[g], first[g + 1]):
                v = rows[e]
                for k in range(3):
                    p[v, k] = motions[e, k, c]
                _move_sets(v, p[v, 0], p[v, 1], p[v, 2], couplings, of_set, begin, entries, moved)
            for e in range(first[g], first[g + 1]):
                v = rows[e]
                multiply(v, v + 1, pattern_rows, columns, values, p, product)
                add_second_ring(v, v + 1, second_ring, free, p, product)
                x, y, z = _pull_of_sets(v, couplings, of_set, begin, entries, moved)
                for d in range(SET):
                    norm[g, d, c] += (
                        float(motions[e, 0, d]) * (float(product[v, 0]) - x)
                        + float(motions[e, 1, d]) * (float(product[v, 1]) - y)
                        + float(motions[e, 2, d]) * (float(product[v, 2]) - z)
                    )
            for e in range(first[g], first[g + 1]):
                v = rows[e]
                for k in range(3):
                    p[v, k] = 0
                for t in range(begin[v], begin[v + 1]):
                    for d in range(SET):
                        moved[of_set[entries[t]], d] = 0.0


@uncounted_kernel
def add_deflated(matrix, eliminated, residual, product, z):
    """z += V V^T (residual - (A - sum W W^T) z) of one set after the other, there and back; all (n, 3). product: work
    space."""
    pattern_rows, columns, values, second_ring, free = matrix
    first, rows, couplings, motions, of_set, begin, entries, moved = eliminated
    sets = len(first) - 1
    amounts = moved[sets]
    moved[:] = 0.0
    for e in range(len(rows)):
        v = rows[e]
        for c in range(SET):
            for k in range(3):
                moved[of_set[e], c] += float(couplings[e, k, c]) * float(z[v, k])
    for turn in range(2 * sets):
        g = min(turn, 2 * sets - 1 - turn)
        for c in range(SET):
            amounts[c] = 0.0
        for e in range(first[g], first[g + 1]):
            v = rows[e]
            multiply(v, v + 1, pattern_rows, columns, values, z, product)
            add_second_ring(v, v + 1, second_ring, free, z, product)
            x, y, w = _pull_of_sets(v, couplings, of_set, begin, entries, moved)
            x += float(residual[v, 0]) - float(product[v, 0])
            y += float(residual[v, 1]) - float(product[v, 1])
            w += float(residual[v, 2]) - float(product[v, 2])
            for c in range(SET):
                amounts[c] += float(motions[e, 0, c]) * x + float(motions[e, 1, c]) * y + float(motions[e, 2, c]) * w
        for e in range(first[g], first[g + 1]):
            v = rows[e]
            x = 0.0
            y = 0.0
            w = 0.0
            for c in range(SET):
                x += float(motions[e, 0, c]) * amounts[c]
                y += float(motions[e, 1, c]) * amounts[c]
                w += float(motions[e, 2, c]) * amounts[c]
            z[v, 0] += x
            z[v, 1] += y
            z[v, 2] += w
            _move_sets(v, x, y, w, couplings, of_set, begin, entries, moved)


@uncounted_kernel
def _move_sets(v, x, y, z, couplings, of_set, begin, entries, moved):
    """moved += W^T d of all sets that a row has entries of, for its motion d = (x, y, z)."""
    for t in range(begin[v], begin[v + 1]):
        e = entries[t]
        for c in range(SET):
            w = couplings[e]
            moved[of_set[e], c] += float(w[0, c]) * float(x) + float(w[1, c]) * float(y) + float(w[2, c]) * float(z)


@uncounted_kernel
def _pull_of_sets(v, couplings, of_set, begin, entries, moved):
    """sum W moved of all sets that a row has entries of: three numbers."""
    x = 0.0
    y = 0.0
    z = 0.0
    for t in range(begin[v], begin[v + 1]):
        e = entries[t]
        for c in range(SET):
            by = moved[of_set[e], c]
            x += float(couplings[e, 0, c]) * by
            y += float(couplings[e, 1, c]) * by
            z += float(couplings[e, 2, c]) * by
    return x, y, z
