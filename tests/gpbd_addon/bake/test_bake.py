"""A bake from the scene to what Blender plays."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from solver.cache import pc2 as frames
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache, save

PLAYER = """
import sys, bpy, numpy as np
sys.path.insert(0, sys.argv[4])
from solver.cache import pc2 as frames
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
scene, ob = bpy.context.scene, bpy.data.objects["Flag"]
data = frames.read_frames(sys.argv[2])
for frame in (6, 3, 1, 5, 2, 4):
    scene.frame_set(frame)
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    x = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.attributes["position"].data.foreach_get("vector", x)
    assert x.tobytes() == data[frame - 1].tobytes(), f"frame {frame}"
scene.render.engine, scene.render.filepath = "BLENDER_WORKBENCH", sys.argv[3]
scene.render.resolution_x, scene.render.resolution_y = 96, 64
scene.camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
scene.camera.location, scene.camera.rotation_euler = (0, 0, 4), (0, 0, 0)
scene.collection.objects.link(scene.camera)
for frame in (1, 6):
    scene.frame_set(frame)
    scene.render.filepath = f"{sys.argv[3]}{frame}.png"
    bpy.ops.render.render(write_still=True)
"""


@pytest.fixture
def moving(blender, tmp_path):
    return scenes.moving_flag(blender, tmp_path)


def test_blender_plays_the_cache_bit_for_bit_also_backwards(blender, moving):
    job = bake(blender)
    data = cache(job)
    assert job.state == "done" and len(data) == 12 and np.ptp(data, axis=0).max() > 0.1
    for frame in (12, 5, 7, 1, 2):
        blender.context.scene.frame_set(frame)
        assert scenes.evaluated_positions(blender, moving).tobytes() == data[frame - 1].tobytes()


def test_the_bake_is_what_the_solver_gives_for_these_poses(blender, moving):
    """Reading ahead, and the way through another process, change no bit."""
    from gpbd.gpbd_addon.bake.job import DONE
    from gpbd.gpbd_addon.read import modifier, scene_input
    from gpbd.solver.cache import object_space
    from solver import FrameInputs, Simulation

    job = bake(blender)
    scene, layer = blender.context.scene, blender.context.view_layer.name
    with modifier.switched_off([moving]):
        world = scene_input.gather(scene, layer, [moving])
        plain = Simulation(world.build(), world.settings)
        surface, inverses = [plain.start().surfaces["Flag"]], [world.first.inverses["Flag"]]
        for frame in range(2, 13):
            data = scene_input.read_frame(scene, layer, world, frame)
            pins = {"Flag": world.bodies[0].targets(data.poses["Flag"])}
            acting = data.wind, data.gravity, data.number, data.fields, data.responses
            inputs = FrameInputs(pins, data.colliders, *acting)
            surface.append(plain.advance_frame(inputs).surfaces["Flag"])
            inverses.append(data.inverses["Flag"])
    for k, pose in enumerate(cache(job)):
        assert pose.tobytes() == object_space.local_positions(surface[k], inverses[k]).tobytes(), f"frame {k + 1}"
    assert job.state == DONE


def test_pins_follow_the_evaluated_stack_below_our_modifier(blender, moving):
    """Object animation and a shape key; 1e-6 m is float32 at one metre."""
    moving.shape_key_add(name="Basis")
    key = moving.shape_key_add(name="Up")
    key.data[0].co.z += 0.3
    key.value = 0.0
    key.keyframe_insert("value", frame=1)
    key.value = 1.0
    key.keyframe_insert("value", frame=12)
    bake(blender)
    modifier = moving.modifiers[0]
    for frame in (1, 6, 12):
        modifier.show_viewport = False
        blender.context.scene.frame_set(frame)
        below = scenes.world_positions(blender, moving)
        modifier.show_viewport = True
        blender.context.scene.frame_set(frame)
        assert np.abs(scenes.world_positions(blender, moving)[[0, 6]] - below[[0, 6]]).max() < 1e-6


def test_a_saved_file_plays_and_renders_without_the_extension(blender, moving, tmp_path):
    """In a process that knows nothing of GPBD, scrubbed backwards."""
    blender.context.scene.gpbd.frame_end = 6
    job = bake(blender)
    blender.ops.wm.save_mainfile()
    path = str(job.files.paths["Flag"])
    arguments = [blender.data.filepath, path, str(tmp_path / "frame"), str(frames.__file__).rpartition("solver")[0]]
    done = subprocess.run([sys.executable, "-c", PLAYER, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    pictures = [(tmp_path / f"frame{frame}.png").read_bytes() for frame in (1, 6)]
    assert pictures[0] != pictures[1]


def test_the_scene_is_put_back_after_a_bake_and_after_a_failure(blender, moving, monkeypatch):
    from gpbd.solver.errors import UnstableError

    moving.modifiers.new("Subdivision", "SUBSURF")
    blender.context.scene.frame_set(4)
    bake(blender)
    scenes.unstable_at(monkeypatch, 7)
    with pytest.raises(UnstableError, match="Frame 7"):
        bake(blender)
    assert blender.context.scene.frame_current == 4
    assert [md.show_viewport for md in moving.modifiers] == [True, True, True]
    path = blender.path.abspath(moving.modifiers[0].filepath)
    assert frames.read_header(path).n_frames == 6 and frames.verify(path) == []
    blender.context.scene.frame_set(6)
    moving.modifiers["Subdivision"].show_viewport = False
    assert scenes.evaluated_positions(blender, moving).tobytes() == frames.read_frames(path)[5].tobytes()


def test_a_diverging_scene_names_frame_body_vertex_and_advice_and_its_good_frames_play(blender, tmp_path):
    """In a vacuum at 1e8 m/s a sheet is farther than any scene, 1e7 m, after three frames of a 24th of a second."""
    flag = scenes.cloth(blender, end=10)
    flag.gpbd.initial_velocity = (1e8, 0, 0)
    blender.context.scene.gpbd.air_density = 0
    save(blender, tmp_path)
    with pytest.raises(RuntimeError) as told:
        blender.ops.gpbd.bake()
    wanted = r"Raise Substeps above 3, .*\nFrame 4: vertex \d+ of 'Flag' has left the finite numbers"
    assert re.search(wanted, str(told.value))
    data = frames.read_frames(blender.path.abspath(flag.modifiers[0].filepath))
    assert len(data) == 3 and np.isfinite(data).all()
    blender.context.scene.frame_set(3)
    assert scenes.evaluated_positions(blender, flag).tobytes() == data[2].tobytes()
    assert not blender.context.window_manager.gpbd_status


def test_a_full_disk_ends_the_bake_with_the_frames_before(blender, moving, monkeypatch):
    from gpbd.solver.cache.pc2_writer import Pc2Writer
    from gpbd.solver.errors import CacheError

    write = Pc2Writer._write

    def full(self, offset, data):
        if self.n_frames == 5 and offset > 100:
            self._file.write(b"half")
            raise OSError(28, "No space left on device")
        write(self, offset, data)

    scenes.workers_in_threads(monkeypatch)
    monkeypatch.setattr(Pc2Writer, "_write", full)
    with pytest.raises(CacheError, match=r"No space left.*Free space"):
        bake(blender)
    path = blender.path.abspath(moving.modifiers[0].filepath)
    assert len(frames.read_frames(path)) == 5
    assert moving.modifiers[0].show_viewport


def test_only_the_chosen_objects_are_baked_and_others_stay(blender, moving):
    other = scenes.cloth(blender, "Other", location=(5, 0, 1))
    blender.context.scene.gpbd.frame_end = 4
    job = bake(blender, names=["Flag"])
    assert list(job.files.paths) == ["Flag"] and not other.modifiers and not other.gpbd.cache_file
    both = bake(blender)
    before = os.stat(both.files.paths["Other"]).st_mtime_ns
    bake(blender, names=["Flag"])
    assert os.stat(both.files.paths["Other"]).st_mtime_ns == before


def test_a_scene_in_centimetres_falls_as_far_as_one_in_metres(blender, tmp_path):
    """Free fall in metres; 1e-4 is float32 of the larger numbers."""
    fall = []
    for scale in (1.0, 0.01):
        ob = scenes.cloth(blender, f"Flag{scale}", end=6, size=1 / scale, location=(0, 0, 1 / scale))
        blender.context.scene.unit_settings.scale_length = scale
        job = bake(blender, names=[ob.name], out=str(tmp_path))
        fall.append(cache(job, ob.name)[5, :, 2].mean() * scale)
    assert fall[0] < -0.1 and fall[1] == pytest.approx(fall[0], rel=1e-4)


def test_two_objects_with_one_mesh_have_a_cache_each(blender, tmp_path):
    first = scenes.cloth(blender, end=4)
    twin = first.copy()
    twin.location.z = 3
    blender.context.scene.collection.objects.link(twin)
    scenes.floor(blender).location.z = 0.98
    save(blender, tmp_path)
    job = bake(blender)
    assert any("copy of 'Flag'" in warning for warning in job.report.warnings)
    assert twin.data == first.data and first.gpbd.uuid != twin.gpbd.uuid
    blender.context.scene.frame_set(4)
    for ob in (first, twin):
        assert scenes.evaluated_positions(blender, ob).tobytes() == cache(job, ob.name)[3].tobytes()
    assert not np.array_equal(cache(job, first.name), cache(job, twin.name))


def test_the_bake_operator_bakes_in_background_and_reports_errors(blender, moving):
    blender.context.scene.gpbd.frame_end = 3
    assert blender.ops.gpbd.bake() == {"FINISHED"}
    assert moving.gpbd.cache_info == "v1: frames 1 to 3, 49 vertices"
    blender.context.scene.gpbd.frame_end = 5
    assert blender.ops.gpbd.resume() == {"FINISHED"}
    assert moving.gpbd.cache_info == "v1: frames 1 to 5, 49 vertices"
    moving.gpbd.pin_group = "gone"
    with pytest.raises(RuntimeError, match="'gone' is missing"):
        blender.ops.gpbd.bake()
    assert len(frames.read_frames(blender.path.abspath(moving.modifiers[0].filepath))) == 5
    assert blender.ops.gpbd.clear_cache() == {"FINISHED"} and moving.gpbd.cache_info, "the last version stays"
    assert blender.ops.gpbd.clear_cache(what="ALL") == {"FINISHED"}
    assert not moving.modifiers[0].filepath and not moving.gpbd.cache_info


def test_a_second_bake_cannot_begin_while_one_runs(blender, moving):
    blender.context.window_manager.gpbd_status = "Frame 3 of 12"
    try:
        for operator in (blender.ops.gpbd.bake, blender.ops.gpbd.resume, blender.ops.gpbd.clear_cache):
            assert not operator.poll()
    finally:
        blender.context.window_manager.gpbd_status = ""
    assert blender.ops.gpbd.bake.poll()
