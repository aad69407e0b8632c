"""Shares of vertices in aggregates."""

import numpy as np
import pytest

from solver.linalg.aggregates import AGGREGATE, aggregate_basis
from solver.topology.edges import unique_edges
from tests.validation.meshes import grid

NONE = np.zeros((0, 2), np.int32)


@pytest.mark.parametrize("n", [1, 12, 40])
def test_the_shares_of_a_vertex_add_up_to_one_and_none_is_without(n):
    points, triangles = grid(n, n, 1.0, 1.0)
    edges = unique_edges(triangles)
    basis = aggregate_basis(points, edges)
    shares = np.zeros((len(points), basis.count))
    shares[np.repeat(np.arange(len(points)), np.diff(basis.first)), basis.aggregate] = basis.share
    assert np.allclose(shares.sum(1), 1)
    assert (shares.sum(0) > 0).all()
    assert basis.count >= len(points) / AGGREGATE


def test_vertices_without_edges_keep_their_aggregate():
    basis = aggregate_basis(np.zeros((3, 3)), NONE)
    assert basis.count == 1 and np.array_equal(basis.share, [1, 1, 1])
