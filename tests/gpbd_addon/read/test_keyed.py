"""Numbers with F-curves and drivers, and painted maps, as a bake reads them."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache, save


def key(owner, name, values):
    for frame, value in values.items():
        setattr(owner, name, value)
        owner.keyframe_insert(name, frame=frame)


@pytest.fixture
def world(blender, tmp_path):
    """A flag above a floor, with numbers of each kind that change; the first frame is 1."""
    flag = scenes.cloth(blender, pins=range(7), end=12)
    floor = scenes.floor(blender)
    settings = flag.gpbd
    key(settings, "pin_hold", {4: 1.0, 5: 0.0})
    key(settings.stvk_membrane, "young_warp", {1: 100.0, 5: 900.0})
    settings.discrete_shell.driver_add("bending_warp_shown").driver.expression = "frame * 1.0"  # µN m
    settings.maps.bending_group, settings.maps.bending_high = "pins", 0.5
    key(floor.collision, "use", {1: False, 6: True})
    floor.collision.cloth_friction = 5
    scene = blender.context.scene.gpbd
    key(scene, "speed", {1: 1.0, 12: 0.5})
    key(scene, "drag", {1: 1.0, 3: 2.0})
    save(blender, tmp_path)
    return flag


def read(blender, frame):
    first, then = scenes.read_frame(blender, frame)
    return first, then.numbers


def test_what_is_animated_or_driven_is_read_at_its_frame(blender, world):
    """1e-6: single precision of what Blender keeps."""
    first, numbers = read(blender, 5)
    assert numbers.objects["Flag"] == {
        "stvk_membrane.young_warp": pytest.approx(900.0, rel=1e-6),
        "discrete_shell.bending_warp": pytest.approx(5e-6, rel=1e-6),
    }
    assert numbers.air == {"drag": 2.0} and numbers.speed < 1
    assert not numbers.weights["Flag"].any() and first.bodies[0].weights[:7].all()
    assert not first.colliders[0].enabled and "Floor" not in numbers.objects
    assert read(blender, 6)[1].objects["Floor"] == {"enabled": True}


def test_a_scene_without_keys_tells_no_numbers(blender, tmp_path):
    scenes.cloth(blender, pins=range(7), end=3)
    scenes.floor(blender)
    _, numbers = read(blender, 3)
    assert not numbers.objects and not numbers.weights and not numbers.air and numbers.speed == 1


def test_a_bake_reads_the_keys_and_goes_on_from_a_checkpoint_with_the_same_bits(blender, world):
    whole = cache(bake(blender))
    assert np.array_equal(whole[3][:7], whole[0][:7]) and (whole[4][:7, 2] < whole[0][:7, 2]).all()
    blender.context.scene.gpbd.frame_end = 10
    bake(blender)
    blender.context.scene.gpbd.frame_end = 12
    assert np.array_equal(cache(bake(blender, resume=True)), whole)


def test_maps_are_those_of_the_group(blender, world):
    (body,) = read(blender, 1)[0].bodies
    found = body.build().maps
    assert list(found) == ["bending"] and (found["bending"].low, found["bending"].high) == (1.0, 0.5)
    assert found["bending"].weights[:7].all() and not found["bending"].weights[7:].any()


def test_what_is_not_painted_stays_as_it_is(blender, tmp_path):
    """A collar of two rows, stiffer in stretch: edges below stretch as without, to 1 % of their length."""
    flag = scenes.cloth(blender, pins=range(7), end=12)
    flag.rotation_euler[0] = 1.0
    flag.vertex_groups.new(name="collar").add(list(range(14)), 1.0, "REPLACE")
    save(blender, tmp_path)

    def lengths():
        last = np.array(scenes.cache(scenes.bake(blender))[-1]).reshape(7, 7, 3)
        return np.linalg.norm(np.diff(last, axis=0), axis=-1) * 6

    without = lengths()
    flag.gpbd.maps.stretch_group = "collar"
    (body,) = read(blender, 1)[0].bodies
    assert body.build().maps["stretch"].factors.tolist() == [10.0] * 14 + [1.0] * 35
    assert np.abs(lengths() - without).max() < 0.01


def test_a_map_may_be_an_attribute_that_changes_the_pins_too(blender, tmp_path):
    """A float attribute is read at every frame, as a group is where modifiers change it."""
    flag = scenes.cloth(blender, end=4)
    attribute = flag.data.attributes.new("soft", "FLOAT", "POINT")
    attribute.data.foreach_set("value", np.linspace(0, 1, 49, dtype=np.float32))
    flag.gpbd.pin_group = flag.gpbd.maps.stretch_group = "soft"
    (body,) = read(blender, 1)[0].bodies
    assert np.allclose(body.build().maps["stretch"].weights, np.linspace(0, 1, 49))


def test_what_is_read_once_cannot_be_keyed_or_is_told_of(blender):
    flag = scenes.cloth(blender, end=3)
    for name in ("uv_map", "layer", "self_contact", "initial_velocity", "mass"):
        assert not flag.gpbd.bl_rna.properties[name].is_animatable
    ball = scenes.cube(blender, "Ball")
    scenes.body(blender, ball, "RIGID", end=3)
    key(ball.gpbd, "density_volume", {1: 100.0, 3: 200.0})
    told = read(blender, 1)[0].warnings
    assert any("Ball: 'density_volume' is animated, but a rigid body has one mass" in warning for warning in told)
