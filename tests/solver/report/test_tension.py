"""Tension of ropes against the weight that they carry."""

import numpy as np
import pytest

from solver import Material, Pins, Rope, Scene, Settings, Simulation
from tests.scenes.ropes import line

RADIUS, DENSITY = 0.005, 1000.0
WEIGHT = 9.81 * DENSITY * np.pi * RADIUS**2  # N/m


def hung(count, length, frames=60, **settings):
    x, edges = line(count, length, (0, 0, -1.0))
    material = Material.rope(DENSITY, 1e9, damping=0.003)
    rope = Rope("rope", x, edges, RADIUS, material, Pins([0]), self_contact=False)
    run = Simulation(Scene([rope]), Settings.quality("draft", damping=4.0, **settings))
    for _ in range(frames):
        frame = run.advance_frame()
    return run, frame


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_hung_rope_carries_the_weight_below(dtype):
    """1 % of the whole weight, at each of 1000 vertices: positions of single precision alone would be off by a third. The
    report has that of the topmost segment."""
    n, length = 1000, 10.0
    run, frame = hung(n, length, dtype=dtype)
    step = length / n
    below = WEIGHT * (length - step * np.arange(n + 1))
    below[[0, n]] = WEIGHT * (length - 0.5 * step), 0.5 * WEIGHT * step
    tensions = run.tensions["rope"]
    assert np.abs(tensions - below).max() < 0.01 * WEIGHT * length
    assert frame.report.tension == pytest.approx(WEIGHT * length, rel=0.01)


def test_a_damped_rope_in_single_precision_comes_to_rest():
    """1e-5 m/s: with damping that compares rounded lengths it trembled by 1.5e-4."""
    run, _ = hung(1000, 10.0)
    assert np.abs(run.state.v[:1001]).max() < 1e-5


def test_a_method_without_the_global_step_has_the_same_tension():
    """1 % of the weight: Newton's method on 20 segments, after the same frames."""
    one, _ = hung(20, 1.0)
    other, _ = hung(20, 1.0, method="newton", global_iterations=0, dtype="float64")
    assert other.tensions["rope"] == pytest.approx(one.tensions["rope"], abs=0.01 * WEIGHT)


def test_a_pushed_rope_has_a_negative_tension_and_a_report_without_any():
    """1 % of EA times the compression."""
    x, edges = line(10, 1.0)
    ends = Pins([0, 10], targets=lambda t: x[[0, 10]] * [0.999 if t > 0 else 1.0, 1, 1])
    rope = Rope("rope", x, edges, RADIUS, Material.rope(DENSITY, 1e8), ends)
    run = Simulation(Scene([rope], gravity=(0, 0, 0)), Settings.quality("draft", damping=4.0))
    for _ in range(24):
        frame = run.advance_frame()
    assert run.tensions["rope"] == pytest.approx(-1e-3 * 1e8 * np.pi * RADIUS**2, rel=0.01)
    assert frame.report.tension == 0


def test_a_segment_between_two_pins_has_no_tension():
    """Its length is prescribed: pins that stretch it by a tenth are no load of the rope."""
    x, edges = line(4, 0.4)
    y = np.array(x)
    y[1] += [0.01, 0, 0]
    rope = Rope("rope", y, edges, 0.005, Material.rope(1000.0, 1e8), Pins([0, 1]), rest_vertices=x)
    run = Simulation(Scene([rope], gravity=(0, 0, 0)), Settings(substeps=10, damping=20.0))
    for _ in range(4):
        frame = run.advance_frame()
    assert frame.report.tension < 1.0 and np.abs(run.tensions["rope"]).max() < 1.0
