"""Points in frames of triangles."""

import numpy as np
import pytest

from solver.topology.triangle_frames import TriangleFrames, carrying
from tests.validation.meshes import grid


def test_a_rigid_motion_of_the_surface_moves_its_points_exactly():
    """1e-12 of doubles; a degenerate triangle carries none."""
    x, triangles = grid(4, 4, 1.0, 1.0)
    x = np.array(x, float)
    x[:, 2] = 0.2 * np.sin(3 * x[:, 0])
    sound = carrying(x, np.concatenate([triangles, [[0, 0, 1]]]))
    assert np.array_equal(sound, triangles)
    points = np.random.default_rng(5).uniform(-1, 1, (32, 3))
    frames = TriangleFrames(points, x, sound[:32])
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    assert frames.at(x) == pytest.approx(points, abs=1e-12)
    assert frames.at(x @ turn.T + [1, 2, 3]) == pytest.approx(points @ turn.T + [1, 2, 3], abs=1e-12)
