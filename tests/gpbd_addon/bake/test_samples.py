"""Samples of a frame, as Blender plays them between frames."""

import numpy as np

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, save


def test_blender_plays_the_samples_between_frames(blender, tmp_path):
    """2e-6 m in world space: single precision of object space, of an object that moves by 0.3 m."""
    flag = scenes.cloth(blender, pins=[0, 6], end=4)
    scenes.move(flag, [1, 4], [(0, 0, 1), (0.3, 0, 1)])
    scene = blender.context.scene
    scene.gpbd.substeps, scene.gpbd.samples = 4, 4
    save(blender, tmp_path)
    job = bake(blender)
    from solver.cache import pc2

    samples = pc2.read_samples(job.files.paths["Flag"])
    assert samples.shape == (4, 4, 49, 3) and pc2.read_frames(job.files.paths["Flag"]).shape == (4, 49, 3)
    for frame in (2, 3, 4):
        for k in range(4):
            scene.frame_set(frame - 1 if k < 3 else frame, subframe=(k + 1) / 4 if k < 3 else 0.0)
            played = scenes.evaluated_positions(blender, flag)
            assert np.abs(played - samples[frame - 1, k]).max() < 2e-6
    scene.frame_set(2, subframe=0.5)
    world = scenes.world_positions(blender, flag)
    assert np.abs(world[:7, 2].mean() - 1) < 0.2 and np.ptp(samples[1:, :, 20, 2]) > 0.01


def test_velocities_of_samples_are_those_of_the_arc(blender, tmp_path):
    """1 % of the speed: a flag that falls freely, whose parabola differences of any step have exactly."""
    from gpbd.gpbd_addon.command_line import velocities

    ob = scenes.cloth(blender, end=4)
    scene = blender.context.scene
    scene.gpbd.substeps, scene.gpbd.samples, scene.gpbd.air_density = 8, 4, 0
    save(blender, tmp_path)
    bake(blender)
    found = np.empty(3 * 49, np.float32)
    scene.frame_set(3)
    shown = ob.evaluated_get(blender.context.evaluated_depsgraph_get()).data
    assert "velocity" not in shown.attributes  # by which Cycles would blur along a straight line
    with velocities.on([ob]):
        shown = ob.evaluated_get(blender.context.evaluated_depsgraph_get()).data
        shown.attributes["velocity"].data.foreach_get("vector", found)
    assert np.allclose(found.reshape(-1, 3)[:, 2], -9.81 * 2 / 24, rtol=0.01)
