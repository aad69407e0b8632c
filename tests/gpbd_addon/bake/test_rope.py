"""Ropes in Blender: edges of a mesh, read, baked, played and shown with their radius."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache, save


def rope(bpy, name="Rope", count=12, length=1.0, end=4, pins=(0, 1)):
    mesh = bpy.data.meshes.new(name)
    points = [(length * k / count, 0.0, 0.0) for k in range(count + 1)]
    mesh.from_pydata(points, [(k, k + 1) for k in range(count)], [])
    ob = bpy.data.objects.new(name, mesh)
    ob.location = (0, 0, 1)
    bpy.context.scene.collection.objects.link(ob)
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
    from gpbd.gpbd_addon.read import body_input

    ob = rope(blender)
    assert ob.gpbd.rope_radius == pytest.approx(0.006)
    read = lambda: body_input.read(ob, blender.context.evaluated_depsgraph_get(), 1.0).build()  # noqa: E731
    assert np.allclose(read().radius, 0.006)
    attribute = ob.data.attributes.new("radius", "FLOAT", "POINT")
    attribute.data.foreach_set("value", np.linspace(0.01, 0.02, 13))
    ob.data.update()
    assert np.allclose(read().radius, np.linspace(0.01, 0.02, 13))


def test_a_mesh_with_faces_is_no_rope(blender):
    from gpbd.gpbd_addon.read import body_input
    from gpbd.solver.errors import SceneError

    ob = scenes.grid(blender)
    blender.context.view_layer.objects.active = ob
    blender.ops.gpbd.add_body(body_type="ROPE")
    with pytest.raises(SceneError, match="36 faces"):
        body_input.read(ob, blender.context.evaluated_depsgraph_get(), 1.0)


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


def test_a_keyed_turn_reaches_the_solver(blender):
    from gpbd.gpbd_addon.read import keyed

    ob = rope(blender)
    ob.gpbd.turn_start = 0.0
    ob.gpbd.keyframe_insert("turn_start", frame=1)
    ob.gpbd.turn_start = 2.0
    ob.gpbd.keyframe_insert("turn_start", frame=3)
    blender.context.scene.frame_set(3)
    assert keyed.of_body(ob)["turn_start"] == pytest.approx(2.0)
