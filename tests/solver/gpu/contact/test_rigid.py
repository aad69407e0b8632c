"""Rigid bodies on a device, by its serial twin, beside those of the CPU; ipctk counts intersections.

All but the first need kernels that take a minute to compile.
"""

import numpy as np
import pytest

import solver
from solver import Settings, Simulation
from solver.scene import Motion
from tests.scenes.bodies import SCENES, box, heap, in_sheet, meeting, on_mesh, on_plane, under_sheet
from tests.scenes.intersections import Intersections, skins
from tests.scenes.loads import FIELDS, moving, net
from tests.scenes.meshes import turn


def simulation(scene, **more):
    numbers = {"device": "cuda-serial", "substeps": 12, "iterations": 4, "global_iterations": 0, "threads": 1} | more
    return Simulation(scene, Settings(**numbers))


def both(make, frames, **more):
    """The simulations on the device and on the CPU after some frames, all of which the first has done there."""
    made = simulation(make(), **more), simulation(make(), device="cpu", **more)
    for _ in range(frames):
        report = made[0].advance_frame().report
        assert (report.device, report.fallback) == ("cuda-serial", "")
        made[1].advance_frame()
    return made


def test_a_body_that_nothing_touches_flies_as_on_the_cpu():
    """1e-6 m and 1e-6 of a turn after 120 substeps: lengths of substeps and gravity are rounded to single precision, the
    bodies are computed in double."""

    def made():
        return solver.Scene([box("box", (0, 0, 0), velocity=(1, 2, 3), angular_velocity=(3, -6, 9))])

    there, here = (one.state.rigid for one in both(made, 10))
    for name in ("centre", "turn", "velocity", "spin"):
        assert np.abs(getattr(there, name) - getattr(here, name)).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(FIELDS, id="every kind", marks=pytest.mark.long),
        pytest.param(moving, id="moving", marks=pytest.mark.long),
    ],  # its kernel takes long
)
def test_force_fields_push_bodies_at_their_centres_as_on_the_cpu(fields):
    """1e-5 of the displacement and of the velocity after 120 substeps: fields are of single precision. Beside a net,
    which responds to them differently."""

    def made():
        answers = solver.Response(gravity=0.5, kinds={"wind": 2.0, "vortex": 0.5}, charge=0.5, size=0.2)
        bodies = [box("one", (0.1, 0.4, 0.3), response=answers), box("two", (3, 0, 0), velocity=(0, 1, 0))]
        return solver.Scene([net(pins=solver.Pins([0, 4])), *bodies], fields=fields, air_density=0.0)

    there, here = (one.state.rigid for one in both(made, 10))
    start = np.array([[0.1, 0.4, 0.3], [3, 0, 0]])
    fallen = start - [0, 0, 0.5 * 9.81 * (10 / 24) ** 2]
    assert (np.linalg.norm(here.centre - fallen, axis=1) > 0.01).all(), "both are pushed"
    assert there.centre == pytest.approx(here.centre, abs=1e-5)
    assert there.velocity == pytest.approx(here.velocity, rel=1e-5, abs=5e-5)


@pytest.mark.long
@pytest.mark.parametrize("name", SCENES)
def test_nothing_passes_through_anything(name):
    """Frames that the device leaves to the CPU count too; at most two of 24 are."""
    scene = SCENES[name]()
    made, counter, reports, counts = simulation(scene), Intersections(*skins(scene)), [], []
    colliders = [Motion(c.vertices, c.name) for c in scene.colliders if isinstance(c, solver.Collider)]
    for _ in range(24):
        frame = made.advance_frame()
        poses = [frame.surfaces.get(body.name, frame.positions[body.name]).astype(float) for body in scene.bodies]
        counts.append(counter.count(poses + [motion.at(made.state.time, 24.0) for motion in colliders]))
        reports.append(frame.report)
    assert counts == [0] * 24
    assert max(report.contacts for report in reports) >= 4 or name == "meeting"
    assert sum(report.device == "cpu" for report in reports) <= 2


@pytest.mark.long
@pytest.mark.parametrize("make", [on_plane, on_mesh, under_sheet])
def test_a_box_comes_to_rest_as_on_the_cpu(make):
    """1e-4 m of its height, a tenth of its distance from the ground; 5e-4 m sideways, where it slides as it is caught."""
    there, here = (one.state.rigid.centre[0] for one in both(make, 24))
    assert abs(there - here)[2] < 1e-4 and abs(there - here).max() < 5e-4


@pytest.mark.long
def test_boxes_stand_on_one_another():
    """Three of 10 cm, 1 mm apart, after a second: 1 mm of their heights on the CPU, since each substep's sweeps leave a
    little of the weight above; no speed of more than 1 cm/s."""
    there, here = (one.state.rigid for one in both(heap, 24))
    assert np.abs(there.centre - here.centre)[:, 2].max() < 1e-3
    assert np.abs(there.velocity).max() < 0.01


@pytest.mark.long
def test_a_ball_falls_into_a_sheet_and_is_thrown_as_on_the_cpu():
    """With so many substeps and sweeps that both solve the springs' sheet: 2 mm where it is deepest and comes back, after 10
    frames, of a fall of 17 cm."""
    there, here = both(in_sheet, 10, substeps=40, iterations=10)
    assert abs(there.state.rigid.centre - here.state.rigid.centre)[0, 2] < 2e-3


@pytest.mark.long
@pytest.mark.parametrize(("over", "slides"), [(0.98, False), (1.05, True)])
def test_friction_on_a_slope_is_coulombs(over, slides):
    """Friction 0.5. Below its angle the box creeps less than 0.2 mm in half a second; above it goes
    g cos (tan - mu) t^2 / 2 within 3 %."""
    mu, frames = 0.5, 12
    angle = np.arctan(over * mu)
    r = turn(angle, (0, 1, 0))
    normal, down = r @ [0, 0, 1.0], r @ [1.0, 0, 0]
    body = box("box", (0, 0, 0), 0.0, friction=mu)
    body.vertices = body.vertices @ r.T + 0.051 * normal
    made = simulation(solver.Scene([body], [solver.Plane("slope", (0, 0, 0), normal, friction=mu)]))
    for _ in range(2):  # it settles
        made.advance_frame()
    start, speed = made.state.rigid.centre[0].copy(), made.state.rigid.velocity[0] @ down
    for _ in range(frames):
        report = made.advance_frame().report
    assert report.device == "cuda-serial"
    way = (made.state.rigid.centre[0] - start) @ down - speed * frames / 24
    wanted = 0.5 * 9.81 * (np.sin(angle) - mu * np.cos(angle)) * (frames / 24) ** 2
    assert way == pytest.approx(wanted, rel=0.03) if slides else abs(way) < 2e-4


@pytest.mark.long
def test_bodies_that_collide_keep_momentum_and_angular_momentum():
    """1e-5 of momentum while nothing is clamped: rounding in single precision. 2 % of angular momentum: pushes act where
    surfaces meet at a substep's end, on bodies that were elsewhere at its start; the CPU moves the arms by the
    difference."""
    scene = meeting(0.15)
    for body in scene.bodies:
        body.velocity = np.asarray(body.velocity, float) + [0.0, 0.05, 0.1]
    made = simulation(scene)
    reports = [made.advance_frame().report for _ in range(16)]
    assert sum(report.contacts for report in reports) > 1 and not any(report.clamped for report in reports)
    assert {report.device for report in reports} == {"cuda-serial"}
    for name, most in (("momentum", 1e-5), ("angular_momentum", 0.02)):
        values = np.array([getattr(report, name) for report in reports])
        assert np.abs(values - values[0]).max() < most * np.linalg.norm(values[0])


@pytest.mark.long
def test_the_same_bits_in_every_run_and_after_a_restart():
    states = []
    for _ in range(2):
        made = simulation(heap())
        for _ in range(6):
            made.advance_frame()
        states.append(made.state.x.tobytes() + made.state.rigid.spin.tobytes())
    broken, later = simulation(heap()), simulation(heap())
    for _ in range(4):
        broken.advance_frame()
    later.restore(broken.snapshot())
    for _ in range(2):
        later.advance_frame()
    assert states[0] == states[1] == later.state.x.tobytes() + later.state.rigid.spin.tobytes()
