"""Predicted paths: particles follow them, and boxes around them hold every point in between."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.broad_phase.predicted_paths import MovingBoxes, begin_paths, measure_drift, path_boxes, unknown_paths
from solver.contact.surfaces.motion import SubstepMotion

DTYPE, COUNT = np.dtype(np.float64), 40


def paths_and_motion():
    """Half of the particles fall; all have had their paths since substep 3."""
    rng, paths = np.random.default_rng(4), unknown_paths(COUNT, DTYPE)
    paths.fall[:] = 0, 0, -0.01
    paths.falls[: COUNT // 2] = True
    x0 = rng.normal(size=(COUNT, 4))
    x0[:, 3] = 1
    motion = SubstepMotion(x0, x0 + rng.normal(size=(COUNT, 4)) * [0.02, 0.02, 0.02, 0])
    begin_paths(motion, np.ones(COUNT, bool), 3.0, np.full(COUNT, 19), paths)
    return paths, motion


def positions(paths, k: float) -> np.ndarray:
    """The formula of the module's docstring, (count, 4)."""
    falls = 0.5 * k * (k - 1) * paths.falls[:, None] * paths.fall
    return np.c_[(paths.base + k * paths.step)[:, :3] + falls, np.ones(COUNT)]


@pytest.mark.parametrize(("age", "end"), [(3.0, 0), (4.0, 1)])
def test_a_new_path_goes_through_both_ends_of_the_motion(age, end):
    """1e-13 m: rounding of double precision at a few metres."""
    paths, motion = paths_and_motion()
    drift, beyond = np.zeros(COUNT), np.zeros(COUNT, bool)
    assert measure_drift(motion[end], paths, age, False, np.full(COUNT, 1e-12), drift, beyond) == 0
    assert drift.max() < 1e-13


@pytest.mark.parametrize("frame_falls", [False, True])
def test_boxes_hold_the_paths_at_every_substep_as_seen_from_the_frame(frame_falls):
    """1e-12 m, which the boxes are grown by: rounding of double precision. Between its two ages a box moves straight."""
    paths, _ = paths_and_motion()
    frame, boxes = np.array([0.01, -0.02, 0.005]), MovingBoxes(*np.zeros((4, COUNT, 3)))
    path_boxes(paths, 3.0, 19.0, frame, frame_falls, np.full(COUNT, 1e-12), np.ones(COUNT, bool), boxes)
    for k in np.arange(3.0, 20.0):
        seen = positions(paths, k)[:, :3] - k * frame - frame_falls * 0.5 * k * (k - 1) * paths.fall
        share = (k - 3) / 16
        assert ((1 - share) * boxes.low + share * boxes.end_low <= seen).all()
        assert (seen <= (1 - share) * boxes.high + share * boxes.end_high).all()


def test_a_particle_off_its_path_by_more_than_its_skin_is_told():
    paths, _ = paths_and_motion()
    x, drift, beyond = positions(paths, 7.0), np.zeros(COUNT), np.zeros(COUNT, bool)
    x[5, 1] += 0.02
    x[6, 1] += 0.005
    assert measure_drift(x, paths, 7.0, False, np.full(COUNT, 0.01), drift, beyond) == 1
    assert np.flatnonzero(beyond).tolist() == [5]
    assert drift[6] == pytest.approx(0.005, abs=1e-12)
