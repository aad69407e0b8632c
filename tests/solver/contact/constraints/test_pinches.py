"""The room between what no force moves, which opposed contacts share."""

import numpy as np
import pytest

from solver.contact.broad_phase.candidates import CANDIDATE, CandidatePairs
from solver.contact.constraints.pinches import share_room
from solver.contact.constraints.tables import SELECTED

KEPT = np.array([0.003, 0.002])


def shares(directions, distances, movable=True):
    """Shares that two contacts of one vertex with a triangle each keep, and whether they are pinched. directions: that they
    push in, (2, 3). distances: of both [m]."""
    corners = np.array([[0, 1, 2, 3], [0, 4, 5, 6]], np.int32)
    values, selected = np.zeros((2, CANDIDATE.width)), np.zeros((2, SELECTED.width))
    values[:, CANDIDATE.thickness] = KEPT
    selected[:, SELECTED.vector : SELECTED.vector + 3] = np.array(directions) * np.array(distances)[:, None]
    selected[:, SELECTED.distance], selected[:, SELECTED.thickness_share] = distances, 1.0
    x0 = np.zeros((7, 4))
    x0[0, 3] = 1e-3 * movable
    pinched = share_room(np.array([0, 1]), selected, CandidatePairs(2, corners, corners[:, :2], values), x0, 1)
    return selected[:, SELECTED.thickness_share], pinched


def test_opposed_contacts_share_the_room_by_what_they_keep():
    """1e-12: rounding of float64. Of 5 mm that both keep there are 2: each keeps two fifths, wherever the vertex is."""
    for near in (0.0002, 0.001):
        kept, pinched = shares([[1, 0, 0], [-1, 0, 0]], [near, 0.002 - near])
        assert kept == pytest.approx([0.4, 0.4], abs=1e-12) and pinched.all()


def test_contacts_that_have_room_or_do_not_oppose_each_other_keep_all():
    """None: in a corner of a box, and in a wedge that opens at a right angle or more, both distances can be had."""
    for directions, distances in (
        ([[1, 0, 0], [-1, 0, 0]], [0.0031, 0.0021]),
        ([[1, 0, 0], [0, 1, 0]], [0.0005, 0.0005]),
        ([[0.8, 0, 0.6], [-0.6, 0, 0.8]], [0.0005, 0.0005]),
    ):
        kept, pinched = shares(directions, distances)
        assert (kept == 1).all() and not pinched.any()


def test_what_nothing_moves_shares_nothing():
    """None: a pin between two colliders stays where it is led."""
    kept, pinched = shares([[1, 0, 0], [-1, 0, 0]], [0.0005, 0.0005], movable=False)
    assert (kept == 1).all() and not pinched.any()
