"""Shares of vertices in aggregates."""

import numpy as np
import pytest

from solver.linalg.aggregates import AGGREGATE, aggregate_basis
from solver.topology.edges import unique_edges
from tests.validation.meshes import grid

NONE = np.zeros((0, 2), np.int32)


@pytest.mark.parametrize("n", [1, 12, 40])
def test_the_shares_of_a_vertex_add_up_to_one_and_aggregates_reach_as_far_as_said(n):
    points, triangles = grid(n, n, 1.0, 1.0)
    edges = unique_edges(triangles)
    basis = aggregate_basis(points, edges, NONE)
    shares = np.zeros((len(points), basis.count))
    shares[np.repeat(np.arange(len(points)), np.diff(basis.first)), basis.aggregate] = basis.share
    assert np.allclose(shares.sum(1), 1)
    assert (shares.sum(0) > 0).all()
    assert basis.count >= len(points) / AGGREGATE
    joined = (shares[edges[:, 0]] > 0).T.astype(float) @ (shares[edges[:, 1]] > 0) + (shares > 0).T.astype(float) @ (
        shares > 0
    )
    a, b = np.nonzero(joined)
    assert np.abs(a - b).max() == basis.reach


def test_aggregates_reach_as_far_as_pairs_that_are_no_edges():
    points, triangles = grid(40, 40, 1.0, 1.0)
    ends = np.array([[0, len(points) - 1]])
    basis = aggregate_basis(points, unique_edges(triangles), ends)
    assert basis.reach >= basis.count // 2


def test_vertices_without_edges_keep_their_aggregate():
    basis = aggregate_basis(np.zeros((3, 3)), NONE, NONE)
    assert basis.count == 1 and np.array_equal(basis.share, [1, 1, 1])
