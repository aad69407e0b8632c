"""Cholesky factors by nested dissection against dense algebra."""

import numpy as np
import pytest

from solver.device.threads import run_ranges
from solver.linalg import nested
from solver.topology.clusters import bisect
from solver.topology.edges import unique_edges
from tests.validation.meshes import grid


def joined_pairs(n):
    """Pairs of an n x n grid's vertices, which are numbered as halves of halves, each with itself too."""
    points, triangles = grid(n - 1, n - 1, 1.0, 1.0)
    rank = bisect(points, 1)
    edges = rank[unique_edges(triangles)]
    itself = np.arange(n * n)
    return np.append(edges.max(1), itself), np.append(edges.min(1), itself)


def matrix_of(n, seed):
    """Return the pairs in random order, and a positive definite matrix with blocks there."""
    rng = np.random.default_rng(seed)
    row, column = joined_pairs(n)
    joined = np.zeros((n * n, n * n))
    joined[row, column] = joined[column, row] = 1
    order = rng.permutation(len(row))
    full = np.kron(joined, np.ones((3, 3))) * rng.standard_normal((3 * n * n, 3 * n * n))
    full += full.T
    return row[order], column[order], full + (1 + np.abs(full).sum(1).max()) * np.eye(len(full))


def factorised(arrays):
    pieces = np.arange(len(arrays[0]))
    run_ranges(nested.factor, 0, pieces, np.stack([pieces[:-1], pieces[1:]], 1), arrays)


def solved(arrays, b):
    y, pieces = b.copy(), len(arrays[0]) - 1
    nested.forward(0, pieces, arrays, y)
    nested.backward(0, pieces, arrays, y)
    return y


def filled(n, seed):
    row, column, full = matrix_of(n, seed)
    factors = nested.nested(n * n, row, column)
    for k, (a, b) in enumerate(zip(row, column, strict=True)):
        for i in range(3):
            for j in range(3):
                at = factors.at[k] + i * factors.along[k, 0] + j * factors.along[k, 1]
                factors.arrays[nested.FRONTS][at] = full[3 * a + i, 3 * b + j]
    return full, factors.arrays


@pytest.mark.parametrize("n", [2, 7, 20])
def test_factor_and_solve_agree_with_a_dense_solver(n):
    """1e-10 of numbers of about one, for a condition number of about 10."""
    full, arrays = filled(n, n)
    factorised(arrays)
    b = np.random.default_rng(n).standard_normal(len(full))
    assert np.allclose(full @ solved(arrays, b), b, rtol=0, atol=1e-10)


def test_matrices_side_by_side_have_the_solutions_that_each_has_alone():
    """The same operations in the same order: the same bits."""
    both = [filled(n, n)[1] for n in (7, 3, 12)]
    b = [np.random.default_rng(n).standard_normal(3 * n * n) for n in (7, 3, 12)]
    for arrays in both:
        factorised(arrays)
    joint = nested.side_by_side(both, [n * n for n in (7, 3, 12)])
    np.concatenate([arrays[nested.FRONTS] for arrays in both], out=joint[nested.FRONTS])
    alone = np.concatenate([solved(arrays, own) for arrays, own in zip(both, b, strict=True)])
    assert np.array_equal(solved(joint, np.concatenate(b)), alone)


def test_fronts_grow_hardly_faster_than_the_unknowns():
    """6.1 times as many numbers for four times the unknowns; a band of as many lines has 8 times."""
    few, many = (len(nested.nested(n * n, *joined_pairs(n)).arrays[nested.FRONTS]) for n in (20, 40))
    assert many < 6.5 * few
