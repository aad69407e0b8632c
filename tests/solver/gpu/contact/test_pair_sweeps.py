"""Contact of surfaces on a device, by its serial twin: intersections are counted by ipctk, which shares no code with it.

All of them need kernels that take 20 s to compile.
"""

import numpy as np
import pytest

import solver
from solver import Settings, Simulation
from solver.contact.gpu import pair_stages
from solver.scene import Motion
from tests.scenes.intersections import Intersections, skins
from tests.scenes.materials import spring_material
from tests.scenes.meshes import sheet
from tests.scenes.touching import SCENES, crossing, on_ball, slope

pytestmark = pytest.mark.long


def simulation(scene, **more):
    numbers = {"device": "cuda-serial", "substeps": 12, "iterations": 4, "global_iterations": 0, "threads": 1} | more
    return Simulation(scene, Settings(**numbers))


def run(scene, frames, **more):
    """The simulation, the reports, and ipctk's count of intersections, frame by frame."""
    made, counter = simulation(scene, **more), Intersections(*skins(scene))
    colliders = [Motion(c.vertices, c.name) for c in scene.colliders if isinstance(c, solver.Collider)]
    reports, counts = [], []
    for _ in range(frames):
        frame = made.advance_frame()
        poses = [frame.positions[body.name].astype(float) for body in scene.bodies]
        counts.append(counter.count(poses + [motion.at(made.state.time, 24.0) for motion in colliders]))
        reports.append(frame.report)
    return made, reports, counts


def test_sheets_that_cross_paths_at_ten_metres_a_second_do_not_pass_through_each_other():
    """Half an edge of 5 cm a substep. No tolerance: surfaces intersect or not. All on the device."""
    made, reports, counts = run(crossing(6), 4)
    assert counts == [0] * 4
    assert {report.device for report in reports} == {"cuda-serial"}
    assert max(report.contacts for report in reports) >= 10
    left, right = (made.state.x[part.start : part.stop, 0].mean() for part in made.model.parts)
    assert left < right, "they have bounced or stick, and did not swap sides"


@pytest.mark.parametrize("name", SCENES)
def test_nothing_passes_through_anything(name):
    """Frames that the device leaves to the CPU count too; at most a tenth of them are."""
    _, reports, counts = run(SCENES[name](), 30)
    assert sum(counts) == 0
    assert max(report.contacts for report in reports) >= 10
    assert sum(report.device == "cpu" for report in reports) <= 3


@pytest.mark.parametrize(("over", "slides"), [(0.98, False), (1.05, True)])
def test_friction_on_a_slope_is_coulombs(over, slides):
    """Friction 0.4. Below its angle the sheet creeps less than 0.1 mm in 0.25 s, which float32 rounding may add up to; above
    it goes g cos (tan - mu) t^2 / 2 within 3 %: sweeps end with what contacts miss their targets by."""
    mu, seconds = 0.4, 0.25
    scene, down = slope(over * mu, mu)
    made = simulation(scene, integrator="bdf1")
    times = int(seconds * 24)
    for _ in range(2):  # it settles
        made.advance_frame()
    x, v = made.state.x[:36, :3].mean(0), made.state.v[:36].mean(0)
    for _ in range(times):
        report = made.advance_frame().report
    way = (made.state.x[:36, :3].mean(0) - x - v * times / 24) @ down
    angle = np.arctan(over * mu)
    wanted = 0.5 * 9.81 * (np.sin(angle) - mu * np.cos(angle)) * (times / 24) ** 2
    assert report.device == "cuda-serial"
    assert way == pytest.approx(wanted, rel=0.03) if slides else abs(way) < 1e-4


def test_collision_detection_alone_keeps_surfaces_apart(monkeypatch):
    """Contacts that are never projected push nothing: what keeps the ball out of the sheet is the clamp, and the CPU in
    frames in which it is not enough. No tolerance: surfaces intersect or not."""
    monkeypatch.setattr(pair_stages, "SWEEPS", 0)
    _, reports, counts = run(SCENES["on_ball"](), 9)
    assert sum(counts) == 0
    assert max(report.clamped for report in reports if report.device == "cuda-serial") >= 10


def drape(device):
    """Mean height of a sheet over a ball after a second, with rough surfaces [m], and how far its vertices are from the axis
    in the mean [m]."""
    made = simulation(on_ball(centre=(0.002, 0.003), friction=2.0), device=device)
    reports = [made.advance_frame().report for _ in range(24)]
    x = made.state.x[: made.model.n_vertices, :3]
    return x[:, 2].mean(), np.linalg.norm(x[:, :2], axis=1).mean(), reports


def test_a_drape_has_the_shape_that_the_cpu_finds():
    """A sheet of half a metre with edges of 5 cm, whose folds go either way where contacts are swept in another order: 3
    mm of its height, 8 of its width (3.5 measured with rounding of other kinds, 5.3 on a GPU)."""
    height, width, reports = drape("cuda-serial")
    wanted_height, wanted_width, _ = drape("cpu")
    assert {report.device for report in reports} == {"cuda-serial"}
    assert abs(height - wanted_height) < 3e-3 and abs(width - wanted_width) < 8e-3


def test_the_same_bits_in_every_run_and_after_a_restart():
    states = [run(crossing(6), 3)[0].state.x.tobytes() for _ in range(2)]
    broken, later = simulation(crossing(6)), simulation(crossing(6))
    for _ in range(2):
        broken.advance_frame()
    later.restore(broken.snapshot())
    later.advance_frame()
    assert states[0] == states[1] == later.state.x.tobytes()


def test_pairs_that_have_no_room_are_told_and_left_to_the_cpu_for_a_frame(monkeypatch):
    """Room for 8 pairs is too little for what meets; after the frame that the CPU does there is more."""
    monkeypatch.setattr(pair_stages, "PAIRS_AN_ELEMENT", 0)
    monkeypatch.setattr(pair_stages, "LEAST_ROWS", 8)
    made, reports, counts = run(crossing(6), 4)
    told = [(report.device, report.fallback) for report in reports]
    assert ("cpu", "more pairs than there was room for") in told
    assert told[-1] == ("cuda-serial", "") and made._on_device.fallbacks < 4
    assert sum(counts) == 0


def test_a_start_that_passes_through_itself_is_the_cpus():
    """Two sheets that cross: the CPU takes them apart, and the report says why it had to."""
    x, t = sheet(4, 0.4, (0, 0, 0))
    y, u = sheet(4, 0.4, (0.05, 0.03, 0), 1.2, (0, 1, 0.2))
    bodies = [solver.Cloth(name, at, of, spring_material(solver)) for name, at, of in (("flat", x, t), ("steep", y, u))]
    _, reports, _ = run(solver.Scene(bodies, gravity=(0, 0, 0)), 1)
    assert (reports[0].device, reports[0].fallback) == ("cpu", "surfaces that pass through each other")
