import numpy as np

from solver.topology.intersections import crossing_triangles
from tests.solver.topology import shapes


def _two_cubes(shift):
    x, triangles = shapes.cube()
    return np.concatenate([x, x + shift]), np.concatenate([triangles, triangles + 8])


def test_closed_shapes_do_not_cross_themselves():
    for x, triangles in (shapes.cube(), shapes.torus(), shapes.sphere(), shapes.grid(20, 20)):
        assert len(crossing_triangles(x, triangles)) == 0


def test_cubes_that_overlap_cross_also_where_a_side_meets_a_diagonal():
    """Shifted by half a side along each axis, every crossing side meets the diagonal between two triangles."""
    for shift in ((0.5, 0.5, 0.5), (0.3, 0.4, 0.2)):
        assert len(crossing_triangles(*_two_cubes(np.array(shift)))) > 0


def test_cubes_apart_or_one_inside_the_other_do_not_cross():
    assert len(crossing_triangles(*_two_cubes(np.array((1.2, 0.0, 0.0))))) == 0
    x, triangles = shapes.cube()
    assert len(crossing_triangles(np.concatenate([x, 0.5 * x + 0.2]), np.concatenate([triangles, triangles + 8]))) == 0


def test_each_pair_is_found_once_and_it_is_the_pair():
    x = np.array([(0, 0, 0), (4, 0, 0), (0, 4, 0), (1, 1, -1), (1, 1, 1), (5, 5, 1)], float)
    assert crossing_triangles(x, np.array([(0, 1, 2), (3, 4, 5)])).tolist() == [[0, 1]]
