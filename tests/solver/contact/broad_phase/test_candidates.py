"""The table of candidate pairs: rejected pairs, retained pairs, and their order."""

from __future__ import annotations

import numpy as np

from solver.contact.broad_phase.candidates import CANDIDATE, CandidateTable, PairRows

DTYPE = np.dtype(np.float32)


def rows(*corners: tuple[int, int, int, int]) -> PairRows:
    """Pairs with ids and values of their own."""
    c = np.array(corners, np.int32).reshape(-1, 4)
    return PairRows(c, c[:, [0, 2]].copy(), np.tile(c[:, :1], CANDIDATE.width).astype(DTYPE))


def test_pairs_of_particles_that_moved_are_replaced_and_the_others_keep_their_values():
    """Kept ones first, in their order; points and triangles before edges, as `split` returns."""
    table, nothing = CandidateTable(DTYPE), np.zeros(20, bool)
    table.replace(nothing, [rows((0, 1, 2, 3), (4, 1, 2, 3))], [rows((5, 6, 7, 8), (9, 6, 7, 8), (5, 6, 10, 11))])
    table.pairs.values[:, CANDIDATE.recheck] = [1, 2, 3, 4, 5]
    moved = nothing.copy()
    moved[[0, 9]] = True
    table.replace(moved, [rows((0, 12, 13, 14)), rows((15, 12, 13, 14))], [rows((9, 16, 17, 18))])
    assert table.pairs.corners[:, 0].tolist() == [4, 0, 15, 5, 5, 9]
    assert table.pairs.split == 3
    assert table.pairs.values[[0, 3, 4], CANDIDATE.recheck].tolist() == [2, 3, 5]


def test_an_empty_table_takes_over_pairs():
    table, given = CandidateTable(DTYPE), rows((0, 1, 2, 3), (5, 6, 7, 8))
    table.put(*given, split=1)
    assert len(table) == 2
    assert (table.pairs.corners == given.corners).all()
    table.clear()
    assert len(table) == 0
    assert table.pairs.split == 0
