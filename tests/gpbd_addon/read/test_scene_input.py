"""Reading of a scene from Blender, and the findings of its check."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes


@pytest.fixture
def depsgraph(blender):
    return lambda: blender.context.evaluated_depsgraph_get()


def read(blender, ob, scale=1.0):
    from gpbd.gpbd_addon.read import body_reading

    return body_reading.read(ob, blender.context.evaluated_depsgraph_get(), scale)


def test_positions_are_in_world_space_and_metres(blender):
    """Parent, rotation and a unit of a centimetre; 1e-7 m is float32 of matrices and vertices at a few centimetres."""
    ob = scenes.cloth(blender)
    parent = blender.data.objects.new("parent", None)
    blender.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (1, 2, 3), (0.3, 0.2, 1), (2, 1, 0.5)
    ob.parent = parent
    blender.context.view_layer.update()
    matrix = np.array(ob.matrix_world)
    wanted = (np.array([v.co for v in ob.data.vertices]) @ matrix[:3, :3].T + matrix[:3, 3]) * 0.01
    assert np.allclose(read(blender, ob, scale=0.01).vertices, wanted, rtol=0, atol=1e-7)


def test_a_mirroring_scale_turns_triangles_round_and_keeps_the_topology(blender):
    ob = scenes.soft(blender)
    blender.context.view_layer.update()
    plain = read(blender, ob)
    ob.scale = (-1, 1, 1)
    blender.context.view_layer.update()
    mirrored = read(blender, ob)
    assert volume(plain) == pytest.approx(1) and volume(mirrored) == pytest.approx(1)
    assert mirrored.topology == plain.topology


def volume(body):
    a, b, c = (body.vertices[body.triangles[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def test_pin_weights_are_those_of_the_group_also_through_a_mirror_modifier(blender):
    ob = scenes.cloth(blender)
    ob.vertex_groups.new(name="other").add([1], 0.9, "REPLACE")
    group = ob.vertex_groups.new(name="pins")
    for k, weight in {0: 1.0, 3: 0.25, 7: 0.0}.items():
        group.add([k], weight, "REPLACE")
    ob.gpbd.pin_group = "pins"
    ob.modifiers.new("Mirror", "MIRROR").use_mirror_merge = False
    blender.context.view_layer.update()
    weights = read(blender, ob).weights
    wanted = np.zeros(98)
    wanted[[0, 49]], wanted[[3, 52]] = 1.0, 0.25
    assert np.array_equal(weights, wanted)


def test_pin_weights_may_come_from_a_float_attribute(blender):
    """Geometry Nodes make attributes, not vertex groups."""
    ob = scenes.cloth(blender)
    values = np.linspace(0, 1, 49).astype(np.float32)
    ob.data.attributes.new("hold", "FLOAT", "POINT").data.foreach_set("value", values)
    ob.gpbd.pin_group = "hold"
    blender.context.view_layer.update()
    assert np.array_equal(read(blender, ob).weights, values)


def test_uv_of_a_vertex_is_that_of_its_first_corner(blender):
    ob = scenes.cloth(blender)
    layer = ob.data.uv_layers.new(name="cut")
    for loop, uv in zip(ob.data.loops, layer.uv, strict=True):
        uv.vector = (loop.index * 0.01, loop.vertex_index * 0.1)
    ob.gpbd.uv_map = "cut"
    blender.context.view_layer.update()
    uv = read(blender, ob).uv
    first = [next(loop.index for loop in ob.data.loops if loop.vertex_index == k) for k in range(49)]
    assert np.allclose(uv, np.column_stack([np.array(first) * 0.01, np.arange(49) * 0.1]), atol=1e-6)


def test_only_the_stack_below_our_modifier_is_read(blender):
    from gpbd.gpbd_addon.bake import playback
    from gpbd.gpbd_addon.read import modifier, scene_input

    ob = scenes.cloth(blender, pins=[0])
    ob.modifiers.new("Mirror", "MIRROR").use_mirror_merge = False
    ob.modifiers.new("Subdivision", "SUBSURF")
    playback.ensure(ob)
    with modifier.switched_off([ob]):
        world = scene_input.gather(blender.context.scene, blender.context.view_layer.name, [ob])
    assert len(world.bodies[0].vertices) == 98
    assert all(md.show_viewport for md in ob.modifiers)


def test_modifiers_come_back_after_an_error_and_hidden_ones_stay_hidden(blender):
    from gpbd.gpbd_addon.bake import playback
    from gpbd.gpbd_addon.read import modifier

    ob = scenes.cloth(blender)
    playback.ensure(ob)
    ob.modifiers.new("Subdivision", "SUBSURF")
    ob.modifiers.new("Solidify", "SOLIDIFY").show_viewport = False
    with pytest.raises(ZeroDivisionError), modifier.switched_off([ob]):
        assert not any(md.show_viewport for md in ob.modifiers)
        raise ZeroDivisionError
    assert [md.show_viewport for md in ob.modifiers] == [True, True, False]


def test_positions_written_back_are_those_that_were_read(blender):
    """A rotated, sheared, mirrored object far from the origin; float32 at 10 units makes 2e-6, and 4e-6 is the
    limit."""
    from gpbd.gpbd_addon.read import evaluated_mesh
    from gpbd.solver.cache import object_space

    ob = scenes.grid(blender, location=(10, -3, 2))
    ob.rotation_euler, ob.scale = (0.5, 1, 2), (-2, 0.3, 1)
    blender.context.view_layer.update()
    inverse = evaluated_mesh.to_local("x", evaluated_mesh.world_matrix(ob, 0.1))
    back = object_space.local_positions(evaluated_mesh.world_positions(ob, 0.1).astype(np.float32), inverse)
    assert back.dtype == np.float32
    assert np.abs(back - evaluated_mesh.local_positions(ob.data)).max() < 4e-6


def test_colliders_are_the_objects_with_collision_physics(blender):
    from gpbd.gpbd_addon.read import collider_inputs, collision_objects

    blender.context.scene.unit_settings.scale_length = 0.5
    flag = scenes.cloth(blender)
    flag.modifiers.new("Collision", "COLLISION")  # a body is no collider of the others
    floor = scenes.floor(blender)
    off = scenes.floor(blender, "Off")
    off.collision.use = False
    scenes.grid(blender, "Plain")
    found = collision_objects.find(blender.context.scene, [flag])
    assert found == [floor]
    floor.collision.thickness_outer = 0.04
    blender.context.view_layer.update()
    [collider] = collider_inputs.read(blender.context.scene, blender.context.evaluated_depsgraph_get(), 0.5).colliders
    assert collider.thickness == pytest.approx(0.02)
    assert collider.friction == pytest.approx(0.4)
    assert np.ptp(collider.vertices, axis=0) == pytest.approx([2, 2, 0])
    floor.collision.cloth_friction = 80
    assert collision_objects.friction(floor) == 2.0


def test_a_collider_hidden_by_the_eye_works_and_a_disabled_one_is_told(blender):
    from gpbd.gpbd_addon.read import scene_input

    flag = scenes.cloth(blender)
    scenes.floor(blender, "Eye").hide_set(True)
    scenes.floor(blender, "Disabled").hide_viewport = True
    world = scene_input.gather(blender.context.scene, blender.context.view_layer.name, [flag])
    assert [c.name for c in world.colliders] == ["Eye"]
    assert any("Disabled" in warning and "do not touch" in warning for warning in world.warnings)


def test_gravity_is_the_scenes_and_can_be_switched_off(blender):
    from gpbd.gpbd_addon.read import forces

    scene = blender.context.scene
    assert forces.gravity(scene) == pytest.approx([0, 0, -9.81], abs=1e-5)
    scene.use_gravity = False
    assert not forces.gravity(scene).any()


def test_pins_of_a_soft_body_follow_the_nearest_mesh_vertex(blender):
    ob = scenes.soft(blender, pins=[0, 1, 2, 3])  # the face at x = -0.5
    blender.context.view_layer.update()
    body = read(blender, ob)
    made = body.build()
    start = body.tetrahedra.vertices[made.pins.indices]
    assert len(start) >= 4 and (start[:, 0] < 1e-9).all()
    moved = body.vertices.copy()
    moved[:4] += (0.1, 0.2, 0.3)
    assert np.allclose(body.targets(moved) - start, (0.1, 0.2, 0.3))
    assert np.array_equal(body.targets(body.vertices), start)


def test_checking_a_good_scene_finds_nothing_and_leaves_it_alone(blender, tmp_path):
    scenes.cloth(blender, pins=[0])
    scenes.floor(blender)
    scenes.soft(blender, location=(3, 0, 2))
    blender.context.scene.frame_set(7)
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    assert scenes.check(blender) == []
    assert blender.context.scene.frame_current == 7 and not (tmp_path / "gpbd_cache").exists()


def test_checking_names_the_problems_of_all_bodies_at_once(blender):
    scenes.cloth(blender).gpbd.pin_group = "nowhere"
    empty = scenes.cloth(blender, "Empty")
    empty.data.clear_geometry()
    blender.context.scene.gpbd.frame_end = -5
    problems = " ".join(scenes.check(blender))
    for wanted in ("'nowhere' is missing", "Empty: has 0 vertices", "there are none", "not saved"):
        assert wanted in problems


def test_no_tolerance_and_no_number_of_threads_are_the_solvers_own(blender):
    from gpbd.gpbd_addon.read import scene_input

    settings = scene_input.settings_of(blender.context.scene)
    assert settings.error_tolerance is None and settings.threads is None and settings.fps == 24
