import numpy as np

from solver.topology.edges import edge_uses, unique_edges, vertex_edges
from tests.solver.topology import shapes


def test_a_closed_surface_has_the_edges_that_euler_counts():
    """V - E + F is 2 for a ball and 0 for a ring, exactly."""
    for (x, triangles), characteristic in ((shapes.sphere(), 2), (shapes.torus(), 0)):
        assert len(x) - len(unique_edges(triangles)) + len(triangles) == characteristic


def test_edges_of_tetrahedra_are_listed_once_lower_index_first():
    edges = unique_edges(np.array([(3, 1, 2, 0), (1, 2, 3, 4)]))
    assert edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]]
    assert edges.dtype == np.int32


def test_consistent_winding_has_no_net_direction_at_interior_edges():
    _, triangles = shapes.grid(4, 5)
    _, uses, net = edge_uses(triangles)
    assert (net[uses == 2] == 0).all() and (np.abs(net[uses == 1]) == 1).all()
    triangles[3] = triangles[3][[0, 2, 1]]
    _, uses, net = edge_uses(triangles)
    assert (net[uses == 2] != 0).sum() == 3


def test_vertex_edges_name_exactly_the_edges_at_each_vertex():
    x, triangles = shapes.grid(6, 4)
    edges = unique_edges(triangles)
    start, index = vertex_edges(edges, len(x))
    for v in range(len(x)):
        assert index[start[v] : start[v + 1]].tolist() == np.flatnonzero((edges == v).any(1)).tolist()
