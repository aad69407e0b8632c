import time

import numpy as np
import pytest

from solver.errors import TopologyError
from solver.topology.hinges import find_hinges
from tests.solver.topology import shapes


def test_a_hinge_is_edge_ends_then_the_corner_of_the_triangle_that_runs_along_it():
    assert find_hinges("sheet", np.array([(0, 1, 2), (1, 0, 3)])).tolist() == [[0, 1, 2, 3]]


def test_every_hinge_of_a_consistent_mesh_belongs_to_its_two_triangles():
    """The triangles of a hinge are (v0, v1, v2) and (v1, v0, v3), in some rotation, and both are in the mesh."""
    _, triangles = shapes.torus(n=12, m=8)
    hinges = find_hinges("ring", triangles)
    rotations = {tuple(np.roll(t, k)) for t in triangles.tolist() for k in range(3)}
    assert len(hinges) == len(triangles) * 3 // 2
    for v0, v1, v2, v3 in hinges.tolist():
        assert (v0, v1, v2) in rotations and (v1, v0, v3) in rotations


def test_turned_over_neighbours_still_make_a_hinge_in_the_direction_of_the_first():
    assert find_hinges("sheet", np.array([(0, 1, 2), (0, 1, 3)])).tolist() == [[0, 1, 2, 3]]


def test_a_lone_triangle_has_no_hinge():
    assert find_hinges("sheet", np.array([(0, 1, 2)])).shape == (0, 4)


def test_an_edge_with_three_faces_is_refused_by_name():
    with pytest.raises(TopologyError, match=r"fin: 1 edge has more than two faces .*vertices 0 and 1"):
        find_hinges("fin", np.array([(0, 1, 2), (1, 0, 3), (0, 1, 4)]))


def test_four_faces_at_an_edge_count_as_one_edge():
    with pytest.raises(TopologyError, match="1 edge has"):
        find_hinges("fin", np.array([(0, 1, 2), (1, 0, 3), (0, 1, 4), (1, 0, 5)]))


def test_faces_on_one_another_are_refused():
    with pytest.raises(TopologyError, match="lie on one another"):
        find_hinges("double", np.array([(0, 1, 2), (2, 1, 0)]))


def test_a_million_vertices_take_seconds():
    """Under 1 s alone; 15 s leaves room for a busy machine and still catches a loop over edges in Python (minutes)."""
    _, triangles = shapes.grid(1000, 1000)
    start = time.perf_counter()
    assert len(find_hinges("sheet", triangles)) == 999 * 999 + 2 * 999 * 998
    assert time.perf_counter() - start < 15
