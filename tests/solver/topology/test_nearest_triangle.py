"""Nearest triangles of points."""

import numpy as np
import pytest

from solver.topology.nearest_triangle import nearest_triangles


def test_the_nearest_triangle_is_the_one_that_sampling_finds():
    """0.02: so far apart the samples stand on triangles of edge one."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 2, (30, 3))
    triangles = rng.permuted(np.tile(np.arange(30), (20, 1)), axis=1)[:, :3]
    points = rng.uniform(-1, 3, (40, 3))
    s, t = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 60)))
    shares = np.column_stack([1 - s, s * (1 - t), s * t])
    samples = np.einsum("sk,tkc->tsc", shares, x[triangles])
    sampled = np.linalg.norm(points[:, None, None] - samples, axis=3).min(2)
    found, distance = nearest_triangles(points, x, triangles, np.inf)
    assert np.abs(distance - sampled.min(1)).max() < 0.02
    assert (sampled[np.arange(40), found] < sampled.min(1) + 0.02).all()


def test_only_triangles_within_the_distance_count():
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
    points = np.array([[0.2, 0.2, 0.1], [0.2, 0.2, 0.3], [5, 5, 5], [0.2, 0.2, 0.0]])
    found, distance = nearest_triangles(points, x, np.array([[0, 1, 2]]), 0.2)
    assert found.tolist() == [0, -1, -1, 0]
    assert distance[[0, 3]] == pytest.approx([0.1, 0.0], abs=1e-12)
