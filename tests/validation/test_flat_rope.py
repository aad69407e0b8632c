"""Straps and tapes: bending over the flat side and over the edge against theory, and the turn of their section."""

import numpy as np
import pytest

from solver import Material, Pins, Rope, Scene, Settings, Simulation
from tests.validation.test_rope_theory import line

RADIUS, DENSITY, YOUNG = 0.005, 1000.0, 1e9
AREA = np.pi * RADIUS**2


def strap(flatness=8.0, twist=4e8, damping=0.05, bending=YOUNG):
    return Material("strap", "rope", DENSITY, energies={
        "rod_stretch": {"young": 1e9, "damping": 0.0},
        "flat_rod": {"bending": bending, "twist": twist, "flatness": flatness, "damping": damping},
    })  # fmt: skip


def moments(flatness):
    """Second moments of area over the flat side and over the edge [m^4]."""
    width, thickness = RADIUS * np.sqrt(np.pi * flatness), RADIUS * np.sqrt(np.pi / flatness)
    return width * thickness**3 / 12, thickness * width**3 / 12


def cantilever(direction, gravity, roll=0.0, n=64, frames=72, **material):
    """Position of the tip of a clamped strap of 1 m [m]."""
    x, edges = line(n + 1, 1.0 + 1.0 / n, direction)
    x = x - np.array(direction) / n
    rope = Rope("rope", x, edges, RADIUS, strap(**material), Pins([0, 1]), roll=roll, self_contact=False)
    run = Simulation(Scene([rope], gravity=gravity), Settings(substeps=10, damping=4.0))
    for _ in range(frames):
        end = run.advance_frame().positions["rope"]
    return end[-1] - np.array(direction)


@pytest.mark.parametrize(("edge", "roll"), [(False, 0.0), (True, np.pi / 2)])
def test_a_clamped_strap_bends_by_the_moment_of_its_section(edge, roll):
    """1 % of q L^4 / (8 E I) at 1 % of the length, where the elastica and the beam differ by 1e-4: over its flat side, and
    on edge, by gravity that is as much larger."""
    flat, hard = moments(8.0)
    load = 0.08 * YOUNG * (hard if edge else flat) / (DENSITY * AREA)
    tip = cantilever((1.0, 0, 0), (0, 0, -load), roll)
    assert -tip[2] == pytest.approx(0.01, rel=0.01) and abs(tip[1]) < 1e-5


def test_a_strap_under_an_oblique_load_bends_to_its_soft_side():
    """Both deflections, by its two components, to 1 %: it leaves the plane of the load."""
    flat, hard = moments(4.0)
    load = 0.08 * YOUNG * flat / (DENSITY * AREA)
    tip = cantilever((0, 1.0, 0), (load, 0, -load), flatness=4.0)
    assert -tip[2] == pytest.approx(0.01, rel=0.01) and tip[0] == pytest.approx(0.01 * flat / hard, rel=0.02)


def test_a_strap_on_edge_flips_over_beyond_the_critical_load():
    """Lateral buckling of a cantilever under its own weight (Prandtl 1899, Timoshenko: q L^3 = 12.85 sqrt(E I C)): at 0.7 of
    it a push to the side of 1e-3 of the weight stays small, at 1.5 of it the strap falls over."""
    flatness, twist = 12.0, 4e8
    width, thickness = RADIUS * np.sqrt(np.pi * flatness), RADIUS * np.sqrt(np.pi / flatness)
    torsion = twist * width * thickness**3 / 3 * (1 - 0.63 / flatness)
    critical = 12.85 * np.sqrt(YOUNG * moments(flatness)[0] * torsion) / (DENSITY * AREA)
    aside = []
    for load in (0.7 * critical, 1.5 * critical):
        tip = cantilever((1.0, 0, 0), (0, 1e-3 * load, -load), np.pi / 2, n=32, frames=96, flatness=flatness)
        aside.append(abs(tip[1]))
    assert aside[0] < 0.05 < 0.2 < aside[1]


def test_frames_turn_with_a_strap_that_is_turned():
    """A bent strap turned by 2 rad about any axis, in twenty steps of 0.1 rad: its frames turn with it, to 1e-3, which is
    what the Newton steps of the last one leave."""
    n = 20
    angle = 1.5 * np.arange(n + 1) / n
    x = np.stack([np.sin(angle), 0 * angle, 1 - np.cos(angle)], 1)
    edges = np.stack([np.arange(n), np.arange(1, n + 1)], 1)
    rope = Rope("rope", x, edges, RADIUS, strap(), is_straight=False, roll=0.3, self_contact=False)
    run = Simulation(Scene([rope], gravity=(0, 0, 0)), Settings(substeps=10))
    rods, there = run.state.rods, run.state.x.copy()
    before, x = rods.across.copy(), there[: n + 1, :3].astype(float)
    axis = np.array([2.0, -1.0, 2.0]) / 3
    for share in np.linspace(0, 2.0, 21):
        skew = np.cross(np.eye(3), axis)
        turn = np.eye(3) - np.sin(share) * skew + (1 - np.cos(share)) * skew @ skew
        there[: n + 1, :3] = x @ turn.T
        rods.advance(run.model, there, 1)
    assert np.abs(rods.across - before @ turn.T).max() < 1e-3 and np.abs(rods.twist).max() < 1e-3


def test_a_square_section_is_nearly_a_round_one():
    """The moment of a square of the same area is pi / 3 of a circle's."""
    assert moments(1.0)[0] / (0.25 * np.pi * RADIUS**4) == pytest.approx(np.pi / 3)
    tip = cantilever((1.0, 0, 0), (0, 0, -0.08 * YOUNG * moments(1.0)[0] / (DENSITY * AREA)), flatness=1.0)
    assert -tip[2] == pytest.approx(0.01, rel=0.01)


def test_an_arch_that_keeps_its_bend_hangs_in_its_shape():
    """Rest curvature over the flat side, without gravity: it stays within 2e-5 m where it was, the error that a step
    of a rope may leave."""
    n = 24
    angle = 2.0 * np.arange(n + 1) / n
    x = np.stack([np.sin(angle), 0 * angle, 1 - np.cos(angle)], 1)
    rope = Rope("rope", x, np.stack([np.arange(n), np.arange(1, n + 1)], 1), RADIUS, strap(), is_straight=False, roll=0.0,
                self_contact=False)  # fmt: skip
    run = Simulation(Scene([rope], gravity=(0, 0, 0)), Settings(substeps=10))
    for _ in range(10):
        end = run.advance_frame().positions["rope"]
    assert np.abs(end - x).max() < 2e-5
