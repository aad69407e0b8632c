"""Shape properties of a cloth in Blender: rest shape key, dynamic mesh, shrink."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes


def with_keys(bpy, name="Flag"):
    """A cloth whose key 'Wide' is 1.25 times as wide as its basis and bent."""
    ob = scenes.cloth(bpy, name, pins=[0, 6])
    ob.shape_key_add(name="Basis")
    wide = ob.shape_key_add(name="Wide")
    x = np.array([point.co for point in wide.data], np.float32)
    x[:, 0] *= np.float32(1.25)
    x[:, 2] += np.float32(0.125) * x[:, 1]
    wide.data.foreach_set("co", x.ravel())
    wide.value = 0.0
    return ob, x


def test_a_rest_shape_key_is_as_a_start_attribute_bit_for_bit(blender, tmp_path):
    """None: the mesh begins in the key 'Wide' and its rest is the basis; or the mesh is the basis, and begins where the key
    is. The solver gets the same numbers either way."""
    from gpbd.gpbd_addon.read import start_shape

    results = []
    for by_key in (True, False):
        blender.ops.wm.read_homefile(use_empty=True)
        scenes.save(blender, tmp_path)
        ob, wide = with_keys(blender)
        ob.vertex_groups.remove(ob.vertex_groups["pins"])
        ob.gpbd.pin_group = ""
        if by_key:
            ob.show_only_shape_key, ob.active_shape_key_index = True, 1
            ob.gpbd.rest_shape_key = "Basis"
        else:
            start_shape.write(ob, wide)
        results.append(np.array(scenes.cache(scenes.bake(blender))))
    assert np.ptp(results[0][0][:, 0]) == pytest.approx(1.25) and np.ptp(results[0][-1][:, 0]) < 1.24
    assert np.array_equal(*results)


def test_a_rest_shape_key_that_is_missing_is_told(blender, tmp_path):
    """None: it names the object, the key and those that there are."""
    from gpbd.solver.errors import SceneError

    scenes.save(blender, tmp_path)
    ob, _ = with_keys(blender)
    ob.gpbd.rest_shape_key = "Narrow"
    with pytest.raises(SceneError, match="Flag: the rest shape key 'Narrow' is missing; the shape keys are: Basis, Wide"):
        scenes.bake(blender)


def test_the_mesh_below_the_modifier_is_the_rest_shape_at_every_frame(blender, tmp_path):
    """1 %: a tenth of the growth, which damping leaves in the last of the frames. Without Dynamic Mesh nothing changes."""
    widths = []
    for dynamic in (True, False):
        blender.ops.wm.read_homefile(use_empty=True)
        scenes.save(blender, tmp_path)
        ob, _ = with_keys(blender)
        ob.gpbd.pin_group, blender.context.scene.use_gravity = "", False
        ob.gpbd.use_dynamic_mesh, ob.gpbd.stvk_membrane.damping = dynamic, 0.05
        blender.context.scene.gpbd.frame_end = 12
        key = ob.data.shape_keys.key_blocks["Wide"]
        for frame, value in ((1, 0.0), (6, 1.0)):
            key.value = value
            key.keyframe_insert("value", frame=frame)
        widths.append(np.ptp(scenes.cache(scenes.bake(blender))[-1][:, 0]))
    assert widths == [pytest.approx(1.25, rel=0.01), pytest.approx(1.0, abs=1e-5)]


def test_a_painted_shrink_is_from_its_minimum_to_its_maximum(blender, tmp_path):
    """2 %: the border between what shrinks by 0.3 and what stays is one cell, a sixth of the width, wide; the edge far from
    it keeps its length, the other loses its share (0.4 and 0.8 % after the last frame, when it hardly swings any more)."""
    scenes.save(blender, tmp_path)
    ob = scenes.cloth(blender, end=60, n=6)
    blender.context.scene.use_gravity, ob.gpbd.stvk_membrane.damping = False, 0.05
    upper = [k for k in range(49) if k // 7 > 3]
    ob.vertex_groups.new(name="small").add(upper, 1.0, "REPLACE")
    ob.gpbd.vertex_group_shrink, ob.gpbd.shrink_min, ob.gpbd.shrink_max = "small", 0.0, 0.3
    x = scenes.cache(scenes.bake(blender))[-1].reshape(7, 7, 3)
    length = np.linalg.norm(np.diff(x, axis=1), axis=2).sum(1)
    assert length[0] == pytest.approx(1.0, rel=0.02) and length[6] == pytest.approx(0.7, rel=0.02)


def test_edges_without_faces_sew_a_mesh_of_blender(blender, tmp_path):
    """0.5 mm, a tenth of the distance that the cloth keeps from itself: two strips 5 cm apart, bridged by loose edges, are
    one. With a strength of 0 from frame 18 on they fall apart again under their weights."""
    scenes.save(blender, tmp_path)
    t = np.linspace(0, 0.5, 6)
    left = [(x, y, 0.0) for x in (0.0, 0.1) for y in t]
    right = [(x + 0.15, y, 0.0) for x in (0.0, 0.1) for y in t]
    faces = [(k + s, k + s + 6, k + s + 7, k + s + 1) for s in (0, 12) for k in range(5)]
    mesh = blender.data.meshes.new("Strips")
    mesh.from_pydata(left + right, [(6 + k, 12 + k) for k in range(6)], faces)
    ob = blender.data.objects.new("Flag", mesh)
    blender.context.scene.collection.objects.link(ob)
    scenes.body(blender, ob, "CLOTH", pins=[18, 19, 20, 21, 22, 23], end=24)
    ob.gpbd.use_sewing_springs = ob.gpbd.self_contact = True
    for frame, value in ((1, 1.0), (17, 1.0), (18, 0.0)):
        ob.gpbd.sewing_strength = value
        ob.keyframe_insert("gpbd.sewing_strength", frame=frame)
    x = scenes.cache(scenes.bake(blender)).astype(float)
    gap = np.linalg.norm(x[:, 12:18] - x[:, 6:12], axis=2).max(1)
    assert gap[0] == pytest.approx(0.05) and gap[16] < 5e-4 and gap[-1] > 0.05


def test_a_cube_of_cloth_is_filled(blender, tmp_path):
    """10 %: of the volume that it is to have, of which the pressure of a taut cloth takes a share."""
    scenes.save(blender, tmp_path)
    ob = scenes.cube(blender, "Flag")
    scenes.body(blender, ob, "CLOTH", end=12)
    blender.context.scene.use_gravity = False
    ob.gpbd.use_pressure = ob.gpbd.use_pressure_volume = True
    ob.gpbd.target_volume, ob.gpbd.pressure_factor = 1.2, 1e5
    x = scenes.cache(scenes.bake(blender))[-1].astype(float)
    ob.data.calc_loop_triangles()
    t = np.array([tuple(face.vertices) for face in ob.data.loop_triangles])
    assert np.linalg.det(x[t]).sum() / 6 == pytest.approx(1.2, rel=0.1)
