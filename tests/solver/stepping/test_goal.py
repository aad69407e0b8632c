"""Goal: springs to the animated mesh, as a frequency and a damping ratio."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

import solver
from solver import FrameInputs, Goal, Pins, Scene, Settings, Simulation
from tests.covering_set import long
from tests.scenes.plain_cloth import plain_cloth
from tests.validation.meshes import grid

AWAY = 0.1


def sheet(pins, shift=AWAY):
    """A sheet of four quads that starts a way from its mesh, the targets of its pins, and does not stretch on its way."""
    flat, triangles = grid(2, 2, 0.1, 0.1)
    cotton = solver.load_material("cotton_poplin")
    return plain_cloth("sheet", flat + [shift, 0, 0], triangles, cotton, rest_vertices=flat, pins=pins)


def flat():
    return grid(2, 2, 0.1, 0.1)[0]


def led(pins, settings, frames, inputs=lambda number: None, shift=AWAY):
    """Distance of the sheet from its mesh along X at each frame [m]."""
    simulation = Simulation(Scene([sheet(pins, shift)], gravity=(0, 0, 0), air_density=0.0), settings)
    x = [simulation.start().positions["sheet"]]
    x += [simulation.advance_frame(inputs(number)).positions["sheet"] for number in range(2, frames + 1)]
    return np.array([one[:, 0].mean() for one in x]) - flat()[:, 0].mean()


def swing(t, frequency, ratio):
    """A damped oscillator that is let go at AWAY [m]."""
    w = 2 * np.pi * frequency
    damped = w * np.sqrt(1 - ratio**2)
    return AWAY * np.exp(-ratio * w * t) * (np.cos(damped * t) + ratio * w / damped * np.sin(damped * t))


@pytest.mark.parametrize("frequency, ratio", [(2.0, 0.2), (2.0, 0.05), (5.0, 0.2), (1.0, 0.5)])
@pytest.mark.parametrize("quality", ["draft", *long("production")])
def test_a_body_swings_about_its_mesh_at_its_frequency_and_damping_ratio(quality, frequency, ratio):
    """1 %: the error of the time step, 0.9 % at most in Draft."""
    settings = Settings.quality(quality, threads=1)
    pins = Pins(np.arange(len(flat())), 0.0, flat(), goal=Goal(1.0, frequency, ratio))
    x = led(pins, settings, 49)
    found, _ = curve_fit(swing, np.arange(len(x)) / settings.fps, x, p0=(frequency, ratio))
    assert found == pytest.approx([frequency, ratio], rel=0.01)


def test_a_weight_is_the_share_of_the_spring_and_of_its_damper():
    """A quarter of the spring swings at half the frequency, with half the damping ratio; 1 % as above."""
    pins = Pins(np.arange(len(flat())), 0.0, flat(), goal=Goal(0.25, 4.0, 0.2))
    x = led(pins, Settings(threads=1), 49)
    found, _ = curve_fit(swing, np.arange(len(x)) / 24, x, p0=(2.0, 0.1))
    assert found == pytest.approx([2.0, 0.1], rel=0.01)


def test_a_stiff_goal_follows_its_mesh():
    """1e-4 m behind a mesh that swings by 0.1 m once a second: an acceleration of 4 m/s^2 over (2 pi f)^2 is 1e-5 m at 100
    Hz, and a critically damped spring has no lag of speed, as its damper is of the speed relative to the mesh."""

    def path(time):
        return flat() + [AWAY * np.sin(2 * np.pi * time), 0, 0]

    pins = Pins(np.arange(len(flat())), 0.0, path, goal=Goal(1.0, 100.0, 1.0))
    x = led(pins, Settings(threads=1), 25, shift=0.0)
    assert x == pytest.approx(AWAY * np.sin(2 * np.pi * np.arange(25) / 24), abs=1e-4)


def test_pins_hold_beside_a_goal():
    """A pin of weight 1 is at its target exactly, where the goal pulls the others."""
    pins = Pins(np.arange(len(flat())), np.where(np.arange(len(flat())) == 4, 1.0, 0.0), flat(), goal=Goal())
    start = flat() + [AWAY, 0, 0]
    start[4] = flat()[4]
    body = sheet(pins)
    body.vertices = start
    frame = Simulation(Scene([body], gravity=(0, 0, 0)), Settings(threads=1)).advance_frame()
    assert frame.positions["sheet"][4] == pytest.approx(flat()[4], abs=1e-7)
    assert np.abs(frame.positions["sheet"] - start).max() > 0.01


def test_a_key_lets_the_goal_go_and_a_restored_state_goes_on_with_the_same_bits():
    """Without the spring the sheet moves on at the speed that it had, to 1e-5 m of rounding a frame."""
    pins = Pins(np.arange(len(flat())), 0.0, flat(), goal=Goal(1.0, 2.0, 0.0))
    still = {"sheet": {"goal_weight": 0.0}}

    def inputs(number):
        return FrameInputs(values=still if number > 4 else {})

    x = led(pins, Settings(threads=1), 10, inputs)
    speed = np.diff(x)
    assert speed[4:] == pytest.approx(np.full(5, speed[5]), abs=1e-5)
    assert speed[5] < -0.005
    scene = Scene([sheet(pins)], gravity=(0, 0, 0), air_density=0.0)
    first, second = Simulation(scene, Settings(threads=1)), Simulation(scene, Settings(threads=1))
    for number in range(2, 6):
        first.advance_frame(inputs(number))
    second.restore(first.snapshot())
    ends = [simulation.advance_frame(inputs(6)).positions["sheet"] for simulation in (first, second)]
    assert np.array_equal(*ends)


@pytest.mark.parametrize("weight", [-0.1, 1.1, np.nan, [0.5]])
def test_a_weight_that_is_no_share_is_refused(weight):
    with pytest.raises(solver.SceneError, match="Goal"):
        Pins([0, 1], goal=Goal(weight))


def test_a_goal_that_is_not_there_cannot_change():
    with pytest.raises(solver.SceneError, match="has no goal whose frequency could change"):
        Simulation(Scene([sheet(Pins([0], 1.0))]), Settings(threads=1)).advance_frame(
            FrameInputs(values={"sheet": {"goal_frequency": 3.0}})
        )
