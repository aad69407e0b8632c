"""The hierarchy of meshlets: each element has one place, and boxes hold all elements below them."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.broad_phase.meshlet_tree import MeshletTree
from solver.contact.broad_phase.predicted_paths import MovingBoxes
from solver.device.cpu import LANES
from solver.topology.edges import unique_edges
from tests.solver.contact.worlds import grid

CELL = 0.13


def meshlets(n: int, cells: bool) -> tuple[MeshletTree, np.ndarray, list[np.ndarray], list[np.ndarray]]:
    """Meshlets of two grids, of two objects, their positions, elements, and the cells of these."""
    x, triangles = grid(n, n, 1.0)
    x, triangles = np.r_[x, x + [0, 0, 1.0]], np.r_[triangles, triangles + len(x)]
    owner = np.repeat([0, 1], len(x) // 2)
    elements = [np.arange(len(x))[:, None], unique_edges(triangles), triangles]
    of_cells = [(x[e, :2].min(1) // CELL).astype(np.int32) * cells for e in elements]
    return MeshletTree(elements, (0, 100, 200), owner, x, np.dtype(float), of_cells), x, elements, of_cells


def fit(tree: MeshletTree, x: np.ndarray, moved: np.ndarray, partly: bool = False) -> None:
    """Positions at the first time; 1 m higher and 0.1 m around them at the second."""
    end = x + [0, 0, 1.0]
    tree.fit(MovingBoxes(x, x, end - 0.1, end + 0.1), moved, partly)


def check(tree: MeshletTree, x: np.ndarray, moved: np.ndarray) -> None:
    """All boxes, and the fresh ones."""
    t, end = tree.table, x + [0, 0, 1.0]
    count, big = len(t.owner), 1e30
    leaves = np.tile([big, big, big, -big, -big, -big], (t.leaves, 2))
    of_fresh, fresh = leaves.copy(), np.zeros(t.leaves, bool)
    for kind in (t.points, t.edges, t.triangles):
        for meshlet in range(count):
            for lane in range(kind.filled[meshlet]):
                c = kind.corners[meshlet * LANES + lane]
                box = np.r_[x[c].min(0), x[c].max(0), end[c].min(0) - 0.1, end[c].max(0) + 0.1]
                assert (kind.boxes[meshlet].reshape(12, LANES)[:, lane] == box).all()
                assert bool(kind.fresh[meshlet] >> lane & 1) == moved[c].any()
                fresh[meshlet] |= moved[c].any()
                for one in (leaves, of_fresh) if moved[c].any() else (leaves,):
                    for at in (0, 6):
                        one[meshlet, at : at + 3] = np.minimum(one[meshlet, at : at + 3], box[at : at + 3])
                        one[meshlet, at + 3 : at + 6] = np.maximum(one[meshlet, at + 3 : at + 6], box[at + 3 : at + 6])
    assert (t.fresh_boxes[fresh[:count]] == of_fresh[:count][fresh[:count]]).all()
    for node in range(2 * t.leaves - 1):
        first, stop = node, node + 1
        while first < t.leaves - 1:
            first, stop = 2 * first + 1, 2 * stop + 1
        rows = slice(first - t.leaves + 1, stop - t.leaves + 1)
        assert t.last[node] == rows.stop
        assert t.fresh_nodes[node] == fresh[rows].any()
        for at in (0, 1, 2, 6, 7, 8):
            assert t.nodes[node, at] == leaves[rows, at].min()
            assert t.nodes[node, at + 3] == leaves[rows, at + 3].max()


@pytest.mark.parametrize("cells", [False, True])
def test_each_element_has_one_place_in_a_meshlet_of_its_object_and_cell(cells):
    tree, _, elements, of_cells = meshlets(12, cells)
    t = tree.table
    seen: dict[int, set] = {}
    for kind, own, places, first in zip(elements, of_cells, (t.points, t.edges, t.triangles), (0, 100, 200), strict=True):
        held = places.numbers.reshape(-1, LANES)
        assert sorted(held[held >= 0].tolist()) == list(range(first, first + len(kind)))
        for meshlet, numbers in enumerate(held):
            filled = places.filled[meshlet]
            assert (numbers[:filled] >= 0).all()
            assert (numbers[filled:] < 0).all()
            mine = numbers[:filled] - first
            assert (places.corners[meshlet * LANES : meshlet * LANES + filled] == kind[mine]).all()
            body = (kind[mine, 0] >= len(elements[0]) // 2).astype(int)
            assert (t.owner[meshlet] == body).all()
            seen.setdefault(meshlet, set()).update(map(tuple, own[mine].tolist()))
    assert max(len(cell) for cell in seen.values()) == 1
    full = t.edges.filled.max()
    assert full == LANES if not cells else full > LANES // 2


def test_boxes_are_those_of_the_elements_below():
    tree, x, _, _ = meshlets(9, True)
    everything, some = np.ones(len(x), bool), np.zeros(len(x), bool)
    fit(tree, x, everything)
    check(tree, x, everything)
    assert tree.all_fresh
    some[[3, len(x) // 2, len(x) - 1]] = True
    y = x + np.outer(some, [0.5, 0.2, 1.0])
    fit(tree, y, some, partly=True)
    check(tree, y, some)
    assert tree.any_fresh
    assert not tree.all_fresh
    fit(tree, y, np.zeros(len(x), bool), partly=True)
    assert not tree.any_fresh


def test_no_elements_have_no_meshlets():
    empty = [np.zeros((0, k), np.int32) for k in (1, 2, 3)]
    no_cells = 3 * [np.zeros((0, 2), np.int32)]
    tree = MeshletTree(empty, (0, 0, 0), np.zeros(5, int), np.zeros((5, 3)), np.dtype(float), no_cells)
    fit(tree, np.zeros((5, 3)), np.ones(5, bool))
    assert len(tree) == 0
    assert not tree.any_fresh
