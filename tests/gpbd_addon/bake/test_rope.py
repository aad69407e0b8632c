"""Ropes in Blender: edges of a mesh, read, baked, played and shown with their radius."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache, save


def rope(bpy, end=4, pins=(0, 1)):
    ob = scenes.edges(bpy)
    bpy.context.view_layer.objects.active = ob
    bpy.ops.gpbd.add_body(body_type="ROPE")
    ob.vertex_groups.new(name="pins").add(list(pins), 1.0, "REPLACE")
    ob.gpbd.pin_group = "pins"
    scene = bpy.context.scene
    scene.gpbd.frame_start, scene.gpbd.frame_end = 1, end
    return ob


def shown(bpy, ob):
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    x = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", x)
    return x.reshape(-1, 3)


def test_a_rope_is_baked_and_played(blender, tmp_path):
    """Its free end has fallen, its pinned edge stays, and the cache is what the modifier plays."""
    ob = rope(blender)
    save(blender, tmp_path)
    job = bake(blender)
    blender.context.scene.frame_set(4)
    x = shown(blender, ob)
    assert len(x) == 13 and job.state == "done" and len(cache(job, "Rope")) == 4
    assert np.abs(x[:2, 2]).max() < 1e-6 and x[-1, 2] < -0.01
    assert np.isfinite(x).all()


def test_the_preset_gives_the_radius_and_an_attribute_takes_its_place(blender):
    from gpbd.gpbd_addon.read import body_reading

    ob = rope(blender)
    assert ob.gpbd.rope_radius == pytest.approx(0.006)
    read = lambda: body_reading.read(ob, blender.context.evaluated_depsgraph_get(), 1.0).build()
    assert np.allclose(read().radius, 0.006)
    attribute = ob.data.attributes.new("radius", "FLOAT", "POINT")
    attribute.data.foreach_set("value", np.linspace(0.01, 0.02, 13))
    ob.data.update()
    assert np.allclose(read().radius, np.linspace(0.01, 0.02, 13))


def test_a_mesh_with_faces_is_no_rope(blender):
    from gpbd.gpbd_addon.read import body_reading
    from gpbd.solver.errors import SceneError

    ob = scenes.grid(blender)
    blender.context.view_layer.objects.active = ob
    blender.ops.gpbd.add_body(body_type="ROPE")
    with pytest.raises(SceneError, match="36 faces"):
        body_reading.read(ob, blender.context.evaluated_depsgraph_get(), 1.0)


def test_the_surface_has_the_radius_of_the_panel(blender):
    """5 %: a tube of twelve sides is a little thinner between its corners."""
    ob = rope(blender)
    blender.ops.gpbd.show_rope()
    for radius in (0.006, 0.05):
        ob.gpbd.rope_radius = radius
        ob.update_tag()
        blender.context.view_layer.update()
        x = shown(blender, ob)
        assert len(x) > 13 * 10
        assert np.linalg.norm(x[:, 1:], axis=1).max() == pytest.approx(radius, rel=0.05)


def test_the_tension_plays_with_the_cache(blender, tmp_path):
    """A rope that hangs still in a wind: the attribute is the weight below, which the wind bends from plumb, at the top and
    near 0 at its end; the surface has it too. The report has its largest."""
    ob = rope(blender, end=30)
    for k, vertex in enumerate(ob.data.vertices):
        vertex.co = (0, 0, -0.1 * k)
    blender.context.scene.gpbd.damping, ob.gpbd.use_value_attributes = 8.0, True
    blender.context.scene.gpbd.wind = (0.0, 3.0, 0.0)
    blender.ops.gpbd.show_rope()
    save(blender, tmp_path)
    job = bake(blender)
    blender.context.scene.frame_set(30)
    mesh = ob.evaluated_get(blender.context.evaluated_depsgraph_get()).data
    tension = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes["gpbd_tension"].data.foreach_get("value", tension)
    assert "gpbd_contact" not in mesh.attributes and len(tension) > 13 * 10
    weight = 0.006**2 * np.pi * ob.gpbd.density_volume * 9.81 * 1.1
    assert tension.max() == pytest.approx(weight, rel=0.1) and tension.min() < 0.1 * weight
    assert job.report.last.tension == pytest.approx(tension.max(), rel=0.05)
    assert cache(job, "Rope")[-1][:, 1].max() > 0.02


def test_a_keyed_turn_reaches_the_solver(blender):
    from gpbd.gpbd_addon.read import keyed

    ob = rope(blender)
    ob.gpbd.turn_start = 0.0
    ob.gpbd.keyframe_insert("turn_start", frame=1)
    ob.gpbd.turn_start = 2.0
    ob.gpbd.keyframe_insert("turn_start", frame=3)
    blender.context.scene.frame_set(3)
    assert keyed.of_body(ob)["turn_start"] == pytest.approx(2.0)


def spline(bpy, kind):
    """A curve 2 m long along x, of three points, 1 m high, with a bevel of 20 mm and half of that at its end."""
    data = bpy.data.curves.new("Cord", "CURVE")
    data.dimensions, data.bevel_depth = "3D", 0.02
    own = data.splines.new(kind)
    if kind == "BEZIER":
        own.bezier_points.add(2)
        for k, point in enumerate(own.bezier_points):
            point.co, point.handle_left_type, point.handle_right_type = (k, 0, 0), "VECTOR", "VECTOR"
    else:
        own.points.add(2)
        for k, point in enumerate(own.points):
            point.co = (k, 0, 0, 1)
        own.use_endpoint_u = True
    (own.bezier_points if kind == "BEZIER" else own.points)[2].radius = 0.5
    ob = bpy.data.objects.new("Cord", data)
    ob.location = (0, 0, 1)
    bpy.context.scene.collection.objects.link(ob)
    bpy.context.view_layer.objects.active = ob
    return ob


@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "NURBS"])
def test_a_rope_along_a_curve_is_baked_with_its_radius_and_pins(blender, tmp_path, kind):
    """Its first two vertices stay, its end falls, and it is as thick as the curve's bevel and point radius say."""
    from gpbd.gpbd_addon.read import body_reading, modifier

    spline(blender, kind)
    assert blender.ops.gpbd.rope_from_curve(segment=0.1) == {"FINISHED"}
    ob, scene = blender.context.object, blender.context.scene
    scene.gpbd.frame_start, scene.gpbd.frame_end = 1, 4
    blender.context.view_layer.update()
    with modifier.switched_off([ob]):
        depsgraph = blender.context.evaluated_depsgraph_get()
        body = body_reading.read(ob, depsgraph, 1.0).build()
    assert len(body.vertices) == 21 and len(body.edges) == 20
    assert body.radius[0] == pytest.approx(0.02) and body.radius[-1] == pytest.approx(0.01)
    assert list(body.pins.indices) == [0, 1]
    save(blender, tmp_path)
    frames = cache(bake(blender), ob.name)
    assert np.abs(frames[-1][:2] - frames[0][:2]).max() < 1e-6 and frames[-1][-1, 2] < frames[0][-1, 2] - 0.01
    scene.frame_set(4)
    x = shown(blender, ob)
    assert len(x) > 200 and x[:, 2].min() < frames[0][0, 2] - 0.02


def test_adjust_last_operation_of_a_rope_from_a_curve(blender):
    """Blender polls with the rope, which is active, before it undoes and makes it again."""
    curve = spline(blender, "POLY")
    blender.ops.gpbd.rope_from_curve(segment=0.1)
    rope = blender.context.object
    assert rope is not curve and blender.ops.gpbd.rope_from_curve.poll()
    with pytest.raises(RuntimeError, match="no curve"):
        blender.ops.gpbd.rope_from_curve()
    assert [ob for ob in blender.data.objects if ob.gpbd.body_type == "ROPE"] == [rope]


def test_a_hook_of_the_curve_moves_the_pinned_end(blender, tmp_path):
    """The curve's first point is moved by half a metre over three frames; the rope's first vertex goes with it."""
    curve = spline(blender, "POLY")
    blender.ops.gpbd.rope_from_curve(segment=0.1)
    ob, scene = blender.context.object, blender.context.scene
    scene.gpbd.frame_start, scene.gpbd.frame_end = 1, 4
    empty = blender.data.objects.new("Hand", None)
    scene.collection.objects.link(empty)
    empty.location = curve.matrix_world @ curve.data.splines[0].points[0].co.xyz
    blender.context.view_layer.update()
    hook = curve.modifiers.new("Hook", "HOOK")
    hook.object, hook.strength = empty, 1.0
    hook.vertex_indices_set([0])
    hook.matrix_inverse = empty.matrix_world.inverted()
    scenes.move(empty, (1, 4), (tuple(empty.location), tuple(empty.location + type(empty.location)((0, 0.5, 0)))))
    save(blender, tmp_path)
    frames = cache(bake(blender), ob.name)
    assert frames[-1][0, 1] - frames[0][0, 1] == pytest.approx(0.5, abs=1e-3)


def keyed(owner, name, values):
    """Keys of a property, by their frames."""
    for frame, value in values.items():
        setattr(owner, name, value)
        owner.keyframe_insert(name, frame=frame)


def test_a_keyed_radius_lifts_a_rope_and_a_keyed_shrink_draws_it_in(blender, tmp_path):
    """A millimetre: a rope on a floor, of 6 mm and then 30; 3 % of its length, a fifth of which goes, for friction. Its
    surface is as thick, to 10 % of a polygon of twelve sides."""
    ob, scene = rope(blender, end=24), blender.context.scene
    scenes.floor(blender)
    ob.location, scene.gpbd.damping = (0, 0, 0.006 + 0.001), 6.0
    ob.gpbd.pin_group = ""
    keyed(ob.gpbd, "rope_radius_mm", {1: 6.0, 3: 6.0, 6: 30.0})
    keyed(ob.gpbd, "shrink_min", {1: 0.0, 3: 0.0, 10: 0.2})
    blender.ops.gpbd.show_rope()
    save(blender, tmp_path)
    frames = cache(bake(blender), "Rope")
    lengths = np.linalg.norm(np.diff(frames, axis=1), axis=2).sum(1)
    rise = (frames[-1] - frames[2])[:, 2].mean()
    assert rise == pytest.approx(0.024, abs=1e-3)
    assert lengths[2] == pytest.approx(1.0, rel=1e-3) and lengths[-1] == pytest.approx(0.8, rel=0.03)
    scene.frame_set(24)
    assert np.ptp(shown(blender, ob)[:, 2]) == pytest.approx(0.06, rel=0.1)


def test_keyed_radii_of_the_points_of_a_curve_are_read_at_each_frame(blender, tmp_path):
    """Metres of the panel: the bevel of 20 mm times that of the point."""
    from gpbd.gpbd_addon.read import modifier, scene_input

    curve = spline(blender, "POLY")
    keyed(curve.data.splines[0].points[0], "radius", {1: 1.0, 3: 2.0})
    blender.ops.gpbd.rope_from_curve(segment=0.1)
    ob, scene = blender.context.object, blender.context.scene
    scene.gpbd.frame_start, scene.gpbd.frame_end = 1, 4
    with modifier.switched_off([ob]):
        layer = blender.context.view_layer.name
        world = scene_input.gather(scene, layer, [ob])
        radii = [scene_input.read_frame(scene, layer, world, frame).numbers.radii for frame in (1, 3)]
    assert radii[0] == {} and radii[1][ob.name][[0, -1]] == pytest.approx([0.04, 0.01])
