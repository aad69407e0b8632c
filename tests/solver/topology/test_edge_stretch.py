"""Stretch at vertices."""

import numpy as np

from solver.topology.edge_stretch import edge_stretch

EDGES = np.array([(0, 1), (1, 2), (2, 3)])


def test_a_line_that_is_drawn_out_evenly_is_stretched_alike_everywhere():
    """Exact to rounding of float64. A vertex without edges has none, a seam without length neither."""
    x = np.array([(0.0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (9, 9, 9)])
    assert np.allclose(edge_stretch(1.1 * x, EDGES, np.ones(3)), [0.1, 0.1, 0.1, 0.1, 0], atol=1e-14)
    assert not edge_stretch(x, EDGES, np.zeros(3)).any()


def test_a_vertex_has_the_mean_of_its_edges_and_compression_is_negative():
    x = np.array([(0.0, 0, 0), (1.5, 0, 0), (2, 0, 0), (3, 0, 0)])
    assert np.allclose(edge_stretch(x, EDGES, np.ones(3)), [0.5, 0.0, -0.25, 0.0])
