"""Splitting of meshes along edges."""

import numpy as np

from solver.topology.splitting import split_edges
from tests.validation.meshes import grid


def test_split_at_all_edges_each_triangle_has_its_own_vertices():
    _, triangles = grid(3, 2, 1.0, 1.0)
    points, split = split_edges(triangles)
    assert len(points) == triangles.size
    assert np.array_equal(points[split], triangles)


def test_split_at_one_edge_its_ends_stay_joined_round_it():
    """The other edges at an inner vertex still join its faces: only an edge that ends at the border parts anything there."""
    _, triangles = grid(2, 2, 1.0, 1.0)
    points, split = split_edges(triangles, edges=np.array([[4, 3]]))
    assert len(points) == 10  # vertex 3 of the border has a copy, 4 in the middle none
    assert np.bincount(points)[3] == 2
    assert np.array_equal(points[split], triangles)


def test_kept_edges_are_whole():
    _, triangles = grid(2, 2, 1.0, 1.0)
    points, _ = split_edges(triangles, keep=triangles[::2][:, [0, 2]])
    assert len(points) == 16  # four of each square
