"""Blender's Time Stretching: the baked frames play, and all that derives from them follows."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes


@pytest.fixture(params=[(100, 200), (200, 100), (100, 73)], ids=lambda pair: f"{pair[0]}-{pair[1]}")
def stretched(blender, tmp_path, request):
    """A flag on a pole that moves, in a scene that is stretched, baked with two samples a frame."""
    flag = scenes.cloth(blender, pins=[0, 6], end=8)
    scenes.move(flag, [1, 16], [(0, 0, 1), (0.6, 0, 1.3)])
    scene = blender.context.scene
    scene.render.frame_map_old, scene.render.frame_map_new = request.param
    scene.gpbd.substeps, scene.gpbd.samples = 4, 2
    scenes.save(blender, tmp_path)
    blender.context.view_layer.objects.active = flag
    return flag, scenes.bake(blender)


def test_each_frame_and_each_sample_shows_the_pose_that_was_baked_for_it(blender, stretched):
    """2e-6 m: single precision of object space. A frame off would be 0.02 m: what the pole moves by."""
    from solver.cache import pc2

    flag, job = stretched
    scene, samples = blender.context.scene, pc2.read_samples(job.files.paths["Flag"])
    for frame in range(2, 9):
        scene.frame_set(frame - 1, subframe=0.5)
        assert np.abs(scenes.evaluated_positions(blender, flag) - samples[frame - 1, 0]).max() < 2e-6
        scene.frame_set(frame)
        assert np.abs(scenes.evaluated_positions(blender, flag) - samples[frame - 1, 1]).max() < 2e-6
        pins = scenes.world_positions(blender, flag)[[0, 6]]
        at = 0.6 / 15 * (frame / (scene.render.frame_map_new / scene.render.frame_map_old) - 1)
        assert np.abs(pins[:, 0] - [-0.5 + max(at, 0), 0.5 + max(at, 0)]).max() < 2e-6


def test_keys_velocities_and_maps_are_those_of_the_frame_that_is_shown(blender, stretched):
    """Keys: 1e-5 of eval_time's float32. Velocities: those of the samples, to 1e-4 of single precision."""
    from gpbd.gpbd_addon.bake import playback
    from gpbd.gpbd_addon.command_line import velocities
    from gpbd.gpbd_addon.operators.convert_to_shape_keys import convert_to_shape_keys
    from gpbd.gpbd_addon.operators.show_statistics import reports_of
    from solver.cache import pc2

    flag, job = stretched
    scene, path = blender.context.scene, job.files.paths["Flag"]
    frames, poses = pc2.read_frames(path), pc2.read_samples(path).reshape(-1, 49, 3)[1:]
    found = flag.modifiers["GPBD Cloth"]
    assert playback.first_frame(found, scene, 2) == pytest.approx(1)
    with velocities.on([flag]):
        for frame in (2, 5, 8):
            scene.frame_set(frame)
            assert playback.frame_shown(found, scene, 2, 8) == frame - 1
            given = np.empty(3 * 49, np.float32)
            shown = flag.evaluated_get(blender.context.evaluated_depsgraph_get()).data
            shown.attributes["velocity"].data.foreach_get("vector", given)
            k = 2 * (frame - 1)
            before, after = max(k - 1, 0), min(k + 1, len(poses) - 1)
            wanted = (poses[after] - poses[before]) * 2 * 24 / (after - before)
            assert np.allclose(given.reshape(-1, 3), wanted, rtol=1e-4, atol=1e-4)
    blender.ops.gpbd.show_statistics()
    scene.frame_set(5)
    assert flag["gpbd_error"] == pytest.approx(reports_of(flag).at(5)["error"], rel=1e-3)
    blender.ops.gpbd.show_statistics(remove=True)
    convert_to_shape_keys(flag)
    for frame in (1, 4, 8):
        scene.frame_set(frame)
        assert np.allclose(scenes.evaluated_positions(blender, flag), frames[frame - 1], atol=1e-5)


def test_a_cache_is_stretched_with_the_keys_and_an_older_version_plays_as_it_was_baked(blender, stretched):
    """2e-6 m, as above: the same frames of the animation have the same poses."""
    from gpbd.gpbd_addon.bake import overview, versions

    flag, job = stretched
    scene = blender.context.scene
    before = scene.render.frame_map_new / scene.render.frame_map_old
    first = scenes.cache(job)
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 100
    assert "Time Stretching" in " ".join(overview.look(scene).changed)
    scene.frame_set(int(6 / before), subframe=6 / before % 1)
    assert np.abs(scenes.evaluated_positions(blender, flag) - first[5]).max() < 2e-5
    again = scenes.cache(scenes.bake(blender))
    scene.frame_set(6)
    assert np.abs(scenes.evaluated_positions(blender, flag) - again[5]).max() < 2e-6
    versions.choose(scene, 1)
    assert flag.modifiers["GPBD Cloth"].frame_scale == pytest.approx(2 * before)
    scene.frame_set(int(6 / before), subframe=6 / before % 1)
    assert np.abs(scenes.evaluated_positions(blender, flag) - first[5]).max() < 2e-5
