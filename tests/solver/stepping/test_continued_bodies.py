"""Bodies that continue where others come, go or get another mesh."""

import numpy as np
import pytest

from solver import Material, Pins, Rigid, Rope, Scene, Settings, Simulation, SoftBody
from tests.scenes.meshes import brick
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.ropes import line
from tests.validation.meshes import cube, grid

COTTON = Material.fabric(0.15, 800, 100, bending=1e-5, damping=2e-4)
JELLY = Material.solid(1000, 1e5, 0.45, damping=1e-3)
CORD = Material.rope(1000, 1e7, 1e6, 4e5, damping=0.01)
SETTINGS = Settings(substeps=4, threads=1)


def flag(name="flag", n=6, place=(0, 0, 0)):
    x, triangles = grid(n, n, 0.5, 0.5)
    return plain_cloth(name, x + place, triangles, COTTON, pins=Pins(np.arange(n + 1)))


def block():
    """A cube, whose principal axes are any."""
    x, triangles = brick((0.2, 0.2, 0.2))
    return Rigid("block", x + [3, 0, 0], triangles, density=300.0, angular_velocity=(1, 5, 2))


def jelly():
    x, tetrahedra = cube(2, 0.3)
    return SoftBody("jelly", x + [-3, 0, 0], tetrahedra, JELLY, pins=Pins(np.flatnonzero(x[:, 2] < 1e-9)))


def cord():
    """Twisted a full turn between its ends."""
    x, edges = line(12, 0.5)
    return Rope("cord", x + [0, 3, 0], edges, 0.005, CORD, pins=Pins([0, 1, 11, 12]), turn_start=6.28)


def advanced(simulation, frames):
    for _ in range(frames):
        frame = simulation.advance_frame()
    return frame


def test_bodies_continue_as_if_nothing_had_come_or_gone():
    """2e-4 m, a thousandth of the motion of a cloth, where nothing touches anything: iterations begin without the result of
    the step before. 1e-5 m of a rigid body, which has none: single precision at another origin."""
    made = Simulation(Scene([flag(), block(), jelly(), cord(), flag("gone", 4, (0, -3, 0))]), SETTINGS)
    advanced(made, 8)
    late = flag("late", 5, (0, 0, 5))
    other = made.as_scene(
        Scene([late, cord(), jelly(), block(), flag("banner")]), SETTINGS, kept={name: name for name in ("jelly", "block")} |
        {"banner": "flag", "cord": "cord"},
    )  # fmt: skip
    at, there = other.start(), made.start()
    assert at.number == there.number == 9 and np.abs(other.model.origin - made.model.origin).max() > 0.5
    names = {"banner": "flag", "block": "block", "jelly": "jelly", "cord": "cord"}
    for mine, its in names.items():
        assert np.abs(at.positions[mine] - there.positions[its]).max() < 1e-6, mine
    assert np.abs(at.positions["late"] - late.vertices).max() < 1e-6
    before = there.positions
    at, there = advanced(other, 4), advanced(made, 4)
    for mine, its in names.items():
        assert np.abs(there.positions[its] - before[its]).max() > 1e-4, mine
        tolerance = 1e-5 if mine == "block" else 2e-4
        assert np.abs(at.positions[mine] - there.positions[its]).max() < tolerance, mine
    assert np.abs(at.positions["late"] - late.vertices).max() > 0.01
    twists = [one.state.rods.twist for one in (made, other)]
    assert np.abs(twists[0]).min() > 0.1 and twists[1] == pytest.approx(twists[0], abs=1e-3)


def test_pins_stay_with_their_bodies():
    """1e-6 m: single precision."""
    made = Simulation(Scene([flag("a"), flag("b", 4, (2, 0, 0))]), SETTINGS)
    advanced(made, 3)
    other = made.as_scene(Scene([flag("c", 5, (-2, 0, 0)), flag("b", 4, (2, 0, 0))]), SETTINGS, kept={"b": "b"})
    held = advanced(other, 3).positions["b"][:5]
    assert np.abs(held - flag("b", 4, (2, 0, 0)).vertices[:5]).max() < 1e-6
