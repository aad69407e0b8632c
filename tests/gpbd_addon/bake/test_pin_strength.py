"""Pin Strength in Blender: hooks that let go, by a number and by keys."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes


def flag(bpy, folder, strength):
    scenes.save(bpy, folder)
    ob = scenes.cloth(bpy, "Flag", pins=range(7), n=6, end=8)
    ob.gpbd.pin_strength = strength
    return ob


def fallen(bpy, ob):
    """The way that its pinned row has fallen by the last frame [m]."""
    job = scenes.bake(bpy)
    poses = np.array(scenes.cache(job))
    return np.abs(poses[-1][:7] - poses[0][:7]).max(), job


@pytest.mark.parametrize(("strength", "released"), [(0.0, 0), (1e6, 0), (1e-3, 7)])
def test_pins_let_go_at_their_strength_alone(blender, tmp_path, strength, released):
    from gpbd.gpbd_addon.bake import cache_path, frame_reports

    ob = flag(blender, tmp_path, strength)
    way, _ = fallen(blender, ob)
    assert (way > 0.01) == (released > 0)
    assert frame_reports.read(cache_path.of(ob)).at(8)["released_pins"] == released


def test_a_key_lets_go(blender, tmp_path):
    """From none, which never lets go, to a small number at frame 4: it hangs until then."""
    ob = flag(blender, tmp_path, 0.0)
    for frame, strength in ((1, 0.0), (3, 0.0), (4, 1e-3)):
        ob.gpbd.pin_strength = strength
        ob.gpbd.keyframe_insert("pin_strength", frame=frame)
    for layer in ob.animation_data.action.layers:
        for bag in layer.strips[0].channelbags:
            for curve in bag.fcurves:
                for point in curve.keyframe_points:
                    point.interpolation = "CONSTANT"
    job = scenes.bake(blender)
    poses = np.array(scenes.cache(job))
    moved = np.abs(poses[:, :7] - poses[0, :7]).max((1, 2))
    assert (moved[:3] == 0).all() and moved[-1] > 0.01


def test_another_pin_strength_makes_a_cache_outdated(blender, tmp_path):
    from gpbd.gpbd_addon.bake import overview

    ob = flag(blender, tmp_path, 1e6)
    scenes.bake(blender)
    assert overview.of(blender.context.scene).changed == []
    ob.gpbd.pin_strength = 10.0
    assert overview.of(blender.context.scene).changed == ["'Flag' Pin Strength"]
