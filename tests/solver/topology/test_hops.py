"""Edges between vertices."""

import numpy as np

from solver.topology.edges import unique_edges
from solver.topology.hops import hops_from
from tests.validation.meshes import grid


def test_hops_of_a_grid_are_its_rows():
    """Its diagonals run across cells, so the shortest way down crosses every row once."""
    x, triangles = grid(5, 7, 1.0, 1.0)
    top = np.flatnonzero(x[:, 1] > 1 - 1e-9)
    hops = hops_from(top, unique_edges(triangles), len(x))
    assert np.array_equal(hops, np.round((1 - x[:, 1]) * 7))


def test_what_nothing_joins_is_no_number_of_hops_away():
    hops = hops_from(np.array([0, 0]), np.array([[0, 1], [1, 2], [3, 4]]), 6)
    assert hops.tolist() == [0, 1, 2, -1, -1, -1]
