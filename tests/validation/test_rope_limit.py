"""Limit of a rope's stretch: under a weight, in a fall, below it, and as part of the tension at which a rope parts."""

import numpy as np
import pytest

from solver import FrameInputs, Material, Pins, Region, Rope, Scene, Settings, Simulation
from solver.scene import Tearing
from tests.scenes.ropes import line

COUNT, RADIUS, YOUNG, LIMIT, COMPLIANCE, LOAD = 50, 0.005, 1.5e6, 0.3, 1e-6, 5.0
AREA = np.pi * RADIUS**2


def elastic(limit=LIMIT, young=YOUNG):
    material = Material.rope(1000.0, young, 1e5, 4e4, damping=0.002)
    if limit is None:
        return material
    return material.changed(energies={**material.energies, "rod_limit": {"limit": limit, "compliance": COMPLIANCE}})


def loaded(x, limit=LIMIT, damping=0.0):
    """A rope of 1 m that hangs by its first vertex; its last segment has a mass of 5 kg. x: vertices at the start."""
    rest, edges = line(COUNT, 1.0, (0, 0, -1.0))
    load = elastic(limit).changed(density=LOAD * COUNT / AREA, name="load")
    rope = Rope(
        "rope", x, edges, RADIUS, elastic(limit), Pins([0]), regions=[Region([COUNT - 1], load)], rest_vertices=rest,
        self_contact=False,
    )  # fmt: skip
    return Simulation(Scene([rope]), Settings.quality("draft", damping=damping, threads=1))


def stretches(x):
    return np.linalg.norm(np.diff(x.astype(float), axis=0), axis=1) * COUNT - 1


def test_a_weight_draws_a_rope_out_to_its_limit():
    """1e-5 of the length at its first segment: E A s + T_limit = T, where the limit bears
    (s - limit)^2 / (0.02 c (1 + limit)) within a point of it. The tension of the report and of the vertices has both parts:
    1 %, with the motion that is left after 12 frames from near the limit."""
    run = loaded(line(COUNT, 1.3, (0, 0, -1.0))[0], damping=6.0)
    for _ in range(12):
        frame = run.advance_frame()
    tension = 9.81 * (LOAD + 1000.0 * AREA * (1 - 1.5 / COUNT))
    within = 0.02 * COMPLIANCE * (1 + LIMIT)
    beyond = np.roots([1 / within, YOUNG * AREA, YOUNG * AREA * LIMIT - tension]).max()
    assert stretches(frame.positions["rope"])[0] == pytest.approx(LIMIT + beyond, abs=1e-5)
    assert frame.report.tension == pytest.approx(tension, rel=0.01)
    assert run.tensions["rope"][0] == pytest.approx(tension, rel=0.01)


def test_a_fall_stretches_a_rope_by_no_more_than_a_point_beyond_its_limit():
    """A point of stretch, 5 kN, in every frame: 5 kg fall by a metre beside the folded rope, and bounce."""
    s = np.linspace(0.0, 1.0, COUNT + 1)
    x = np.stack([0.02 * np.clip((s - 0.5) * 20, -1, 1), 0 * s, -np.minimum(s, 1 - s)], 1)
    run, most = loaded(x), []
    for _ in range(24):
        most.append(stretches(run.advance_frame().positions["rope"]).max())
    assert LIMIT < max(most) < LIMIT + 0.01


def test_a_limit_that_is_not_reached_changes_nothing():
    """Bits: its force is zero."""
    x = line(COUNT, 1.0)[0]
    one, other = loaded(x, limit=5.0), loaded(x, limit=None)
    for _ in range(6):
        ends = [run.advance_frame().positions["rope"] for run in (one, other)]
    assert np.array_equal(*ends)


def test_the_force_of_a_limit_counts_where_a_rope_parts():
    """15 % of the strength: the pull of a frame. At the limit of 1 % a rope of 1 MPa bears 0.8 N, 100 N at 1.14 %."""
    n, strength = 10, 100.0
    points = np.stack([np.arange(n), np.arange(1, n + 1)], 1).ravel()
    x, edges = np.linspace(0, 1.0, n + 1)[points, None] * [1.0, 0, 0], np.arange(2 * n).reshape(n, 2)
    pins = Pins([0, 1, 2 * n - 2, 2 * n - 1])
    rope = Rope("rope", x, edges, RADIUS, elastic(0.01, 1e6), pins, tearing=Tearing(strength, points=points))
    run = Simulation(Scene([rope], gravity=(0, 0, 0)), Settings(substeps=10, damping=4.0, threads=1))
    targets = x[pins.indices].copy()
    for frame in range(40):
        targets[2:, 0] += 8e-3 if frame == 0 else 8e-5
        before = run.advance_frame(FrameInputs(pins={"rope": targets}))
        if before.report.torn_edges:
            break
    stretch = (targets[3, 0] - 1.0) / (1 - 2 / n)
    force = (stretch - 0.01) ** 2 / (0.02 * COMPLIANCE * 1.01) + 1e6 * AREA * stretch
    assert force == pytest.approx(strength, rel=0.15)
    assert run.state.broken.sum() == 1
