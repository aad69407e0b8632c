import numpy as np

from solver.topology.edges import unique_edges
from solver.topology.gaps import REACH, distances, gaps, signed_gaps
from solver.topology.intersections import crossing_edges
from tests.solver.topology import shapes


def test_distances_are_those_of_a_fine_sampling_of_the_triangle():
    """The samples are 1/200 of a side apart, so a sampled distance is too large by at most that; exact never larger."""
    rng = np.random.default_rng(2)
    corners, p = rng.normal(size=(60, 3, 3)), 1.5 * rng.normal(size=(60, 3))
    u, v = np.meshgrid(np.linspace(0, 1, 201), np.linspace(0, 1, 201))
    u, v = u[u + v <= 1], v[u + v <= 1]
    found = distances(p, corners)
    for k in range(60):
        a, b, c = corners[k]
        sampled = np.linalg.norm(a + u[:, None] * (b - a) + v[:, None] * (c - a) - p[k], axis=1).min()
        step = max(np.linalg.norm(b - a), np.linalg.norm(c - a)) / 200
        assert sampled - step <= found[k] <= sampled + 1e-12


def test_two_sheets_have_the_gap_between_them_and_a_lone_sheet_none():
    """1e-12: distances to planes in double precision. The reach is a third of an edge."""
    x, triangles = shapes.grid(6, 6)
    edge = np.linalg.norm(x[triangles[0, 0]] - x[triangles[0, 1]])
    points = np.arange(len(x))
    assert (gaps(points, x, triangles, edge / 3) == edge / 3).all()
    up = x + [0, 0, edge / 5]
    both = np.concatenate([x, up]), np.concatenate([triangles, triangles + len(x)])
    assert np.abs(gaps(points, *both, edge / 3) - edge / 5).max() < 1e-12


def test_a_signed_gap_is_that_to_another_mesh_and_negative_where_something_passes_through():
    """Exact to rounding. Of two triangles with sides of 1, the reach is REACH times the median side."""
    corners = np.array([(0.0, 0, 0), (1, 0, 0), (0.5, 0.75**0.5, 0)])
    triangles = np.array([(0, 1, 2), (3, 4, 5)])
    for lifted, expected in ((0.2, 0.2), (2.0, REACH)):
        x = np.concatenate([corners, corners + (0, 0, lifted)])
        edges = unique_edges(triangles)
        hits = crossing_edges(x, edges, triangles, np.ones(6, bool))
        gap, reach = signed_gaps(slice(0, 3), x, triangles, edges, hits)
        assert np.allclose(gap, expected) and np.isclose(reach, REACH)
    x[3:] = (0.5, 0.2, -0.2), (0.5, 0.3, 0.2), (0.5, 0.2, 2.0)  # upright, through the first
    hits = crossing_edges(x, edges, triangles, np.ones(6, bool))
    assert len(hits) and (signed_gaps(slice(0, 3), x, triangles, edges, hits)[0] < 0).all()
