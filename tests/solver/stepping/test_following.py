"""Bodies that take along a share of the velocity of their frame of reference."""

import numpy as np
import pytest

from solver import FrameInputs, Pins, ReferenceFrame, Scene, Settings, Simulation
from solver.errors import SceneError
from solver.scene import Material
from solver.stepping.following import rotation, rotation_vector
from tests.scenes.meshes import grid
from tests.scenes.plain_cloth import plain_cloth

FPS, COUNT, SIZE = 24, 8, 0.4
SOFT = Material.fabric(0.2, 500, 50)


def moved(place, turn=(0.0, 0.0, 0.0)):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation(np.asarray(turn, float)), place
    return pose


def at(pose, x):
    return x @ pose[:3, :3].T + pose[:3, 3]


def advance(simulation, poses, share, pins=None, **more):
    """Return the positions in each frame, while the frame of reference moves through these poses, from the first one on."""
    found = []
    for k in range(1, len(poses)):
        frame = ReferenceFrame([poses[max(k - 2, 0)], poses[k - 1], poses[k]], share)
        held = {} if pins is None else {"flag": at(poses[k] @ np.linalg.inv(poses[0]), pins)}
        inputs = FrameInputs(references={"flag": frame}, pins=held, **more)
        found.append(simulation.advance_frame(inputs).positions["flag"].astype(float))
    return np.array(found)


def free_flag(**settings):
    body = plain_cloth("flag", *grid(COUNT, SIZE), SOFT)
    return Simulation(Scene([body], gravity=(0, 0, 0), air_density=0), Settings.quality("draft", **settings))


def hung_flag():
    vertices, triangles = grid(COUNT, SIZE)
    row = np.flatnonzero(vertices[:, 1] == vertices[:, 1].max())
    hung = vertices[:, [0, 2, 1]]  # in the plane of the first and the last axis
    body = plain_cloth("flag", hung, triangles, SOFT, pins=Pins(row))
    return Simulation(Scene([body], air_density=0), Settings.quality("draft")), hung[row]


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_what_is_free_takes_its_share_of_the_way(integrator, share):
    """1e-6 m of 2 m: single precision. The frame of reference starts at once, stops and turns back."""
    simulation = free_flag(integrator=integrator)
    start = grid(COUNT, SIZE)[0]
    ways = np.cumsum([0, 0.2, 0.2, 0.4, 0.0, 0.0, -0.3, -0.3])
    found = advance(simulation, [moved((way, 0, way / 2)) for way in ways], share)
    for x, way in zip(found, ways[1:], strict=True):
        assert np.abs(x - start - share * way * np.array([1, 0, 0.5])).max() < 1e-6


def test_what_is_free_turns_with_what_turns():
    """1e-5 m of an arc of 1 m: single precision, in 150 substeps."""
    simulation = free_flag()
    start = grid(COUNT, SIZE)[0]
    poses = [moved((0.5, 0, 0), (0, 0, np.radians(10 * k))) for k in range(13)]
    found = advance(simulation, poses, 1.0)
    for x, pose in zip(found, poses[1:], strict=True):
        assert np.abs(x - at(pose @ np.linalg.inv(poses[0]), start)).max() < 1e-5
    speed = np.linalg.norm(simulation.state.v[: len(start), :3], axis=1)
    assert np.abs(speed - np.radians(240) * np.linalg.norm(found[-1] - [0.5, 0, 0], axis=1)).max() < 0.05


def test_cloth_that_hangs_from_what_is_thrown_about_hangs_as_if_it_stood():
    """0.1 mm: what hangs still, at 30 times the weight. Without it, cloth streams back; at half of the share it begins to
    do so less."""
    poses = [moved((0.0, 0, 0))] * 30 + [moved((0.25 * k * k, 0, 0)) for k in range(1, 7)]
    off = {}
    for share in (0.0, 0.5, 1.0):
        simulation, pins = hung_flag()
        found = advance(simulation, poses, share, pins) - np.array([pose[:3, 3] for pose in poses[1:]])[:, None]
        off[share] = [np.abs(found[k] - found[28]).max() for k in (30, 34)]
    assert off[1.0][1] < 1e-4 and off[0.0][1] > 0.3 and 1e-2 < off[0.5][0] < off[0.0][0]


def test_a_checkpoint_on_the_way_goes_on_with_the_same_bits_and_a_sleeper_wakes():
    poses = [moved((0.02 * k * k, 0, 0), (0, 0.01 * k, 0)) for k in range(9)]
    simulation = free_flag(sleep=True)
    whole = advance(simulation, poses, 0.7)
    before, after = free_flag(sleep=True), free_flag(sleep=True)
    advance(before, poses[:5], 0.7)
    after.restore(before.snapshot())
    for k in range(5, 9):
        inputs = FrameInputs(references={"flag": ReferenceFrame(poses[k - 2 : k + 1], 0.7)})
        assert np.array_equal(after.advance_frame(inputs).positions["flag"], whole[k - 1].astype(np.float32))
    asleep = free_flag(sleep=True)
    for _ in range(60):
        asleep.advance_frame()
    advance(asleep, poses, 1.0)
    assert np.abs(asleep.state.v[0]).max() > 1


def test_time_that_goes_slower_is_followed_slower():
    """1e-6 m: at half the speed a body has half the velocity, and goes as far in a frame."""
    simulation = free_flag()
    found = advance(simulation, [moved((0.1 * k, 0, 0)) for k in range(5)], 1.0, speed=0.5)
    assert np.abs(found[-1] - grid(COUNT, SIZE)[0] - [0.4, 0, 0]).max() < 1e-6
    assert np.abs(simulation.state.v[:81, 0] - 0.1 * FPS / 0.5).max() < 1e-4


@pytest.mark.parametrize(
    ("poses", "share", "name", "words"),
    [
        ([2 * np.eye(4)] * 3, 1.0, "flag", "poses are scaled"),
        ([np.diag([-1.0, 1, 1, 1])] * 3, 1.0, "flag", "poses are mirrored"),
        ([np.eye(4)] * 2, 1.0, "flag", "poses"),
        ([np.eye(4)] * 3, 1.5, "flag", "share"),
        ([np.eye(4)] * 3, 1.0, "pole", "references name 'pole'"),
    ],
)
def test_what_cannot_be_followed_is_refused(poses, share, name, words):
    with pytest.raises(SceneError, match=words):
        free_flag().advance_frame(FrameInputs(references={name: ReferenceFrame(poses, share)}))


def test_rotations_are_their_vectors():
    """1e-12: double precision, up to just below half a turn."""
    for vector in np.random.default_rng(1).normal(size=(50, 3)):
        vector *= min(1.0, 3.1 / np.linalg.norm(vector))
        assert np.abs(rotation_vector(rotation(vector)) - vector).max() < 1e-12
    assert np.array_equal(rotation(np.zeros(3)), np.eye(3))


def test_cloth_that_swings_on_what_turns_swings_as_on_what_stands():
    """Seen from what turns by 15 degrees a frame; 1e-5 m of 0.13 m: single precision. Centrifugal or Coriolis forces alone
    would be 0.1 m."""
    start = grid(COUNT, SIZE)[0]
    swung = []
    for degrees in (0, 15):
        body = plain_cloth("flag", start, grid(COUNT, SIZE)[1], SOFT, velocities=np.tile([0.4, 0.0, 0.3], (len(start), 1)))
        simulation = Simulation(Scene([body], gravity=(0, 0, 0), air_density=0), Settings.quality("production"))
        poses = [moved((0, 0, 0), (0, 0, np.radians(degrees * k))) for k in range(9)]
        found = advance(simulation, poses, 1.0)
        swung.append(at(np.linalg.inv(poses[-1]), found[-1]) - start)
    assert np.abs(swung[0]).max() > 0.13 and np.abs(swung[1] - swung[0]).max() < 1e-5


@pytest.mark.long
def test_frames_of_reference_are_left_to_the_cpu_and_a_device_goes_on_after_them():
    """1e-5 m: single precision, by other sums. The frame of reference stops, and the flag continues with its velocity."""
    poses = [moved((0.1 * k, 0, 0)) for k in range(3)]
    found = []
    for device in ("cpu", "cuda-serial"):
        simulation = free_flag(device=device)
        advance(simulation, poses, 1.0)
        frame = simulation.advance_frame()
        found.append(frame.positions["flag"])
        fallbacks = simulation._on_device.fallbacks
    assert fallbacks == 2 and frame.report.fallback == ""
    assert np.abs(found[0] - found[1]).max() < 1e-5
    assert np.abs(found[0] - grid(COUNT, SIZE)[0] - [0.3, 0, 0]).max() < 1e-5
