import numpy as np
import pytest

from solver.topology.edges import edge_uses
from solver.topology.winding import _offsets, boundary_cones, inside_grid, solid_angle_share
from tests.solver.topology import shapes


def test_the_solid_angle_of_a_closed_surface_is_whole():
    """1 inside, to 1e-7, and 0 outside, to 1e-12: rounding is less."""
    x, triangles = shapes.torus()
    share = solid_angle_share(np.array([(1.0, 0, 0), (0, 0, 0), (0, -1.2, 0.1), (5, 0, 0)]), x, triangles)
    np.testing.assert_allclose(share, [1, 0, 1, 0], atol=1e-12)


def test_the_columns_count_the_volume_of_a_ring():
    """72 samples across: the faces are sampled evenly, so the error is far below one layer of samples; 0.5 %."""
    x, triangles = shapes.torus()
    inside = inside_grid("ring", x, triangles, np.array([-1.5, -1.5, -0.5]), 0.25 / 6, np.array([12, 12, 4]), 6)
    assert inside.sum() * (0.25 / 6) ** 3 == pytest.approx(shapes.volume(x, triangles), rel=0.005)


def test_a_cube_along_the_axes_is_not_counted_a_row_short():
    """Its faces lie between rows of samples: straight rows would be 6 % off; 0.5 % is the limit."""
    x, triangles = shapes.cube()
    inside = inside_grid("box", x, triangles, np.full(3, -0.11), 0.0289, np.array([8, 8, 8]), 6)
    assert inside.sum() * 0.0289**3 == pytest.approx(1, rel=0.005)


def test_an_open_ball_is_decided_by_its_exact_winding_number():
    """The grid's decisions (whole numbers less cones) equal those of the solid angle of the open mesh at cell centres, but
    where its share is within 0.1 of a half: in less than 5 % of the cells."""
    x, triangles = shapes.sphere(cut=0.25)
    assert len(boundary_cones(x, triangles)[0])
    # One sample a cell, so that every cell near the hole is decided by itself.
    step, cells = 0.15, np.array([16, 16, 16])
    origin = np.full(3, -1.2)
    inside = inside_grid("bowl", x, triangles, origin, step, cells, 1)
    sample = np.argwhere(np.ones(cells, bool))
    points = origin + (sample + _offsets(sample[:, :2], 0)) * step
    share = solid_angle_share(points, x, triangles).reshape(cells)
    clear = np.abs(np.abs(share) - 0.5) > 0.1
    assert clear.mean() > 0.95
    assert np.array_equal(inside[clear], (np.abs(share) > 0.5)[clear])


def test_cones_close_the_surface():
    x, triangles = shapes.sphere(cut=0.25)
    cones, points = boundary_cones(x, triangles)
    assert (edge_uses(np.concatenate([triangles, cones]))[2] == 0).all()
    assert len(points) == len(x) + 1
