"""Attributes that Blender makes of a cache by itself: velocity, stretch, contact, error."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.gpbd_addon import scenes

#: A process that opens a file without the extension and prints what its body has at a frame.
WITHOUT = """
import bpy, numpy as np, sys
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
ob = bpy.data.objects["Flag"]
assert not hasattr(ob, "gpbd")
bpy.context.scene.frame_set(6)
mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
found = {name: (mesh.attributes[name], {"FLOAT_VECTOR": ("vector", 3), "FLOAT": ("value", 1)}) for name in sys.argv[3:]}
for name, (attribute, kinds) in found.items():
    key, width = kinds[attribute.data_type]
    x = np.empty(len(mesh.vertices) * width, np.float32)
    attribute.data.foreach_get(key, x)
    np.save(f"{sys.argv[2]}/{name}.npy", x.reshape(-1, width))
"""


@pytest.fixture
def flag(blender, tmp_path):
    flag = scenes.moving_flag(blender, tmp_path)
    blender.context.scene.render.fps, blender.context.scene.render.fps_base = 30, 1.001
    return flag


def shown(blender, ob, name, width=1):
    """Return an attribute of the evaluated mesh, (n, width); None where there is none."""
    mesh = ob.evaluated_get(blender.context.evaluated_depsgraph_get()).data
    found = mesh.attributes.get(name)
    if found is None:
        return None
    x = np.empty(len(mesh.vertices) * width, np.float32)
    found.data.foreach_get("vector" if width == 3 else "value", x)
    return x.reshape(-1, width)


def wanted_velocity(poses, k, rate):
    before, after = max(k - 1, 0), min(k + 1, len(poses) - 1)
    return (poses[after] - poses[before]) * rate / (after - before)


def test_velocity_is_the_difference_of_the_frames_around_in_units_a_second(blender, flag):
    """1e-4 of the speed: differences of single precision, times 30 frames a second. None is on the mesh itself."""
    job = scenes.bake(blender)
    poses, rate = scenes.cache(job), 30 / 1.001
    for frame in range(1, 13):
        blender.context.scene.frame_set(frame)
        found, wanted = shown(blender, flag, "velocity", 3), wanted_velocity(poses, frame - 1, rate)
        assert np.abs(found - wanted).max() < 1e-4 * np.abs(wanted).max() + 1e-5
    blender.context.scene.frame_set(20)
    assert not shown(blender, flag, "velocity", 3).any(), "the last frame is held"
    blender.context.scene.frame_set(5, subframe=0.5)
    between = (poses[5] + poses[6] - poses[3] - poses[4]) / 4 * rate
    assert np.abs(shown(blender, flag, "velocity", 3) - between).max() < 1e-4 * np.abs(between).max()
    assert "velocity" not in flag.data.attributes and [md.name for md in flag.modifiers] == ["GPBD Cloth", "GPBD Attributes"]


def test_the_frame_rate_and_time_stretching_change_the_velocity(blender, flag):
    scene = blender.context.scene
    poses = scenes.cache(scenes.bake(blender))
    scene.render.fps, scene.render.fps_base = 60, 1
    scene.frame_set(4)
    wanted = wanted_velocity(poses, 3, 60)
    assert np.allclose(shown(blender, flag, "velocity", 3), wanted, atol=1e-3)
    scene.render.frame_map_new = 200  # of two times as long
    blender.ops.wm.save_mainfile()
    scene.frame_set(8)
    assert np.allclose(shown(blender, flag, "velocity", 3), wanted / 2, atol=1e-3)


def test_a_body_copied_from_another_has_its_own_velocity_after_its_bake(blender, flag):
    scenes.bake(blender)
    copy = flag.copy()
    blender.context.scene.collection.objects.link(copy)
    copy.modifiers[0].filepath, copy.animation_data_clear()
    copy.location = (0, 0, 5)
    job = scenes.bake(blender)
    blender.context.scene.frame_set(4)
    for ob in (flag, copy):
        wanted = wanted_velocity(scenes.cache(job, ob.name), 3, 30 / 1.001)
        assert np.allclose(shown(blender, ob, "velocity", 3), wanted, atol=1e-3)


def test_switches_and_what_takes_the_cache_away(blender, flag):
    scenes.bake(blender)
    beside = next(ob for ob in blender.data.objects if ob.get("gpbd_values_of"))
    assert beside.users == 1 and not beside.users_scene
    flag.gpbd.use_velocity_attribute = False
    assert "GPBD Attributes" not in flag.modifiers and beside.users == 0
    flag.gpbd.use_velocity_attribute = True
    assert "GPBD Attributes" in flag.modifiers
    blender.context.view_layer.objects.active = flag
    blender.ops.gpbd.clear_cache(what="ALL")
    assert "GPBD Attributes" not in flag.modifiers


def test_nothing_is_outdated_by_the_attributes(blender, flag):
    from gpbd.gpbd_addon.bake import overview

    scenes.bake(blender)
    assert overview.look(blender.context.scene).changed == []


def test_stretch_contact_and_error_are_kept_beside_the_cache(blender, flag):
    """1e-5: single precision. Stretch and contact are what the maps show, which measure the mesh that Blender shows."""
    from gpbd.solver.cache import pc2

    scene = blender.context.scene
    flag.gpbd.use_value_attributes = True
    job = scenes.bake(blender)
    reports = pc2.read_manifest(job.files.paths["Flag"])["reports"]
    blender.context.view_layer.objects.active = flag
    kept = {}
    for frame in (1, 5, 12):
        scene.frame_set(frame)
        kept[frame] = {name: shown(blender, flag, f"gpbd_{name}")[:, 0] for name in ("stretch", "contact", "error")}
        if frame > 1:
            assert kept[frame]["error"].max() == pytest.approx(reports[frame - 1]["error"], rel=1e-4)
            assert kept[frame]["error"].max() > 0
    assert not kept[1]["error"].any() and (kept[12]["contact"] < kept[1]["contact"].max()).any()
    flag.gpbd.use_value_attributes = False
    for name, operator in (("stretch", "stretch_heat_map"), ("contact", "contact_map")):
        getattr(blender.ops.gpbd, operator)()
        for frame, own in kept.items():
            scene.frame_set(frame)
            x = np.empty(49, np.float32)
            flag.data.attributes[f"gpbd_{name}"].data.foreach_get("value", x)
            assert np.abs(x - own[name]).max() < 1e-5, (name, frame)


def test_values_go_on_with_a_bake_that_is_resumed(blender, flag):
    from gpbd.solver.cache import pc2
    from gpbd.solver.cache.values_writer import values_path

    flag.gpbd.use_value_attributes = True
    whole = scenes.bake(blender)
    scene = blender.context.scene
    scene.gpbd.frame_end = 6
    scenes.bake(blender)
    scene.gpbd.frame_end = 12
    again = scenes.bake(blender, resume=True)
    found, wanted = (pc2.read_frames(values_path(job.files.paths["Flag"])) for job in (again, whole))
    assert found.tobytes() == wanted.tobytes() and len(found) == 12
    here = scenes.bake(blender, resume=True, from_frame=11)
    assert pc2.read_frames(values_path(here.files.paths["Flag"])).tobytes() == wanted.tobytes()


def test_soft_bodies_have_values_at_the_vertices_of_their_mesh(blender, tmp_path):
    jelly = scenes.soft(blender)
    scenes.floor(blender)
    jelly.gpbd.use_value_attributes = True
    scenes.save(blender, tmp_path)
    scenes.bake(blender)
    blender.context.scene.frame_set(6)
    assert np.isfinite(shown(blender, jelly, "gpbd_stretch")).all() and shown(blender, jelly, "gpbd_error").max() > 0


def test_everything_stands_in_a_file_that_is_opened_without_the_extension(blender, flag, tmp_path):
    """The same bits, in another process, from another folder that file and caches were copied to."""
    import shutil

    flag.gpbd.use_value_attributes = True
    scenes.bake(blender)
    blender.ops.wm.save_mainfile()
    blender.context.scene.frame_set(6)
    names = {"velocity": 3, "gpbd_stretch": 1, "gpbd_contact": 1, "gpbd_error": 1}
    wanted = {name: shown(blender, flag, name, width) for name, width in names.items()}
    farm = tmp_path / "farm"
    farm.mkdir()
    shutil.move(tmp_path / "gpbd_cache", farm / "gpbd_cache")
    shutil.copy(tmp_path / "shot.blend", farm / "shot.blend")
    env = os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path / "empty")}
    subprocess.run([sys.executable, "-c", WITHOUT, farm / "shot.blend", tmp_path, *names], check=True, env=env, timeout=300)
    for name in names:
        assert np.load(tmp_path / f"{name}.npy").tobytes() == wanted[name].tobytes()


def test_shape_keys_need_no_cache(blender, flag):
    """Cycles would take velocities of a cache that is gone, which are 0, for those of the keys."""
    scenes.bake(blender)
    blender.context.view_layer.objects.active = flag
    blender.ops.gpbd.convert_to_shape_keys()
    assert shown(blender, flag, "velocity", 3) is None


def test_cycles_blurs_by_what_the_attribute_says(blender, tmp_path):
    """A sheet that moves by 0.5 units a frame, seen by 64 pixels over 2 units, is 16 pixels wider than the 6.4 that it is
    where its frame lasts, to 2 pixels."""
    from gpbd.gpbd_addon.bake import versions
    from gpbd.solver.cache.pc2_writer import Pc2Writer

    scene = blender.context.scene
    ob = scenes.cloth(blender, n=1, size=0.2, location=(0, 0, 0))
    scenes.save(blender, tmp_path)
    rest = scenes.evaluated_positions(blender, ob)
    writer = Pc2Writer(tmp_path / "flag.pc2", 4, 1, {"topology": ""})
    for k in range(-3, 4):
        writer.append(rest + np.array([0.5 * k, 0, 0], np.float32))
    writer.close()
    versions.play(ob, tmp_path / "flag.pc2", 1, 7, 4)
    material = blender.data.materials.new("Light")
    material.use_nodes = True
    nodes = material.node_tree.nodes
    nodes.clear()
    material.node_tree.links.new(nodes.new("ShaderNodeEmission").outputs[0], nodes.new("ShaderNodeOutputMaterial").inputs[0])
    ob.data.materials.append(material)
    camera = blender.data.objects.new("Camera", blender.data.cameras.new("Camera"))
    camera.data.type, camera.data.ortho_scale, camera.location = "ORTHO", 2.0, (0, 0, 3)
    scene.collection.objects.link(camera)
    scene.camera, scene.render.engine = camera, "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 64, False
    scene.render.resolution_x, scene.render.resolution_y = 64, 16
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = True, 1.0
    scene.render.image_settings.file_format, scene.render.filepath = "OPEN_EXR", str(tmp_path / "blur")
    scene.frame_set(4)
    widths = []
    for fps in (24, 48):  # twice as many frames a second are twice the units a second, and the same a frame
        scene.render.fps = fps
        blender.ops.render.render(write_still=True)
        image = blender.data.images.load(str(tmp_path / "blur.exr"), check_existing=False)
        lit = np.array(image.pixels[:]).reshape(16, 64, 4)[8, :, 0] > 0.01
        widths.append(int(lit.sum()))
    assert widths == pytest.approx([22.4, 22.4], abs=2)


def test_plastic_strains_are_kept_beside_the_cache(blender, tmp_path):
    """A wire of steel that hangs from its end bends beyond its yield; its plastic curvature is an attribute of its mesh, and
    the largest is in the report. A rope that does not yield has none, and no file."""
    from gpbd.solver.cache.values_writer import PLASTIC_SUFFIX, values_path
    from gpbd.solver.scene.presets import FOLDER

    blender.ops.wm.read_homefile(use_empty=True)
    ob = scenes.edges(blender, "Wire", length=4.0)
    blender.context.view_layer.objects.active = ob
    blender.ops.gpbd.add_body(body_type="ROPE")
    ob.vertex_groups.new(name="pins").add([0, 1], 1.0, "REPLACE")
    ob.gpbd.pin_group, ob.gpbd.use_value_attributes = "pins", True
    scene = blender.context.scene
    scene.gpbd.frame_start, scene.gpbd.frame_end = 1, 12
    scenes.save(blender, tmp_path)
    for preset, flows in (("steel_wire", True), ("hemp_rope", False)):
        blender.ops.gpbd.apply_preset(path=str(FOLDER / "ropes" / f"{preset}.toml"))
        ob.gpbd.yielding_rod.yield_curvature = 0.3
        job = scenes.bake(blender)
        scene.frame_set(12)
        mesh = ob.evaluated_get(blender.context.evaluated_depsgraph_get()).data
        assert ("gpbd_plastic_curvature" in mesh.attributes) == flows
        assert values_path(job.files.paths["Wire"], PLASTIC_SUFFIX).exists() == flows
        if flows:
            values = shown(blender, ob, "gpbd_plastic_curvature")[:, 0]
            assert values.max() > 0.1 and values[-1] == 0 and not shown(blender, ob, "gpbd_plastic")[:, 0].any()
            assert job.report.last.plastic_curvature == pytest.approx(values.max(), rel=1e-4)
