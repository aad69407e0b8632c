"""The bounding volume hierarchy: boxes hold all elements below them."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.broad_phase.nearest_surface import nearest_surface
from solver.contact.broad_phase.tree import LEAF, STACK, Tree
from solver.device.cpu import kernel
from tests.solver.contact.closest import distances
from tests.solver.contact.worlds import grid, sphere


def check(tree: Tree, x: np.ndarray) -> None:
    """Each node's box is that of the elements below it."""
    t = tree.table
    low, high = x[t.items].min(1), x[t.items].max(1)
    for node in range(2 * t.leaves - 1):
        first, last = node, node
        while first < t.leaves - 1:
            first, last = 2 * first + 1, 2 * last + 2
        rows = slice((first - t.leaves + 1) * LEAF, (last - t.leaves + 2) * LEAF)
        if len(low[rows]):
            assert (t.nodes[node, :3] == low[rows].min(0)).all()
            assert (t.nodes[node, 3:] == high[rows].max(0)).all()


@pytest.mark.parametrize("n", [2, 9, 14])
def test_boxes_are_those_of_the_elements_below(n):
    x, triangles = grid(n, n, 1.0)
    tree, everything = Tree(triangles, np.zeros(len(x), int), x, np.dtype(float)), np.ones(len(x), bool)
    assert sorted(tree.table.order.tolist()) == list(range(len(triangles)))
    tree.fit(x, x, everything)
    check(tree, x)
    some = np.zeros(len(x), bool)
    some[len(x) // 2] = True
    y = x + np.outer(some, [0.5, 0.2, 1.0])
    tree.fit(y, y, some)
    check(tree, y)
    assert (tree.table.fresh == some[tree.table.items].any(1)).all()
    assert tree.any_fresh


@kernel
def nearest(points, triangles, groups, outward, pose, order, leaves, nodes, out):
    stack = np.empty(STACK, np.int32)
    for i in range(len(points)):
        p = (points[i, 0], points[i, 1], points[i, 2])
        t, d, side = nearest_surface(p, 0, groups, outward, triangles, pose, order, leaves, nodes, stack)
        out[i, 0], out[i, 1], out[i, 2] = t, d, side


def test_the_nearest_point_of_a_closed_surface_and_its_side():
    """Against all triangles, to 1e-9 m; of points nearer than the sphere's facets are deep either side is right."""
    x, triangles = sphere(6, 0.1)
    tree = Tree(triangles, np.zeros(len(x), int), x, np.dtype(float))
    tree.fit(x, x, np.ones(len(x), bool))
    points = np.random.default_rng(3).uniform(-0.15, 0.15, (300, 3))
    out, ones = np.zeros((300, 3)), np.ones(len(triangles))
    t = tree.table
    nearest(points, triangles, np.zeros(len(triangles), np.int32), ones, x, t.order, t.leaves, t.nodes, out)
    assert out[:, 1] == pytest.approx(distances(points, x[triangles]).min(1), abs=1e-9)
    radius = np.linalg.norm(points, axis=1)
    clear = abs(radius - 0.0975) > 0.005
    assert (out[clear, 2] == np.where(radius[clear] > 0.1, 1, -1)).all()
