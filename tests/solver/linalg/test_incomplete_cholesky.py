"""Incomplete factors: exact where nothing fills in, positive where plain ones break down."""

import numpy as np
import pytest

from solver.linalg.block_matrix import close, multiply, pattern
from solver.linalg.incomplete_cholesky import factor_pattern, factorise, substitute
from solver.linalg.strips import strips_of


def laplacian(n, edges, seed=0, inertia=0.1):
    """A pattern, its values with random positive blocks between neighbours and closed rows, and the dense matrix."""
    random = np.random.default_rng(seed)
    p = pattern(n, edges)
    values = np.zeros((len(p.columns), 9))
    for a, b in edges:
        root = random.standard_normal((3, 3))
        block = -(root @ root.T + 0.1 * np.eye(3))
        for i, j, m in ((a, b, block), (b, a, block.T)):
            values[p.places(np.array([i]), np.array([j]))[0]] = m.T.ravel()
    free = np.ones(n, bool)
    close(p, free, np.full(n, inertia), values)
    dense = np.zeros((3 * n, 3 * n))
    for v in range(n):
        for k in range(p.rows[v], p.rows[v + 1]):
            dense[3 * v : 3 * v + 3, 3 * p.columns[k] : 3 * p.columns[k] + 3] = values[k].reshape(3, 3).T
    return p, values, free, dense


def grid_edges(n):
    """Edges and one diagonal of each square of an n x n grid of vertices."""
    number = np.arange(n * n).reshape(n, n)
    pairs = [(number[1:], number[:-1]), (number[:, 1:], number[:, :-1]), (number[1:, 1:], number[:-1, :-1])]
    return np.concatenate([np.stack([a.ravel(), b.ravel()], 1) for a, b in pairs])


def factors(p, values, free, careful, ends=None):
    f = factor_pattern(p)
    numbers, inverse = np.zeros((len(p.columns), 9)), np.zeros((p.vertices, 6))
    pairs, matrix = (f.begin, f.first, f.left, f.right, f.keep), (p.rows, p.columns, p.diagonal, values)
    strips = strips_of(p, np.array([p.vertices] if ends is None else ends))
    pivot = factorise(pairs, careful, 0.0, matrix, p.mirror, free, strips, numbers, inverse)
    return (strips, (p.rows, p.columns, p.diagonal, numbers, inverse)), pivot


def test_the_product_is_that_of_the_dense_matrix():
    p, values, _, dense = laplacian(9, grid_edges(3))
    x = np.random.default_rng(2).standard_normal((9, 3))
    out = np.empty_like(x)
    multiply(0, 9, p.rows, p.columns, values, x, out)
    assert np.allclose(out.ravel(), dense @ x.ravel(), atol=1e-12)


@pytest.mark.parametrize("careful", [0.0, 1.0])
def test_a_chain_is_solved_exactly(careful):
    """No fill-in, so no entry is dropped; 1e-5 of each number, and 1e-9, far above the rounding of doubles."""
    p, values, free, dense = laplacian(12, np.stack([np.arange(11), np.arange(1, 12)], 1))
    own, _ = factors(p, values, free, careful)
    b = np.random.default_rng(3).standard_normal((12, 3))
    y = b.copy()
    substitute(*own, y)
    assert np.allclose(dense @ y.ravel(), b.ravel(), atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_with_full_care_the_factors_are_of_the_matrix_plus_something_positive(seed):
    """So no eigenvalue of the preconditioned matrix is above 1, and none at or below 0; 1e-9 for rounding. The least pivot
    is above 1e-6."""
    n = 25
    p, values, free, dense = laplacian(n, grid_edges(5), seed, inertia=1e-3)
    own, pivot = factors(p, values, free, 1.0)
    assert pivot > 1e-6
    columns = []
    for unit in np.eye(3 * n):
        y = unit.reshape(n, 3).copy()
        substitute(*own, y)
        columns.append(y.ravel())
    found = np.linalg.eigvals(np.array(columns) @ dense).real
    assert found.min() > 0
    assert found.max() < 1 + 1e-9


def test_a_fixed_vertex_takes_no_part():
    p, values, free, _ = laplacian(16, grid_edges(4))
    free[5] = False
    close(p, free, np.full(16, 0.1), values)
    own, _ = factors(p, values, free, 0.0)
    y = np.random.default_rng(4).standard_normal((16, 3))
    y[5] = 0.0
    substitute(*own, y)
    assert (y[5] == 0).all()


def in_strips(n, count):
    """Edges of an n x n grid whose rows are in strips of lines, from both ends of each in turn; and where the strips end."""
    order = []
    for lines in np.array_split(np.arange(n * n), count):
        ends, half = np.empty_like(lines), (len(lines) + 1) // 2
        ends[0::2], ends[1::2] = lines[:half], lines[half:][::-1]
        order.append(ends)
    rank = np.empty(n * n, int)
    rank[np.concatenate(order)] = np.arange(n * n)
    return np.sort(rank[grid_edges(n)], 1), np.cumsum([len(part) for part in order])


def test_strips_give_the_numbers_that_row_after_row_gives():
    """To the last bit: only the order of rows differs, and none comes before the rows that it depends on."""
    edges, ends = in_strips(16, 2)
    p, values, free, _ = laplacian(256, edges)
    (strips, own), _ = factors(p, values, free, 0.1, ends)
    (single, plain), _ = factors(p, values, free, 0.1)
    assert len(strips) == 2 and strips[0, 1] > 0 and len(single) == 1
    assert all(np.array_equal(a, b) for a, b in zip(own, plain, strict=True))
    b = np.random.default_rng(5).standard_normal((256, 3))
    by_strips, by_rows = b.copy(), b.copy()
    substitute(strips, own, by_strips)
    substitute(single, plain, by_rows)
    assert np.array_equal(by_strips, by_rows)


def test_rows_that_are_joined_across_strips_are_one_strip():
    edges, ends = in_strips(16, 2)
    far = np.array([[ends[0] // 2, ends[0] + ends[0] // 2]])
    p, _, _, _ = laplacian(256, np.concatenate([edges, far]))
    assert strips_of(p, ends).tolist() == [[0, 0, 256]]
