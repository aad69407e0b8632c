"""Pins that contact has held, and how they catch up."""

import numpy as np
import pytest

import solver
from solver.steering import RECOVERY_SPEED
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


def test_pins_led_through_a_plane_stop_in_front_of_it_and_are_told():
    """The upper hem of a sheet that hangs is led down through the ground, 0.3 m deep, with all of the sheet before it.
    No vertex is ever behind the plane, to rounding, and no edge stretches to twice its length (by half of it with a mesh
    as the ground, to eighteen times where pins went through)."""
    flat, triangles = grid(20, 20, 0.6, 0.6)
    upright = np.stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1] - flat[:, 1].min() + 0.1], 1)
    hem = np.flatnonzero(upright[:, 2] > upright[:, 2].max() - 1e-6)
    down = solver.Pins(hem, targets=lambda time: upright[hem] - [0, 0, min(time, 1.0)])
    sheet = plain_cloth("sheet", upright, triangles, solver.load_material("cotton_poplin"), pins=down)
    ground = solver.Plane("ground", (0, 0, 0), (0, 0, 1))
    simulation = solver.Simulation(solver.Scene([sheet], [ground]), solver.Settings.quality("draft", fps=24, threads=1))
    for frame in simulation.frames(1, 26):
        assert frame.positions["sheet"][:, 2].min() > -1e-6
        assert frame.report.max_stretch < 1.0
    assert frame.report.clamped_pins == len(hem)
    told = f"pins stop where they would pass through something ({len(hem)} of 'sheet')"
    assert any(told in warning for warning in simulation.warnings)
