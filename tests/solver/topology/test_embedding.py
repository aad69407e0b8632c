import time

import numpy as np
import pytest

from solver.topology.embedding import embed, nearest_triangles, reconstruct
from solver.topology.lattice import fill_with_lattice
from tests.solver.topology import shapes


@pytest.fixture(scope="module")
def ring():
    x, triangles = shapes.torus()
    vertices, tetrahedra, _ = fill_with_lattice("ring", x, triangles, 0.08)
    return x, vertices, tetrahedra


def test_at_rest_the_surface_is_where_it_was(ring):
    """1e-7 of each number, far above the rounding of weights that are solved in float64."""
    x, vertices, tetrahedra = ring
    tet, weights = embed(x, vertices, tetrahedra)
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-12)
    np.testing.assert_allclose(reconstruct(vertices, tetrahedra[tet], weights), x, atol=1e-12)


def test_it_follows_an_affine_map_exactly(ring):
    """Barycentric weights reproduce affine maps, also for points outside the tetrahedra. 1e-7 of each coordinate, far above
    rounding."""
    x, vertices, tetrahedra = ring
    points = np.concatenate([x, 1.02 * x])
    tet, weights = embed(points, vertices, tetrahedra)
    a = np.random.default_rng(3).normal(size=(3, 3))
    moved = reconstruct(vertices @ a + (1, -2, 3), tetrahedra[tet], weights)
    np.testing.assert_allclose(moved, points @ a + (1, -2, 3), atol=1e-11)


def test_points_inside_are_carried_by_the_tetrahedron_around_them(ring):
    """1e-9: rounding of the weights. Within 1e-6 of a face either side may carry a point."""
    _, vertices, tetrahedra = ring
    rng = np.random.default_rng(0)
    chosen = rng.integers(0, len(tetrahedra), 500)
    inner = rng.dirichlet(np.ones(4), 500)
    points = np.einsum("mk,mkd->md", inner, vertices[tetrahedra[chosen]])
    tet, weights = embed(points, vertices, tetrahedra)
    assert weights.min() > -1e-9
    away = weights.min(1) > 1e-6
    assert np.array_equal(tet[away], chosen[away])


def test_a_far_point_keeps_bounded_weights():
    """No weight below -1, so a far point moves at most a few times as far as the corners that carry it."""
    vertices = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
    tetrahedra = np.array([(0, 1, 2, 3)])
    points = np.array([(50.0, 0.2, 0.2), (-30, -40, -50), (0.2, 0.2, -0.5)])
    _, weights = embed(points, vertices, tetrahedra)
    assert weights.min() >= -1 - 1e-9
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-12)
    np.testing.assert_allclose(reconstruct(vertices, tetrahedra[[0]], weights[2:]), points[2:], atol=1e-12)


def test_nearest_triangles_agree_with_a_look_at_all_of_them():
    """Points within one triangle's size of the mesh: compared with the least of the distances to all triangles, to 1e-7 of
    it."""
    from solver.topology.embedding import _closest_on_triangles

    x, triangles = shapes.sphere(n=16)
    rng = np.random.default_rng(2)
    points = x[rng.integers(0, len(x), 200)] * (1 + 0.05 * rng.normal(size=(200, 1)))
    _, place = nearest_triangles(points, x, triangles)
    every = _closest_on_triangles(np.repeat(points, len(triangles), 0), np.tile(x[triangles], (200, 1, 1)))
    least = np.linalg.norm(every.reshape(200, -1, 3) - points[:, None], axis=2).min(1)
    np.testing.assert_allclose(np.linalg.norm(place - points, axis=1), least, atol=1e-12)


def test_ten_thousand_points_take_about_a_millisecond_a_frame(ring):
    """0.5 ms alone; 10 ms leaves room for a busy machine and still catches a loop over points (50 ms)."""
    _, vertices, tetrahedra = ring
    rng = np.random.default_rng(1)
    tet = rng.integers(0, len(tetrahedra), 10_000)
    corners, weights = tetrahedra[tet], rng.dirichlet(np.ones(4), 10_000).astype(np.float32)
    x, out = vertices.astype(np.float32), np.empty((10_000, 3), np.float32)
    times = []
    for _ in range(20):
        start = time.perf_counter()
        assert reconstruct(x, corners, weights, out) is out
        times.append(time.perf_counter() - start)
    assert min(times) < 0.01
