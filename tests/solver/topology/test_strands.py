"""Strands of ropes: paths between ends and branches, rings, and their frames."""

import numpy as np
import pytest

from solver.errors import TopologyError
from solver.topology.strands import check_edges, find_strands, frames_along, joints_of


def test_a_branch_ends_strands_and_a_ring_closes():
    """A Y of three arms, and a triangle beside it: every edge is in one strand, joints are at vertices of two edges."""
    edges = np.array([[0, 1], [1, 2], [1, 3], [3, 4], [5, 6], [6, 7], [7, 5]])
    strands = find_strands(edges, 8)
    assert sorted(len(s) - 1 for s in strands) == [1, 1, 2, 3]
    joints = np.concatenate([joints_of(s) for s in strands])
    assert sorted(joints[:, 1]) == [3, 5, 6, 7]
    used = np.concatenate([np.sort(np.stack([s[:-1], s[1:]], 1), 1) for s in strands])
    assert {tuple(pair) for pair in used} == {tuple(sorted(pair)) for pair in edges.tolist()} and len(used) == len(edges)


def test_frames_are_across_and_turn_no_more_than_the_strand():
    """1e-12: rounding. In a plane the frame's angle to the plane stays."""
    angle = np.linspace(0, 2, 20)
    points = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    frames, edges = frames_along(points, np.arange(20)), np.diff(points, axis=0)
    assert np.abs((frames * edges).sum(1)).max() < 1e-12
    assert np.abs(np.linalg.norm(frames, axis=1) - 1).max() < 1e-12
    assert np.ptp(frames[:, 2]) < 1e-12


def test_double_edges_and_edges_without_length_are_named():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 0]])
    with pytest.raises(TopologyError, match="vertices 0 and 1 is listed twice"):
        check_edges("rope", points, np.array([[0, 1], [1, 0]]))
    with pytest.raises(TopologyError, match="vertices 1 and 2"):
        check_edges("rope", points, np.array([[0, 1], [1, 2]]))
