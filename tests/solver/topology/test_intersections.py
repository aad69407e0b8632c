import numpy as np

from solver.topology.edges import unique_edges
from solver.topology.intersections import crossing_edges, crossing_triangles
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


def test_the_edges_that_pass_through_triangles_are_those_that_a_plain_search_finds():
    """Exact: the same test of one edge against one triangle by its volumes' signs, over all pairs, for sheets askew."""
    rng = np.random.default_rng(4)
    x, triangles = shapes.grid(6, 6)
    x = x @ np.linalg.qr(rng.normal(size=(3, 3)))[0] + rng.normal(0, 0.01, x.shape)
    y = x @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    x, triangles = np.concatenate([x, y + x.mean(0) - y.mean(0)]), np.concatenate([triangles, triangles + len(x)])
    edges = unique_edges(triangles)

    def volume(a, b, c, d):
        return np.sign(np.linalg.det([x[b] - x[a], x[c] - x[a], x[d] - x[a]]))

    wanted = []
    for e, (p, q) in enumerate(edges):
        for t, (i, j, k) in enumerate(triangles):
            if {p, q} & {i, j, k} or volume(p, i, j, k) == volume(q, i, j, k):
                continue
            if volume(p, q, i, j) == volume(p, q, j, k) == volume(p, q, k, i):
                wanted.append((e, t))
    found = crossing_edges(x, edges, triangles, np.ones(len(x), bool))
    assert len(wanted) > 5
    assert found.tolist() == [list(pair) for pair in wanted]
    assert not len(crossing_edges(x, edges, triangles, np.zeros(len(x), bool)))
