import numpy as np
import pytest

from solver.topology.tethers import NEAREST, find_tethers
from tests.validation.meshes import grid, scattered


@pytest.mark.parametrize("mesh, most", [(grid(10, 10, 1, 1), 1.03), (grid(10, 10, 1, 1, alternate=True), 1.083)])
def test_on_a_flat_grid_distances_are_straight_lines_or_a_little_more(mesh, most):
    """At worst 8.24 % (8.3 % is the limit): paths in eight directions, 22.5 degrees off; 2.75 % (3 %) where paths of slope
    1/2 cross edges too. None is too short but for rounding, 1e-12."""
    x, triangles = mesh
    tethers, distance = find_tethers("sheet", x, triangles, np.array([0]))
    assert (tethers[:, 0] == np.arange(1, len(x))).all() and (tethers[:, 1] == 0).all()
    ratio = distance / np.linalg.norm(x[tethers[:, 0]] - x[0], axis=1)
    assert ratio.min() > 1 - 1e-12
    assert ratio.max() < most


def test_between_scattered_vertices_distances_are_never_too_short_and_a_few_percent_too_long():
    """1 to 5 % in the mean, of paths that turn at vertices; none too short but for rounding, 1e-12."""
    x, triangles = scattered(200)
    tethers, distance = find_tethers("sheet", x, triangles, np.array([3]))
    ratio = distance / np.linalg.norm(x[tethers[:, 0]] - x[3], axis=1)
    assert ratio.min() > 1 - 1e-12
    assert 1.01 < ratio.mean() < 1.05


def test_a_rolled_sheet_has_the_distances_of_the_flat_one():
    """1e-3: facets of a roll of 20 cells are a little shorter than the arc."""
    x, triangles = grid(20, 5, 1.0, 0.25)
    rolled = np.stack([np.sin(3 * x[:, 0]) / 3, x[:, 1], (1 - np.cos(3 * x[:, 0])) / 3], 1)
    flat = find_tethers("sheet", x, triangles, np.arange(6))[1]
    assert find_tethers("sheet", rolled, triangles, np.arange(6))[1] == pytest.approx(flat, rel=1e-3)


def test_pins_along_a_side_are_one_group_and_each_vertex_takes_the_nearest_pin():
    x, triangles = grid(6, 6, 1.0, 1.0)
    side = np.arange(7)  # x = 0
    tethers, distance = find_tethers("sheet", x, triangles, side)
    assert len(tethers) == 42
    assert distance == pytest.approx(x[tethers[:, 0], 0], rel=1e-12)


def test_each_vertex_is_tied_to_the_nearest_groups_and_no_more():
    x, triangles = grid(12, 1, 1.0, 0.1)
    pins = np.arange(0, 26, 4)  # seven lone vertices
    tethers, distance = find_tethers("sheet", x, triangles, pins)
    vertex = 13
    mine = tethers[:, 0] == vertex
    assert mine.sum() == NEAREST
    nearest = np.sort(np.linalg.norm(x[pins] - x[vertex], axis=1))[:NEAREST]
    assert np.sort(distance[mine]) == pytest.approx(nearest, rel=0.1)
    assert not np.isin(tethers[:, 0], pins).any()


def test_a_part_without_pins_has_no_tethers_and_without_any_pin_there_are_none():
    x, triangles = grid(3, 3, 1.0, 1.0)
    both = np.concatenate([x, x + [5, 0, 0]]), np.concatenate([triangles, triangles + 16])
    tethers, _ = find_tethers("sheets", *both, np.array([0]))
    assert tethers.max() < 16 and len(tethers) == 15
    assert len(find_tethers("sheets", *both, np.zeros(0, int))[0]) == 0


def test_the_order_of_the_vertices_does_not_matter():
    x, triangles = scattered(80)
    turn = np.random.default_rng(1).permutation(len(x))
    place = np.empty(len(x), int)
    place[turn] = np.arange(len(x))
    one = find_tethers("sheet", x, triangles, np.array([5, 70]))
    other = find_tethers("sheet", x[turn], place[triangles], place[[5, 70]])
    plain = {(a, b): d for (a, b), d in zip(one[0].tolist(), one[1], strict=True)}
    turned = {(int(turn[a]), int(turn[b])): d for (a, b), d in zip(other[0].tolist(), other[1], strict=True)}
    assert plain.keys() == turned.keys()
    assert all(turned[key] == pytest.approx(plain[key], rel=1e-12) for key in plain)
