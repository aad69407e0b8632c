"""Rest of bodies that lie on others."""

from dataclasses import replace

import numpy as np
import pytest

import solver
from tests.scenes import resting


@pytest.mark.long
def test_a_ribbon_over_a_ball_does_not_live_on_what_its_substeps_leave():
    """5 mm/s in the root mean square of the last second of five, in *Draft*, and at most 0.7 of the third second's: 3.0 and
    6.5 are measured, 17 for ever where slow motion was solved no better than fast. Friction holds the spans between ball and
    ground at both ends, so they swing, and air alone takes that away; the fabric is a preset's."""
    scene, _ = resting.ribbons(solver, count=1)
    (ribbon,) = scene.bodies
    body = solver.Cloth("ribbon", ribbon.vertices, ribbon.triangles, solver.load_material("satin_lining"), friction=0.6)
    rough = [replace(collider, friction=0.9) for collider in scene.colliders]
    settings = solver.Settings.quality("draft", fps=24, threads=1)
    simulation = solver.Simulation(solver.Scene([body], rough, air_density=1.2), settings)
    positions = np.array([frame.positions["ribbon"].astype(float) for frame in simulation.frames(1, 120)])
    square = (np.diff(positions, axis=0) ** 2).sum(2).mean(1)
    third, fifth = (24 * np.sqrt(square[last - 24 : last].mean()) for last in (71, 119))
    assert fifth < min(5e-3, 0.7 * third)
