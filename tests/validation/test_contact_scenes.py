"""Scenes of contact, small: no intersection in any frame, momentum kept, the same bits on any threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import solver
from solver.contact.ccd.ccd import Ccd
from solver.contact.contact import Contact
from tests.covering_set import long
from tests.scenes.contact import SCENES
from tests.scenes.counted_runs import run_scene
from tests.scenes.materials import FABRIC
from tests.scenes.meshes import ball, cube_of_five, sheet
from tests.scenes.momentum import conserved
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings

pytestmark = pytest.mark.slow  # compilation


ONE_THREAD = plain_settings(threads=1, integrator="bdf2")


@pytest.mark.parametrize(
    ("name", "frames", "size"),
    [
        *long(("two", 24, {"n": 16})),
        ("drape", 24, {"n": 24}),
        ("fold", 12, {"n": 24}),
        *long(("twist", 30, {"n": 16})),
        ("fast", 24, {"n": 16, "speed": 1.5}),
        ("fast", 8, {"n": 24, "speed": 10.0}),
        *long(("sleeve", 14, {"n": 16, "period": 24})),
        ("box", 20, {"count": 10}),
        ("press", 24, {"n": 3}),
        ("strips", 24, {"n": 6}),
        ("pile", 30, {"n": 8, "count": 4}),
        *long(("two", 20, {"n": 24, "whole": 4})),
        *long(("drape", 24, {"n": 24, "whole": 4}), ("twist", 30, {"n": 16, "whole": 4})),
        *long(("sleeve", 14, {"n": 16, "period": 24, "whole": 4})),
        ("cubes", 24, {"n": 2, "count": 4}),
        ("pile", 12, {"n": 9, "count": 6, "whole": 4, "substeps": 24, "iterations": 4}),  # once 40 from frame 10 on
    ],
)
def test_no_frame_has_an_intersection(name, frames, size):
    """Counted by ipctk, on the positions in float32 that a frame gives; and the report says that nothing was left.

    whole: iterations of the global step. substeps, iterations: where they are not 8 and 10.
    """
    pytest.importorskip("ipctk", reason="ipctk, which counts intersections, is not installed", exc_type=ImportError)
    size = dict(size)
    quality = {key: size.pop(key) for key in ("substeps", "iterations") if key in size}
    settings = replace(ONE_THREAD, global_iterations=size.pop("whole", 0), **quality)
    found = run_scene(name, settings, frames, **size)
    assert found["hits"] == [0] * frames
    assert sum(report.unresolved for report in found["reports"]) == 0
    assert max(report.contacts for report in found["reports"]) > 10


@pytest.mark.parametrize("whole", [0, *long(4)])
def test_a_fast_ball_takes_a_sheet_along_and_leaves_it_in_order(whole):
    """A ball at 5 m/s strikes the sheet in frame 5. By sweeps alone frames in which surfaces stall are done again with more
    substeps; with the global step too at one or two of three resolutions, by rounding. The sheet is stretched by less than
    2.5 % in the mean while it is struck (1.6 % and 0.6 % measured), and by less than 0.7 % six frames later (0.49 % and
    0.04 %). Otherwise it is torn to twelve times its length, for good."""
    scene, _ = SCENES["fast"](solver, n=40)
    simulation = solver.Simulation(
        scene, plain_settings(substeps=24, iterations=4, global_iterations=whole, integrator="bdf2")
    )
    reports = [simulation.advance_frame().report for _ in range(13)]
    assert whole or max(report.substeps for report in reports) > 24
    assert max(report.mean_stretch for report in reports) < 0.025
    assert reports[-1].mean_stretch < 0.007


def test_a_frame_in_which_sheets_without_a_collider_stall_has_shorter_substeps():
    """One hits the other at 30 m/s, 156 mm in a substep of 1/192 s; edges are 45 mm long. Once it flies freely, substeps
    halve from frame to frame; a simulation restored then continues with the same bits."""
    x, t = sheet(12, 0.5, (0, 0, 0))
    y, u = sheet(12, 0.5, (0.013, 0.007, 0.12))
    thrown = np.tile([0, 0, -30.0], (len(y), 1))
    material = solver.Material.fabric(**FABRIC)
    bodies = [plain_cloth("hit", x, t, material), plain_cloth("thrown", y, u, material, velocities=thrown)]
    simulation, other = (solver.Simulation(solver.Scene(bodies, gravity=(0, 0, 0)), ONE_THREAD) for _ in range(2))
    first = simulation.advance_frame().report
    assert first.unresolved == first.clamped == 0
    assert simulation.state.times > 1
    other.restore(simulation.snapshot())
    found = [[s.advance_frame().report.substeps for _ in range(4)] for s in (simulation, other)]
    assert first.substeps > found[0][-1] == 8
    assert found[0] == found[1]
    assert other.state.x.tobytes() == simulation.state.x.tobytes()
    assert simulation.warnings == []


def momentum(simulation: solver.Simulation) -> np.ndarray:
    n = simulation.model.n_vertices
    return simulation.model.mass @ simulation.state.v[:n].astype(float)


def test_bodies_that_collide_keep_their_momentum():
    """A block flies into a sheet, no gravity, in float64: 1e-12 of the block's momentum, which is rounding of 96 substeps.

    The CCD clamps nothing here; where it does, momentum is not kept.
    """
    x, t = sheet(14, 0.5, (0, 0, 0))
    y, u = cube_of_five(3)
    y = 0.1 * (y - 0.5) + [0.02, 0.01, 0.08]
    velocity = np.tile([0.1, 0.0, -0.8], (len(y), 1))
    block = solver.SoftBody("block", y, u, solver.Material.solid(100.0, 2e4, 0.3), velocities=velocity, self_contact=True)
    cloth = solver.Cloth("sheet", x, t, solver.Material.fabric(**FABRIC), self_contact=True)
    simulation = solver.Simulation(
        solver.Scene([cloth, block], gravity=(0, 0, 0)), plain_settings(threads=1, dtype="float64", integrator="bdf2")
    )
    before = momentum(simulation)
    touched = 0
    for _ in range(12):
        report = simulation.advance_frame().report
        touched += report.contacts
        assert report.clamped == 0
    assert touched > 20
    assert abs(conserved(simulation) - before).max() < 1e-12 * np.linalg.norm(before)
    sheet_v = simulation.state.v[: len(x), 2]
    assert sheet_v.mean() < -0.05


@pytest.mark.parametrize(
    ("name", "size", "whole"),
    [("fold", {"n": 48}, 0), *long(("two", {"n": 24}, 0), ("fold", {"n": 64}, 4))],
)
def test_the_number_of_threads_changes_no_bit(name, size, whole):
    results = []
    for threads in (1, 2):
        scene, _ = SCENES[name](solver, **size)
        simulation = solver.Simulation(scene, plain_settings(threads=threads, global_iterations=whole, integrator="bdf2"))
        for _ in range(8):
            report = simulation.advance_frame().report
        results.append(simulation.state.x.tobytes())
        assert report.contacts > 10
    assert results[0] == results[1]


def test_a_frame_that_failed_with_a_fast_collider_is_done_again_with_more_substeps(monkeypatch):
    """With steps longer than 1/300 s marked as failed, it does the first frame as a simulation of 16 substeps does it,
    to the bit; with all steps marked so, it stops at 8 times as many, and warns by name. Afterwards it continues as
    before."""
    clamp, begin_substep, longest, length = Ccd.clamp, Contact.begin_substep, 1 / 300, 0.0

    def begins(self, x0, x_pred, collider_start, collider_end, h, *more):
        nonlocal length
        length = h
        begin_substep(self, x0, x_pred, collider_start, collider_end, h, *more)

    def fails(self, *given):
        clamp(self, *given)
        self.failures += int(length > longest)
        if length > longest:
            self._failed.append(np.zeros((1, 4), np.int32))

    scene, _ = SCENES["fast"](solver, n=10, speed=25.0)
    wanted = solver.Simulation(scene, plain_settings(threads=1, substeps=16, integrator="bdf2")).advance_frame()
    monkeypatch.setattr(Contact, "begin_substep", begins)
    monkeypatch.setattr(Ccd, "clamp", fails)
    simulation = solver.Simulation(scene, ONE_THREAD)
    frame = simulation.advance_frame()
    assert frame.report.substeps == 16
    assert frame.report.unresolved == 0
    assert frame.positions["sheet"].tobytes() == wanted.positions["sheet"].tobytes()
    assert simulation.warnings == []
    longest = 0.0
    assert simulation.advance_frame().report.substeps == 64  # of 65 mm, beside edges of 0.1 m
    assert any("ball" in warning and "8 times the substeps" in warning for warning in simulation.warnings)
    assert simulation.substeps.times == 4


def test_a_block_on_a_slope_holds_below_the_friction_angle_and_slides_above():
    """After half a second of coming to rest on the slope, at 0.99 mu = 0.495 its mean speed is below 0.01 mm/s, and at
    1.01 mu it gains what Coulomb's law gives, within 0.2 % (0.04 % measured), in the next second."""
    y, u = cube_of_five(2)
    for share in (0.99, 1.01):
        a = np.arctan(0.5 * share)
        down, normal = np.array([np.cos(a), 0, -np.sin(a)]), np.array([np.sin(a), 0, np.cos(a)])
        frame = np.stack([down, [0, 1, 0], normal], 1)
        material = solver.Material.solid(1000.0, 1e6, 0.3, friction=0.5, damping=0.01)
        block = ((y - [0.5, 0.5, 0.0]) * [0.2, 0.2, 0.05] + [0, 0, 0.005]) @ frame.T
        scene = solver.Scene(
            [solver.SoftBody("block", block, u, material, thickness=0.005)],
            [solver.Plane("slope", normal=normal, friction=0.5)],
        )
        simulation = solver.Simulation(scene, ONE_THREAD)
        speed = []
        for _ in range(36):
            simulation.advance_frame()
            speed.append(momentum(simulation) @ down / simulation.model.mass.sum())
        gained = speed[35] - speed[11]
        if share < 1:
            assert abs(np.array(speed[11:])).max() < 1e-5
        else:
            assert gained == pytest.approx(9.81 * (np.sin(a) - 0.5 * np.cos(a)), rel=0.002)


def test_a_block_on_a_block_holds_below_the_friction_angle_and_slides_above():
    """Two stiff blocks on a slope, the lower one pinned: 1 mm of way in 0.5 s separates 0.9 mu from 1.1 mu.

    At 1.1 mu = 0.55 Coulomb's law gives 0.44 m/s^2, 50 mm; corners that lean change the load, hence the wide margins.
    """
    y, u = cube_of_five(2)
    for share, slides in ((0.9, False), (1.1, True)):
        a = np.arctan(0.5 * share)
        slope = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
        material = solver.Material.solid(1000.0, 1e6, 0.3, friction=0.5)
        lower = (y - [0.5, 0.5, 1.0]) * [1.0, 0.4, 0.1]
        upper = (y - [0.5, 0.5, 0.0]) * [0.2, 0.2, 0.05] + [-0.2, 0.013, 0.005]
        bodies = [
            solver.SoftBody("lower", lower @ slope.T, u, material, pins=solver.Pins(np.arange(len(y))), self_contact=True),
            solver.SoftBody("upper", upper @ slope.T, u, material, self_contact=True),
        ]
        simulation = solver.Simulation(solver.Scene(bodies), ONE_THREAD)
        start = simulation.start().positions["upper"].mean(0)
        for _ in range(12):
            frame = simulation.advance_frame()
        way = (frame.positions["upper"].mean(0) - start) @ slope[:, 0]
        assert (way > 0.01) == slides
        assert slides or abs(way) < 0.001


@pytest.mark.parametrize(
    ("name", "size", "frames", "whole"),
    [*long(("two", {"n": 12}, 8, 0)), ("fold", {"n": 24}, 13, 0), ("fold", {"n": 24}, 8, 4)],
)
def test_a_restored_simulation_goes_on_with_the_same_bits(name, size, frames, whole):
    """In the long `fold` the lists of pairs are older than a frame when it is restored."""
    scene, _ = SCENES[name](solver, **size)
    settings = replace(ONE_THREAD, global_iterations=whole)
    first, second = solver.Simulation(scene, settings), solver.Simulation(scene, settings)
    for _ in range(frames):
        first.advance_frame()
    assert frames < 13 or first.contact.lists.age > 8
    second.restore(first.snapshot())
    for _ in range(3):
        first.advance_frame()
        second.advance_frame()
    assert first.contact.results.statistics().contacts > 10
    assert first.state.x.tobytes() == second.state.x.tobytes()


def test_self_contact_can_be_switched_off_and_vertices_left_out():
    """Without it the layers of a fold fall into each other; excluded vertices are in no pair."""
    scene, _ = SCENES["fold"](solver, n=16)
    scene.bodies[0].self_contact = False
    simulation = solver.Simulation(scene, ONE_THREAD)
    assert simulation.advance_frame().report.pairs == 0
    scene, _ = SCENES["fold"](solver, n=16)
    scene.bodies[0].without_contact = np.arange(40)
    simulation = solver.Simulation(scene, ONE_THREAD)
    for _ in range(2):
        simulation.advance_frame()
    corners = simulation.contact.lists.pairs.corners
    assert len(corners) > 20
    assert corners.min() >= 40


def test_a_thickness_beyond_the_edges_is_lowered_and_told():
    x, t = sheet(10, 0.2, (0, 0, 1))
    cloth = solver.Cloth("thick", x, t, solver.Material.fabric(**FABRIC), thickness=0.05, self_contact=True)
    v, u = ball(1, 0.1)
    simulation = solver.Simulation(solver.Scene([cloth], [solver.Collider("ball", v, u)]), ONE_THREAD)
    assert any("thick: thickness 0.05 m" in warning for warning in simulation.warnings)
    assert 2 * simulation.contact.surfaces.half[: len(x)].max() == pytest.approx(0.45 * 0.02, rel=1e-3)
