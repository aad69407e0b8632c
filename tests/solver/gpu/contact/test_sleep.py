"""Sleep beside contact on a device, by its serial twin: between frames the host says who wakes and sleeps.

All of it needs kernels that take a minute to compile.
"""

import numpy as np
import pytest

import solver
from solver import Settings, Simulation
from tests.scenes.bodies import box

pytestmark = pytest.mark.long


def thrown():
    """A box that lies on the ground, and one that starts upwards and falls on it after 1.9 s."""
    bodies = [box("low", (0, 0, 0.06), 0.0), box("high", (0.02, 0.01, 0.5), 0.2, velocity=(0, 0, 9.0))]
    return solver.Scene(bodies, [solver.Plane("ground")])


def told(device):
    """Return the sleepers after each frame, the reports, and the final positions of both boxes."""
    numbers = {"device": device, "substeps": 8, "iterations": 4, "global_iterations": 0, "threads": 1}
    made = Simulation(thrown(), Settings(sleep=True, **numbers))
    asleep, reports = [], []
    for _ in range(80):
        reports.append(made.advance_frame().report)
        asleep.append(made.state.sleep.asleep.tolist())
    return asleep, reports, made.state.rigid.centre


def test_a_box_sleeps_until_another_is_about_to_hit_it_as_on_the_cpu():
    """Both fall asleep and wake in the same frames as on the CPU, and lie within 1 mm of where they do there, half a
    millimetre of which is a stack's. The frame of the hit may be the CPU's."""
    asleep, reports, centres = told("cuda-serial")
    wanted, _, there = told("cpu")
    assert asleep == wanted
    assert [True, False] in asleep and asleep[-1] == [True, True]
    assert sum(report.device == "cpu" for report in reports) <= 1
    assert np.abs(centres - there)[:, 2].max() < 1e-3
