"""Frames of ropes: kept in checkpoints, turned by pinned ends, at rest in any rest shape."""

import numpy as np
import pytest

from solver import Material, Pins, Rope, Scene, Settings, Simulation
from solver.stepping.gpu.choice import left_to_cpu
from solver.stepping.snapshot import restore, snapshot
from tests.scenes.ropes import coil, line


def simulation(points, edges, **about):
    material = Material.rope(1000.0, 1e8, 1e7, 4e6, damping=0.01)
    rope = Rope("rope", points, edges, 0.005, material, pins=Pins([0, 1]), self_contact=False, **about)
    return Simulation(Scene([rope], gravity=(0, 0, 0)), Settings.quality("draft"))


def test_a_coil_that_keeps_its_shape_does_not_move_and_a_straight_one_opens():
    """1e-6 m in four frames: rounding of positions a decimetre away."""
    points, edges = coil(0.05, 2, 0.03, 0.01, 0.0)
    moved = []
    for is_straight in (False, True):
        run = simulation(points, edges, is_straight=is_straight)
        for _ in range(4):
            end = run.advance_frame().positions["rope"]
        moved.append(np.abs(end - points).max())
    assert moved[0] < 1e-6 and moved[1] > 1e-2


def test_a_restored_rope_goes_on_with_the_same_bits():
    points, edges = line(20, 0.5)
    one, other = (simulation(points, edges, turn_start=2.0) for _ in range(2))
    one.advance_frame()
    kept = snapshot(one.model, one.state, one.drivers, one._contact)
    restore(kept, other.model, other.state, other.drivers, other._contact)
    ends = [run.advance_frame().positions["rope"] for run in (one, other)]
    assert (ends[0] == ends[1]).all() and (one.state.rods.twist == other.state.rods.twist).all()


def test_a_turned_end_turns_a_free_rope_with_it():
    """1e-6 rad: nothing resists at the free end, so no twist stays."""
    points, edges = line(20, 0.5)
    run = simulation(points, edges, turn_start=1.0)
    run.advance_frame()
    rods = run.state.rods
    assert rods.turned[0] == pytest.approx(1.0) and np.abs(rods.twist).max() < 1e-6
    assert np.arccos(rods.across[-1] @ rods.across[0]) < 1e-3


def test_ropes_are_left_to_the_cpu():
    points, edges = line(4, 0.1)
    scene = Scene([Rope("rope", points, edges, 0.005, Material.rope(1000.0, 1e8))])
    assert left_to_cpu(scene, Settings())
