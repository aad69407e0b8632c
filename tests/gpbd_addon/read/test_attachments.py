"""Cloth that is attached to what moves and bends."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes


def ball(bpy, collision=True):
    """A ball of 0.4 m that turns, moves, and is squeezed by a shape key, below the middle of a flag at height 1."""
    from tests.scenes.spheres import icosphere

    x, t = icosphere(2, 0.4)
    ob = scenes.mesh_object(bpy, "Ball", x, t, (0, 0, 0.5985))
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Squeezed")
    key.data.foreach_set("co", (x * [1.2, 0.9, 0.8]).astype(np.float32).ravel())
    for frame, value in ((1, 0.0), (10, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    scenes.move(ob, [1, 10], [(0, 0, 0.5985), (0.3, 0, 0.8)])
    scenes.move(ob, [1, 10], [(0, 0, 0), (0, 0.4, 0.3)], "rotation_euler")
    if collision:
        ob.modifiers.new("Collision", "COLLISION")
        ob.collision.thickness_outer = 0.001
    return ob


@pytest.mark.parametrize("collision", [False, True], ids=["free", "collider"])
def test_attached_vertices_stay_on_a_surface_that_bends(collision, blender, tmp_path):
    """1 mm. The flag's middle begins 1.5 mm above the ball's pole; where the ball is a collider too, contact has a say."""
    scenes.save(blender, tmp_path)
    flag = scenes.cloth(blender, end=10, n=8)
    item = flag.gpbd.attachments.add()
    item.target, item.distance = ball(blender, collision), 0.02
    job = scenes.bake(blender)
    x = scenes.cache(job).astype(float)
    from mathutils.bvhtree import BVHTree

    distances = []
    for number in range(10):
        blender.context.scene.frame_set(number + 1)
        there = scenes.world_positions(blender, item.target)
        faces = [tuple(face.vertices) for face in item.target.data.polygons]
        tree = BVHTree.FromPolygons(there.tolist(), faces)
        world = x[number] + np.array(flag.location)
        distances.append(tree.find_nearest(world[40].tolist())[3])
    assert np.abs(np.array(distances) - distances[0]).max() < 1e-3 and distances[0] < 2e-3
    assert x[-1][40, 0] > 0.2


def test_a_cloth_is_attached_to_another_that_feels_it(blender, tmp_path):
    """1 mm: extension of the tie's spring under the weight of a small cloth."""
    scenes.save(blender, tmp_path)
    scenes.cloth(blender, "Upper", pins=range(49), end=8, location=(0, 0, 1.0))
    lower = scenes.cloth(blender, "Lower", end=8, location=(0, 0, 0.999), size=0.5)
    lower.vertex_groups.new(name="strip").add(range(7), 1.0, "REPLACE")
    item = lower.gpbd.attachments.add()
    item.target, item.vertex_group, item.distance = blender.data.objects["Upper"], "strip", 0.01
    x = scenes.cache(scenes.bake(blender), "Lower")[-1].astype(float)
    assert np.abs(x[:7, 2] - 0.001).max() < 1e-3 and x[-7:, 2].min() < -0.05


def test_a_rigid_body_hangs_on_a_rope_that_is_attached_to_it(blender, tmp_path):
    """1 mm: stretch of a hemp rope by 0.5 kg and the first swing; a ball that falls would be 0.2 m below."""
    from mathutils import Vector

    from tests.scenes.spheres import icosphere

    scenes.save(blender, tmp_path)
    rope = scenes.edges(blender, "Rope", count=10)
    for k, vertex in enumerate(rope.data.vertices):
        vertex.co = (0, 0, -0.05 * k)
    x, t = icosphere(2, 0.1)
    ball = scenes.mesh_object(blender, "Ball", x - x[0], t, (0, 0, 0.5))
    for ob, kind in ((rope, "ROPE"), (ball, "RIGID")):
        blender.context.view_layer.objects.active = ob
        blender.ops.gpbd.add_body(body_type=kind)
    scenes.body(blender, rope, "ROPE", pins=[0], end=6)
    ball.gpbd.mass_by, ball.gpbd.mass = "MASS", 0.5
    ball.rotation_mode = "QUATERNION"
    ball.rotation_quaternion = Vector(x[0]).rotation_difference(Vector((0, 0, 1)))
    item = rope.gpbd.attachments.add()
    item.target, item.distance = ball, 0.005
    job = scenes.bake(blender)
    line, surface = (scenes.cache(job, name).astype(float) for name in ("Rope", "Ball"))
    assert line[-1][-1, 2] == pytest.approx(-0.5, abs=1e-3)
    place = np.array(ball.matrix_world.to_quaternion().to_matrix()) @ surface[-1][0] + [0, 0, 0.5]
    assert np.linalg.norm(place - line[-1][-1] - [0, 0, 1.0]) < 1e-3


def test_what_cannot_be_attached_is_told(blender, tmp_path):
    """None: each names both objects."""
    from gpbd.solver.errors import SceneError

    scenes.save(blender, tmp_path)
    flag = scenes.cloth(blender)
    item = flag.gpbd.attachments.add()
    with pytest.raises(SceneError, match="Flag: an attachment has no object to hold on to"):
        scenes.bake(blender)
    item.target = scenes.cube(blender, "Crate", location=(5, 0, 0))
    with pytest.raises(SceneError, match=r"Flag: none of its vertices is within 0\.01 m of 'Crate'"):
        scenes.bake(blender)


def test_the_buttons_add_and_remove_an_attachment(blender):
    """Without a target: the other selected mesh is the target."""
    flag, crate = scenes.cloth(blender), scenes.cube(blender, "Crate")
    with blender.context.temp_override(object=flag, active_object=flag, selected_objects=[flag, crate]):
        blender.ops.gpbd.add_attachment()
        assert [item.target for item in flag.gpbd.attachments] == [crate]
        blender.ops.gpbd.remove_attachment(index=0)
    assert not len(flag.gpbd.attachments)
