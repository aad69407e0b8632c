"""The goal of a body as a bake reads it."""

import numpy as np
import pytest

from solver.errors import SceneError
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache, save


def key(owner, name, values):
    for frame, value in values.items():
        setattr(owner, name, value)
        owner.keyframe_insert(name, frame=frame)


def test_a_group_is_the_weight_of_the_goal_beside_that_of_pins(blender, tmp_path):
    flag = scenes.cloth(blender, pins=range(7))
    flag.vertex_groups.new(name="soft").add(list(range(7, 14)), 0.5, "REPLACE")
    settings = flag.gpbd
    settings.use_goal, settings.goal_group, settings.goal_weight = True, "soft", 0.5
    settings.goal_frequency, settings.goal_damping_ratio = 3.0, 0.3
    save(blender, tmp_path)
    (body,) = scenes.read_frame(blender, 1)[0].bodies
    pins = body.build().pins
    assert pins.indices.tolist() == list(range(14)) and pins.holding.tolist() == list(range(7))
    assert pins.goal.weight == pytest.approx([0.0] * 7 + [0.25] * 7)
    assert (pins.goal.frequency, pins.goal.damping_ratio) == pytest.approx((3.0, 0.3))


def test_without_a_group_the_goal_pulls_every_vertex(blender, tmp_path):
    flag = scenes.cloth(blender)
    flag.gpbd.use_goal = True
    save(blender, tmp_path)
    (body,) = scenes.read_frame(blender, 1)[0].bodies
    assert body.build().pins.pulled.tolist() == [True] * 49


def test_a_goal_group_without_weights_is_refused_by_name(blender, tmp_path):
    flag = scenes.cloth(blender)
    flag.vertex_groups.new(name="nothing")
    flag.gpbd.use_goal, flag.gpbd.goal_group = True, "nothing"
    save(blender, tmp_path)
    with pytest.raises(SceneError, match="Flag: no vertex has a weight in the goal group 'nothing'"):
        scenes.read_frame(blender, 1)


def test_a_key_lets_the_goal_go(blender, tmp_path):
    """The flag hangs by its goal, 100 Hz stiff, 2e-4 m low at 10 m/s^2, until a key lets it fall; a bake that continues from
    a checkpoint has the same bits."""
    flag = scenes.cloth(blender, end=12)
    settings = flag.gpbd
    settings.use_goal, settings.goal_frequency, settings.goal_damping_ratio = True, 100.0, 1.0
    key(settings, "goal_weight", {6: 1.0, 7: 0.0})
    flag.animation_data.action.layers[0].strips[0].channelbags[0].fcurves[0].extrapolation = "CONSTANT"
    save(blender, tmp_path)
    whole = cache(bake(blender))
    assert np.abs(whole[5] - whole[0]).max() < 2e-4
    assert (whole[11][:, 2] < whole[0][:, 2] - 0.05).all()
    blender.context.scene.gpbd.frame_end = 10
    bake(blender)
    blender.context.scene.gpbd.frame_end = 12
    assert np.array_equal(cache(bake(blender, resume=True)), whole)


def test_a_soft_body_turns_with_its_mesh_inside_too(blender, tmp_path):
    """Targets of all vertices, inner ones too, after a quarter turn; 1e-5 m of Blender's single precision."""
    jelly = scenes.soft(blender, end=25)
    jelly.gpbd.use_goal = True
    key(jelly, "rotation_euler", {1: (0, 0, 0), 25: (0, 0, np.pi)})
    scenes.straighten(jelly)
    save(blender, tmp_path)
    first, then = scenes.read_frame(blender, 13)
    (body,) = first.bodies
    body.build()
    x, y, z = body.tetrahedra.vertices.T
    assert body.targets(then.poses["Jelly"]) == pytest.approx(np.stack([-y, x, z], 1), abs=1e-5)


def test_one_slider_sets_both_numbers(blender):
    settings = scenes.cloth(blender).gpbd
    settings.goal_jiggle = 0.0
    assert (settings.goal_frequency, settings.goal_damping_ratio) == pytest.approx((8.0, 0.4))
    settings.goal_jiggle = 1.0
    assert (settings.goal_frequency, settings.goal_damping_ratio) == pytest.approx((1.0, 0.1))
    settings.goal_frequency = 8.0**0.5
    assert settings.goal_jiggle == pytest.approx(0.5, abs=1e-6)
