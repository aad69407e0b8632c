"""Cloth that tears in Blender: two modifiers of Blender's own, and a cache that plays without us."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes


def flag(bpy, folder, strength=0.5, group=False):
    """A flag of 6 x 6 squares that hangs by its left border and whose right one is pulled down by its own weight."""
    from gpbd.gpbd_addon.bake import playback

    scenes.save(bpy, folder)
    ob = scenes.cloth(bpy, "Flag", pins=range(7), n=6, end=8)
    playback.ensure(ob)
    ob.data.polygons.foreach_set("use_smooth", [True] * len(ob.data.polygons))
    if group:
        ob.vertex_groups.new(name="tears").add(list(range(24)), 1.0, "REPLACE")
        ob.gpbd.tear_group = "tears"
    ob.gpbd.tear_strength = strength
    ob.gpbd.use_tearing = True
    return ob


def shown(bpy, ob):
    bpy.context.view_layer.update()
    return ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data


def test_a_whole_cloth_is_shown_joined(blender, tmp_path):
    """Until it tears, the mesh has as many vertices and edges as without tearing."""
    ob = flag(blender, tmp_path, strength=1e6)
    names = [md.name for md in ob.modifiers]
    assert names.index("GPBD Tear") + 1 == names.index("GPBD Cloth")
    assert names.index("GPBD Tear Weld") == names.index("GPBD Cloth") + 1
    job = scenes.bake(blender)
    poses = np.array(scenes.cache(job))
    assert poses.shape[1] == 4 * 36  # a copy for each square
    blender.context.scene.frame_set(8)
    mesh = shown(blender, ob)
    assert len(mesh.vertices) == len(ob.data.vertices) and len(mesh.edges) == len(ob.data.edges)


def test_a_torn_cloth_is_shown_apart(blender, tmp_path):
    """It has more vertices there than the mesh, as many as the last frame of the cache has places."""
    ob = flag(blender, tmp_path)
    job = scenes.bake(blender)
    poses = np.array(scenes.cache(job))
    blender.context.scene.frame_set(8)
    mesh = shown(blender, ob)
    assert len(mesh.vertices) > len(ob.data.vertices)
    assert len(mesh.vertices) == len(np.unique(poses[-1], axis=0))


def test_only_a_group_is_split(blender, tmp_path):
    """None: edges without a vertex of the group are whole."""
    ob = flag(blender, tmp_path, strength=1e6, group=True)
    poses = np.array(scenes.cache(scenes.bake(blender)))
    assert len(ob.data.vertices) < poses.shape[1] < 4 * 36


@pytest.mark.parametrize(("choice", "mark"), [("SEAM", "use_seam"), ("SHARP", "use_edge_sharp")])
def test_marked_edges_tear_first(blender, tmp_path, choice, mark):
    """The flag holds but for the marked edges, of which nothing is left: all of its tear is along them."""
    ob = flag(blender, tmp_path, strength=1e6)
    column = ob.data.vertices[2].co.x
    for edge in ob.data.edges:
        setattr(edge, mark, all(abs(ob.data.vertices[v].co.x - column) < 1e-6 for v in edge.vertices))
    marked = sum(getattr(edge, mark) for edge in ob.data.edges)
    ob.gpbd.precut_edges, ob.gpbd.precut_share = choice, 0.0
    scenes.bake(blender)
    blender.context.scene.frame_set(8)
    mesh = shown(blender, ob)
    assert marked > 0 and len(mesh.edges) == len(ob.data.edges) + marked


def test_pre_cut_edges_without_a_mark_are_an_error(blender, tmp_path):
    from gpbd.solver.errors import SceneError

    ob = flag(blender, tmp_path)
    ob.gpbd.precut_edges = "SEAM"
    with pytest.raises(SceneError, match="Flag: its Pre-Cut Edges are Seams, and no edge of its mesh is marked so"):
        scenes.bake(blender)


def test_switched_off_the_modifiers_are_gone(blender, tmp_path):
    ob = flag(blender, tmp_path)
    ob.gpbd.use_tearing = False
    assert [md.name for md in ob.modifiers] == ["GPBD Cloth"]


def test_a_missing_modifier_is_told(blender, tmp_path):
    from gpbd.solver.errors import SceneError

    ob = flag(blender, tmp_path)
    ob.modifiers.remove(ob.modifiers["GPBD Tear"])
    with pytest.raises(SceneError, match="Flag: Tearing is on, and its mesh is not split"):
        scenes.bake(blender)


def test_a_rest_shape_key_fits_the_split_mesh(blender, tmp_path):
    """None: it grows towards the key, which has a vertex for each of the mesh."""
    ob = flag(blender, tmp_path, strength=1e6)
    ob.shape_key_add(name="Basis")
    wide = ob.shape_key_add(name="Wide")
    wide.value = 0.0
    x = np.array([point.co for point in wide.data], np.float32)
    x[:, 0] *= np.float32(1.25)
    wide.data.foreach_set("co", x.ravel())
    ob.gpbd.rest_shape_key = "Wide"
    poses = np.array(scenes.cache(scenes.bake(blender)))
    assert np.ptp(poses[-1][:, 0]) > 1.05


@pytest.mark.parametrize(("strength", "parts"), [(1e6, False), (0.1, True)])
def test_a_rope_is_shown_whole_until_it_parts(blender, tmp_path, strength, parts):
    """A hemp rope of 1 m weighs 1 N: pinned at both ends, with its vertex group, it holds or falls from one of them."""
    scenes.save(blender, tmp_path)
    ob = scenes.edges(blender)
    blender.context.view_layer.objects.active = ob
    blender.ops.gpbd.add_body(body_type="ROPE")
    ob.vertex_groups.new(name="pins").add([0, 1, 11, 12], 1.0, "REPLACE")
    ob.gpbd.pin_group, ob.gpbd.rope_strength, ob.gpbd.use_tearing = "pins", strength, True
    blender.context.scene.gpbd.frame_start, blender.context.scene.gpbd.frame_end = 1, 12
    poses = np.array(scenes.cache(scenes.bake(blender), "Rope"))
    assert poses.shape[1] == 24
    blender.context.scene.frame_set(12)
    mesh = shown(blender, ob)
    count, edges = len(mesh.vertices), len(mesh.edges)
    assert (count > 13) == parts and edges == 12
    assert np.abs(poses[-1][[0, -1]] - poses[0][[0, -1]]).max() < 1e-6
    blender.ops.gpbd.show_rope()
    assert len(shown(blender, ob).vertices) == 12 * count
