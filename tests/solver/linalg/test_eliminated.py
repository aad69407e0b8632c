"""Unknowns that are eliminated, and the motions that are deflated for them, against dense matrices."""

import numpy as np
import pytest

from solver.linalg.block_matrix import pattern
from solver.linalg.eliminated import SET, Eliminated, add_deflated, subtract_eliminated
from solver.linalg.second_ring import second_ring_couplings

ROWS = 12
NONE = second_ring_couplings(ROWS, [], np.dtype(float)).arrays
FREE = np.ones(ROWS, bool)


def chain(stiff):
    """A chain of springs with inertia: the pattern, its blocks, and the dense matrix. stiff: rows that contacts hold."""
    edges = np.column_stack([np.arange(ROWS - 1), np.arange(1, ROWS)])
    found = pattern(ROWS, edges)
    blocks = np.zeros((ROWS, ROWS))
    for a, b in edges:
        blocks[[a, a, b, b], [a, b, b, a]] += [1, -1, 1, -1]
    blocks += np.eye(ROWS) + np.diag(stiff)
    row = np.repeat(np.arange(ROWS), np.diff(found.rows))
    values = blocks[row, found.columns][:, None] * np.eye(3).ravel()
    return found, values, np.kron(blocks, np.eye(3))


def touched(rows_of_sets, share):
    """Return the additions to the chain, and the eliminated rows, of sets that hold their rows by stiff springs. share: of
    the stiffness that the eliminated unknowns remove again."""
    random, stiff, rows, couplings, first = np.random.default_rng(2), np.zeros(ROWS), [], [], [0]
    for own in rows_of_sets:
        arms = random.standard_normal((len(own), 3))
        sides = np.zeros((len(own), 3, SET))
        sides[:, :, :3] = np.eye(3)
        for side, (x, y, z) in zip(sides, arms, strict=True):
            side[:, 3:] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
        stiff[own] += 1e4
        flat = 1e4 * sides.reshape(-1, SET)
        inner = 1e4 * sides.reshape(-1, SET).T @ sides.reshape(-1, SET) / share
        couplings.append((flat @ np.linalg.inv(np.linalg.cholesky(inner)).T).reshape(sides.shape))
        rows.append(own)
        first.append(first[-1] + len(own))
    found = Eliminated(ROWS, np.array(first), np.concatenate(rows), np.concatenate(couplings), np.dtype(float))
    return stiff, found


def dense(eliminated):
    """sum W W^T, (3 rows, 3 rows)."""
    first, rows, couplings, *_ = eliminated.arrays
    total = np.zeros((3 * ROWS, 3 * ROWS))
    for g in range(len(first) - 1):
        w = np.zeros((ROWS, 3, SET))
        w[rows[first[g] : first[g + 1]]] = couplings[first[g] : first[g + 1]]
        total += w.reshape(-1, SET) @ w.reshape(-1, SET).T
    return total


@pytest.fixture(params=[[[1, 2, 3]], [[1, 2, 3], [7, 8, 9, 10]], [[1, 2, 3, 4], [3, 4, 5, 6]]], ids=["one", "two", "shared"])
def system(request):
    stiff, eliminated = touched(request.param, 0.9)
    found, values, matrix = chain(stiff)
    eliminated.deflate(found, values, NONE, FREE, 0.05)
    return found, values, matrix - dense(eliminated), eliminated


def test_what_is_eliminated_is_subtracted(system):
    """1e-12 of 1e4 N/m: rounding."""
    _, _, matrix, eliminated = system
    move = np.random.default_rng(1).standard_normal((ROWS, 3))
    out = np.zeros((ROWS, 3))
    subtract_eliminated(eliminated.arrays, move, out)
    assert out.ravel() == pytest.approx(-(dense(eliminated) @ move.ravel()), abs=1e-8)
    assert np.linalg.eigvalsh(matrix).min() > 0.5


def test_the_motions_of_a_set_are_orthonormal_in_the_norm_of_the_whole(system):
    """1e-9: of numbers of 1e4 N/m."""
    _, _, matrix, eliminated = system
    first, rows, _, motions, *_ = eliminated.arrays
    for g in range(len(first) - 1):
        v = np.zeros((ROWS, 3, SET))
        v[rows[first[g] : first[g + 1]]] = motions[first[g] : first[g + 1]]
        flat = v.reshape(-1, SET)
        flat = flat[:, np.abs(flat).max(0) > 0]
        assert flat.shape[1] >= 3
        assert flat.T @ matrix @ flat == pytest.approx(np.eye(flat.shape[1]), abs=1e-9)


def test_a_correction_leaves_nothing_along_the_motions_of_the_set_that_comes_last(system):
    """There and back, the first set comes last: 1e-9 of a residual of 1 N. With one set that is all."""
    found, values, matrix, eliminated = system
    first, rows, _, motions, *_ = eliminated.arrays
    residual, z = np.random.default_rng(3).standard_normal((ROWS, 3)), np.zeros((ROWS, 3))
    given = found.rows, found.columns, values, NONE, FREE
    add_deflated(given, eliminated.arrays, residual, np.zeros((ROWS, 3)), z)
    left = (residual.ravel() - matrix @ z.ravel()).reshape(ROWS, 3)
    own = slice(first[0], first[1])
    assert np.einsum("ekc,ek->c", motions[own], left[rows[own]]) == pytest.approx(np.zeros(SET), abs=1e-9)


def test_the_correction_of_all_sets_is_symmetric_and_never_overshoots(system):
    """Symmetric to 1e-9, and I - V V^T (A - W W^T) has no eigenvalue below 0 or above 1 in that norm: conjugate gradients
    take it for a preconditioner."""
    found, values, matrix, eliminated = system
    given = found.rows, found.columns, values, NONE, FREE
    columns = []
    for unit in np.eye(3 * ROWS):
        z = np.zeros((ROWS, 3))
        add_deflated(given, eliminated.arrays, unit.reshape(ROWS, 3).copy(), np.zeros((ROWS, 3)), z)
        columns.append(z.ravel())
    correction = np.array(columns).T
    assert correction == pytest.approx(correction.T, abs=1e-9)
    root = np.linalg.cholesky(matrix)
    share = np.linalg.eigvalsh(root.T @ correction @ root)
    assert share.min() > -1e-9 and share.max() < 1 + 1e-9
