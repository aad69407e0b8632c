import numpy as np
import pytest

import solver

TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@pytest.mark.parametrize("poses", [TRIANGLE, np.stack([TRIANGLE, TRIANGLE + 1.0]), lambda time: TRIANGLE + time])
def test_a_collider_has_as_many_vertices_as_each_of_its_poses(poses):
    """Exact. The contact map reads so many of each collider's: two frames have the length 2, and a function has none."""
    assert solver.Collider("floor", poses, np.array([[0, 1, 2]])).count == 3
