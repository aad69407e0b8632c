"""Sums over blocks of nine numbers, column by column."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from solver.device.cpu import kernel
from solver.device.simd.blocks import row_product, sum_of_products, weighted_differences, weighted_rows, weighted_sum


@kernel
def all_three(values, place, weight, left, right, x, product, total, products):
    first = len(place) - len(place)
    a, b, c = row_product(values, place, first, len(place), x)
    product[0] = a
    product[1] = b
    product[2] = c
    s = weighted_sum(values, place, weight, first, len(place))
    t = sum_of_products(values, left, right, first, len(left))
    for i in range(9):
        total[i] = s[i]
        products[i] = t[i]


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-5), ("float64", 1e-13)])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_the_sums_are_those_of_matrices(dtype, tolerance, count):
    """Rounding only, 1e-5 and 1e-13; the last block is among those that are read, so nothing beyond it is taken."""
    random = np.random.default_rng(1)
    values, x = random.standard_normal((count or 1, 9)).astype(dtype), random.standard_normal((5, 3)).astype(dtype)
    blocks = values.reshape(-1, 3, 3).transpose(0, 2, 1).astype(float)
    place, weight = np.arange(count, dtype=np.int32), random.random(count).astype(dtype)
    left, right = place, place[::-1].copy()
    product, total, products = (np.full(k, 7.0, dtype) for k in (3, 9, 9))
    all_three(values, place, weight, left, right, x, product, total, products)
    wanted = sum((blocks[k] @ x[k] for k in range(count)), np.zeros(3))
    assert np.allclose(product, wanted, atol=tolerance)
    wanted = sum((weight[k] * blocks[k] for k in range(count)), np.zeros((3, 3)))
    assert np.allclose(total.reshape(3, 3).T, wanted, atol=tolerance)
    wanted = sum((blocks[a] @ blocks[b].T for a, b in zip(left, right, strict=True)), np.zeros((3, 3)))
    assert np.allclose(products.reshape(3, 3).T, wanted, atol=tolerance)


@kernel
def both_sums(weights, places, x, rows, differences):
    first = len(places) - len(places)
    rows[0], rows[1], rows[2] = weighted_rows(weights, places, first, len(places), x)
    a, b, c = weighted_differences(weights, places, first, len(places), x, 2)
    differences[0], differences[1], differences[2] = a, b, c


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-6), ("float64", 1e-14)])
@pytest.mark.parametrize("of", ["float32", "float64"])
@pytest.mark.parametrize("places", [[], [4], [0, 3, 4, 4]])
def test_sums_of_rows_are_those_of_matrices(dtype, tolerance, of, places):
    """Rounding only; the last row is among those that are read, so nothing beyond it is taken."""
    if (dtype, of) == ("float64", "float32"):
        pytest.skip("no rows of a narrower type are asked for")
    random = np.random.default_rng(2)
    x, weights = random.standard_normal((5, 3)).astype(of), random.random(len(places)).astype(dtype)
    rows, differences = np.full((2, 3), 7.0, dtype)
    both_sums(weights, np.array(places, np.int32), x, rows, differences)
    assert np.allclose(rows, weights @ x[places], atol=tolerance)
    assert np.allclose(differences, weights @ (x[places] - x[2]), atol=tolerance)


def test_rows_of_another_layout_are_refused():
    """They would be misread without a word."""
    x, sums = np.asfortranarray(np.ones((5, 3))), np.zeros((2, 3))
    with pytest.raises(TypingError, match="wanted a contiguous array"):
        both_sums(np.ones(2), np.array([0, 1], np.int32), x, *sums)
