"""Pins that contact has held, and how they catch up."""

import numpy as np
import pytest

import solver
from solver.contact.tolerances import RECOVERY_SPEED
from solver.stepping.pins import place_pins
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import grid


def test_a_pin_that_contact_has_held_catches_up_at_the_speed_of_penetration_recovery():
    """It goes with its target, 20 mm here, and gains on it by speed times substep, to 1e-6 m of single precision; one that
    has not been held, or lags by less than that, is at its target at once."""
    flat, triangles = grid(3, 3, 0.3, 0.3)
    cotton = solver.load_material("cotton_poplin")
    sheet = plain_cloth("sheet", flat, triangles, cotton, pins=solver.Pins([0, 1, 2]))
    simulation = solver.Simulation(solver.Scene([sheet]), plain_settings(threads=1, global_iterations=0))
    model, state = simulation.model, simulation.state
    pinned = model.parts[0].pinned
    start = state.x[pinned, :3].astype(float)
    gained = RECOVERY_SPEED * model.h
    way, lag = np.array([0.02, 0, 0]), np.array([[0, 0, 10 * gained], [0, 0, 0.5 * gained], [0, 0, 10 * gained]])
    state.x[pinned, :3] -= lag
    state.clamped_pins[pinned] = [True, True, False]
    place_pins(model, state, [start], [start + way])
    behind = start + way - state.x[pinned, :3]
    assert behind[0] == pytest.approx([0, 0, 9 * gained], abs=1e-6)
    assert behind[1:] == pytest.approx(np.zeros((2, 3)), abs=1e-6)
