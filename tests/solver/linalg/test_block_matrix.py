"""The matrix of a mesh: what its lower half says of the rest."""

import numpy as np

from solver.linalg.block_matrix import close, pattern

EDGES = np.array([(0, 1), (1, 2), (2, 0), (2, 3), (3, 1), (3, 4)])


def lower_half(p, seed=1):
    """Random blocks below the diagonal, numbers without meaning elsewhere; and the dense matrix of those blocks."""
    random = np.random.default_rng(seed)
    values, dense = random.standard_normal((len(p.columns), 9)), np.zeros((3 * p.vertices, 3 * p.vertices))
    for row, column in EDGES:
        block = random.standard_normal((3, 3))
        place = p.lower_places(np.array([row]), np.array([column]))[0]
        assert (place >= 0) == (row > column)
        own, low, high = (place, row, column) if place >= 0 else (-1 - place, column, row)
        lower = block if place >= 0 else block.T
        values[own] = lower.T.ravel()
        dense[3 * low : 3 * low + 3, 3 * high : 3 * high + 3] = lower
    return values, dense + dense.T


def dense_of(p, values):
    dense = np.zeros((3 * p.vertices, 3 * p.vertices))
    for v in range(p.vertices):
        for k in range(p.rows[v], p.rows[v + 1]):
            dense[3 * v : 3 * v + 3, 3 * p.columns[k] : 3 * p.columns[k] + 3] = values[k].reshape(3, 3).T
    return dense


def test_a_closed_matrix_is_symmetric_and_answers_a_translation_by_inertia_alone():
    """1e-12: rounding of doubles near one."""
    p = pattern(5, EDGES)
    values, apart = lower_half(p)
    inertia = np.arange(1.0, 6.0)
    close(p, np.ones(5, bool), inertia, values)
    dense = dense_of(p, values)
    off = dense.copy()
    for v in range(5):
        off[3 * v : 3 * v + 3, 3 * v : 3 * v + 3] = 0
    assert (off == apart).all()
    for axis in range(3):
        assert np.allclose(
            dense @ np.tile(np.eye(3)[axis], 5), np.repeat(inertia, 3) * np.tile(np.eye(3)[axis], 5), atol=1e-12
        )


def test_a_row_that_is_not_free_is_that_of_the_unit_matrix_and_its_column_stays():
    p = pattern(5, EDGES)
    values, apart = lower_half(p)
    close(p, np.arange(5) != 3, np.ones(5), values)
    dense = dense_of(p, values)
    assert (dense[9:12] == np.eye(15)[9:12]).all()
    assert (dense[:9, 9:12] == apart[:9, 9:12]).all() and (dense[12:, 9:12] == apart[12:, 9:12]).all()
