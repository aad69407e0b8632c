"""The directions of warp and weft, as a UV map or the world has them."""

import numpy as np
import pytest

from solver import Cloth, Material
from solver.errors import SceneError
from solver.model.bodies.cloth import KIND
from solver.topology.axes import warp_and_weft
from tests.scenes.linear_table import linear_table
from tests.scenes.meshes import rectangle


def slope(angle):
    """A square of two triangles that leans about Y, and its plan."""
    plan, triangles = rectangle((1, 1), (1.0, 1.0))
    return np.stack([plan[:, 0] * np.cos(angle), plan[:, 1], plan[:, 0] * np.sin(angle)], 1), triangles, plan[:, :2]


@pytest.mark.parametrize(("turn", "mirror"), [(0.0, 1), (0.5, 1), (0.5, -1), (2.0, 1)])
def test_the_warp_is_where_u_grows_and_the_weft_at_right_angles_in_the_plane(turn, mirror):
    """1e-12: rounding."""
    x, triangles, plan = slope(0.4)
    c, s = np.cos(turn), np.sin(turn)
    axes = warp_and_weft("sheet", x, triangles, plan @ np.array([[c, -s], [s, c]]) * [mirror, 1])
    warp = mirror * np.array([c * np.cos(0.4), s, c * np.sin(0.4)])
    assert np.abs(axes[:, 0] - warp).max() < 1e-12
    assert np.abs(np.einsum("tij,tkj->tik", axes, axes) - np.eye(2)).max() < 1e-12
    assert np.abs(axes @ [-np.sin(0.4), 0, np.cos(0.4)]).max() < 1e-12


def test_without_a_map_the_warp_is_world_x_or_y_where_x_stands_upright():
    """1e-12: rounding."""
    for angle, wanted in ((0.4, [np.cos(0.4), 0, np.sin(0.4)]), (np.pi / 2, [0, 1, 0])):
        x, triangles, _ = slope(angle)
        assert np.abs(warp_and_weft("sheet", x, triangles)[:, 0] - wanted).max() < 1e-12


def test_a_map_that_folds_faces_to_a_line_is_refused():
    x, triangles, plan = slope(0.0)
    with pytest.raises(SceneError, match=r"sheet: 2 faces have no area in the UV map \(first: triangle 0\)"):
        warp_and_weft("sheet", x, triangles, plan * [1.0, 0.0])


def test_a_fabric_of_yarns_without_a_map_is_told_of():
    x, triangles, plan = slope(0.0)
    fabric = Material("plain", "fabric", 0.3, {"hylc": {"damping": 0.0}}, table=linear_table())
    for uv, said in ((None, ["sheet: no UV map says how the yarns of 'plain' run"]), (plan, [])):
        told = KIND.contribution(Cloth("sheet", x, triangles, fabric, uv=uv), 0, np.zeros(3)).warnings
        assert [text[: len(said[0])] for text in told] == said if said else not told
