"""Newton's method of a step: how many linear systems it solves."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver import Cloth, Plane, Scene, Settings, Simulation
from solver.global_step.newton import NewtonStep
from tests.scenes.meshes import sheet

pytestmark = pytest.mark.slow  # compilation


def test_keep_length_bounds_the_systems_of_a_substep(monkeypatch):
    """A sheet that hits a plane at 3 m/s takes two systems in some substep with a *Keep Length* of 4, which allows six, and
    one with 1, which allows 1.5."""
    counts, take = [], NewtonStep.take

    def counted(step, swept):
        take(step, swept)
        counts[-1] = max(counts[-1], step.count)

    monkeypatch.setattr(NewtonStep, "take", counted)
    x, t = sheet(12, 0.5, (0, 0, 0.3), 0.0, (1, 0.2, 0.3))
    fall = np.full(x.shape, (0.0, 0.0, -3.0))
    scene = Scene([Cloth("sheet", x, t, solver.load_material("cotton"), velocities=fall)], [Plane("floor")])
    for keep_length in (4, 1):
        counts.append(0)
        simulation = Simulation(scene, Settings(substeps=4, iterations=1, global_iterations=keep_length, threads=1))
        for _ in range(4):
            simulation.advance_frame()
    assert counts == [2, 1]
