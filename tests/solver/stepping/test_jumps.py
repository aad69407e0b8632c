"""Warnings about jumps of driven objects within a frame; none about fast motion."""

import numpy as np
import pytest

from solver import Collider, FrameInputs, Material, Pins, Scene, Simulation
from solver.model.build import build
from solver.stepping.jumps import MOST_SIZES, Jumps
from solver.stepping.poses import Drivers
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.solver.contact.worlds import grid

pytestmark = pytest.mark.slow  # compilation

X, T = grid(3, 3, 1.0)
SIZE = np.sqrt(2.0)  # diagonal of the sheet [m]
BALL = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]) * 0.3 - [0, 0, 1]
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
STILL = np.zeros(3)


def scene():
    cloth = plain_cloth("flag", X, T, Material.fabric(0.1, 100, 30), pins=Pins([0, 3]))
    return Scene([cloth], [Collider("wall", BALL - [0, 0, 5], FACES), Collider("ball", BALL, FACES)])


@pytest.fixture(scope="module")
def drivers():
    return Drivers(build(scene(), plain_settings(threads=1)))


def jumps_of(drivers):
    return Jumps(X, drivers.body_names, drivers.collider_counts)


def told(drivers, inputs, drift=STILL):
    return jumps_of(drivers).between(drivers.now, drivers.at(0.04, inputs), drift, 7)


@pytest.mark.parametrize(("metres", "count"), [(0.99 * MOST_SIZES * SIZE, 0), (1.01 * MOST_SIZES * SIZE, 1), (-51.0, 1)])
def test_a_collider_that_jumps_is_named_with_frame_and_distance(drivers, metres, count):
    warnings = told(drivers, FrameInputs(colliders={"ball": BALL + [0, metres, 0]}))
    assert len(warnings) == count
    for text in warnings:
        assert text.startswith(f"Frame 7: the vertices of collider 'ball' jump {abs(metres):.3g} m")
        assert "size of the bodies (1.41 m)" in text and "over more frames" in text


def test_a_single_vertex_and_pins_count_too(drivers):
    spike = BALL.copy()
    spike[3, 2] += 40
    inputs = FrameInputs(pins={"flag": X[[0, 3]] + [30, 0, 0]}, colliders={"ball": spike})
    pins, ball = told(drivers, inputs)
    assert "the pins of 'flag' jump 30 m" in pins and "'ball' jump 40 m" in ball


def test_what_goes_with_the_bodies_or_stays_while_they_are_thrown_does_not_jump(drivers):
    """A scene on a train; and a wall that bodies fly away from."""
    along = np.array([30.0, 0, 0])
    train = FrameInputs(pins={"flag": X[[0, 3]] + along}, colliders={"ball": BALL + along})
    assert told(drivers, train, along) == [] and told(drivers, FrameInputs(), along) == []


def test_each_thing_is_told_of_once(drivers):
    jumps = jumps_of(drivers)
    there = drivers.at(0.04, FrameInputs(colliders={"ball": BALL + 99}))
    assert len(jumps.between(drivers.now, there, STILL, 2)) == 1 and jumps.between(there, drivers.now, STILL, 3) == []


def test_a_simulation_warns_in_the_frame_of_the_jump_as_the_caller_counts():
    simulation = Simulation(scene(), plain_settings(threads=1, substeps=1, iterations=1))
    for number, x in ((102, 0.0), (103, 60.0)):
        simulation.advance_frame(FrameInputs(colliders={"wall": BALL + [x, 0, -5]}, number=number))
    told = [text[:49] for text in simulation.warnings if "jump" in text]
    assert told == ["Frame 103: the vertices of collider 'wall' jump 6"]
