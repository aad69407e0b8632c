"""The exact solution in the coarse space."""

import numpy as np

from solver.linalg import aggregates as shares
from solver.linalg.coarse_space import CoarseSpace, subtract_correction
from solver.linalg.second_ring import add_second_ring, second_ring_couplings
from tests.solver.linalg.test_incomplete_cholesky import grid_edges, laplacian


def test_the_residual_in_the_coarse_space_is_gone_and_fixed_vertices_stay(monkeypatch):
    """With pairs that are joined two vertices apart. Doubles; 1e-5 of the largest number before: ten times the share of 1e-6
    that is added to the diagonal, so that aggregates without free vertices have a pivot."""
    monkeypatch.setattr(shares, "AGGREGATE", 8)
    n = 49
    p, values, free, dense = laplacian(n, grid_edges(7))
    free[[0, 48]] = False
    points = np.stack([*np.divmod(np.arange(n), 7), np.zeros(n)], 1).astype(float)
    pairs = np.array([[a, a + 2] for a in range(n - 2) if a % 7 < 5] + [[a, a + 14] for a in range(n - 14)])
    second_ring = second_ring_couplings(n, [(pairs, np.linspace(0.1, 0.3, len(pairs)))], np.dtype(float))
    basis = shares.aggregate_basis(points, grid_edges(7))
    assert basis.count > 4
    coarse_space = CoarseSpace(basis, p, second_ring, free, np.dtype(float))
    coarse_space.factorise(values, True)
    b = np.where(free[:, None], np.random.default_rng(1).standard_normal((n, 3)), 0.0)
    x = np.zeros((n, 3))
    subtract_correction(coarse_space.arrays, b, x)
    assert (x[~free] == 0).all()
    N = np.zeros((3 * n, 3 * basis.count))
    for v in np.flatnonzero(free):
        for k in range(basis.first[v], basis.first[v + 1]):
            N[3 * v : 3 * v + 3, 3 * basis.aggregate[k] : 3 * basis.aggregate[k] + 3] = basis.share[k] * np.eye(3)
    coupled = np.zeros((n, 3))
    add_second_ring(0, len(x), second_ring.arrays, free, x, coupled)
    left = N.T @ (b.ravel() + dense @ x.ravel() + coupled.ravel())
    assert np.abs(left).max() < 1e-5 * np.abs(N.T @ b.ravel()).max()
