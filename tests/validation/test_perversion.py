"""Perversion of a tendril: two helices of opposite hands, to which a rope winds whose ends cannot turn."""

import numpy as np
import pytest

from solver import Settings, Simulation
from tests.scenes.tendril import CURVATURE, SEGMENTS, curvatures, handedness, helix, tendril


@pytest.mark.slow
def test_a_slack_tendril_winds_to_two_helices_of_opposite_hands():
    """The hand changes once between the ends, within two segments of the middle. Curvature of both helices and tension as
    of long helices without torque: 5 % of three turns between the middle and a pinned end, and 1 %."""
    run = Simulation(tendril(), Settings.quality("draft", damping=1.0, threads=1))
    for _ in range(24 * 7):
        frame = run.advance_frame()
    x = frame.positions["cord"].astype(float)
    left, right = slice(SEGMENTS // 5, 2 * SEGMENTS // 5), slice(3 * SEGMENTS // 5, 4 * SEGMENTS // 5)
    hands = np.sign(handedness(x))
    inner = hands[SEGMENTS // 6 : -SEGMENTS // 6]
    changes = np.flatnonzero(inner[1:] != inner[:-1]) + SEGMENTS // 6
    assert len(changes) == 1 and abs(changes[0] + 2 - SEGMENTS // 2) <= 2
    assert (hands[left] == hands[left][0]).all() and (hands[right] == -hands[left][0]).all()
    curvature, tension = helix()
    assert curvature < 0.75 * CURVATURE
    for half in (left, right):
        assert np.median(curvatures(x)[half]) == pytest.approx(curvature, rel=0.05)
    assert frame.report.tension == pytest.approx(tension, rel=0.01)
