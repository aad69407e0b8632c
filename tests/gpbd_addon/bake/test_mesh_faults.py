"""Faults in a mesh that Check Scene finds and repairs by one button."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.bake.test_check_scene import press

MESSAGES = {
    "DOUBLES": "vertices lie on others",
    "SLIVERS": "sliver",
    "FLIPPED": "look to opposite sides",
    "INWARD": "faces look inwards",
}


@pytest.fixture
def flag(blender, tmp_path):
    """With a vertex group, a UV map and a shape key, which are there after a repair."""
    ob = scenes.cloth(blender, pins=range(7), end=2)
    ob.data.uv_layers.new(name="UVMap")
    ob.shape_key_add(name="Basis")
    wide = ob.shape_key_add(name="Wide")
    wide.value = 0.0
    for k, vertex in enumerate(ob.data.vertices):
        wide.data[k].co = vertex.co * 2
    blender.context.view_layer.objects.active = ob
    scenes.save(blender, tmp_path)
    return ob


def edit(ob, action):
    import bmesh

    work = bmesh.new()
    work.from_mesh(ob.data)
    work.verts.ensure_lookup_table()
    work.edges.ensure_lookup_table()
    work.faces.ensure_lookup_table()
    action(work)
    work.to_mesh(ob.data)
    work.free()
    ob.data.update()


def split(work):
    """Along the middle row of edges, as a file that is split at its seams."""
    import bmesh

    middle = [edge for edge in work.edges if all(abs(v.co.y) < 1e-6 for v in edge.verts)]
    assert len(middle) == 6
    bmesh.ops.split_edges(work, edges=middle)


def thin(work):
    """A vertex in the middle of a face and just beside its side, joined to its corners."""
    import bmesh

    face = work.faces[14]
    first, second = face.verts[0].co.copy(), face.verts[1].co.copy()
    made = bmesh.ops.poke(work, faces=[face])["verts"][0]
    side = (first + second) / 2
    made.co = side + (made.co - side) * 1e-3


def flip(work):
    import bmesh

    bmesh.ops.reverse_faces(work, faces=work.faces[10:13])


def told(blender, name):
    return [text for text in scenes.check(blender) if MESSAGES[name] in text]


@pytest.mark.parametrize(
    ("name", "spoil", "count"), [("DOUBLES", split, "7 "), ("SLIVERS", thin, "1 "), ("FLIPPED", flip, "8 ")]
)
def test_each_fault_is_told_and_put_right_by_its_button(blender, flag, name, spoil, count):
    """The mesh keeps its area, paint, UV maps and keys: to single precision."""
    from gpbd.gpbd_addon.read import evaluated_mesh

    assert scenes.check(blender) == []
    edit(flag, spoil)
    (sentence,) = told(blender, name)
    assert sentence.startswith("Flag: ") and count in sentence
    press(blender, MESSAGES[name])
    assert told(blender, name) == []
    assert sum(face.area for face in flag.data.polygons) == pytest.approx(1.0, rel=1e-5)
    assert [key.name for key in flag.data.shape_keys.key_blocks] == ["Basis", "Wide"] and len(flag.data.uv_layers) == 1
    wide = flag.data.shape_keys.key_blocks["Wide"].data
    off = [k for k, vertex in enumerate(flag.data.vertices) if not np.allclose(wide[k].co, 2 * vertex.co, atol=1e-5)]
    assert len(off) <= (name == "SLIVERS")  # whose vertex is where the key does not have it
    there = flag.evaluated_get(blender.context.evaluated_depsgraph_get())
    assert evaluated_mesh.weights(there, "pins").sum() == 7
    if name != "SLIVERS":
        assert len(flag.data.vertices) == 49 and len(flag.data.polygons) == 36


def test_a_split_cloth_holds_together_once_it_is_merged(blender, flag):
    """Split, its lower half falls by 0.1 m in 5 frames; merged, its rows stay as near to each other as they hang."""
    blender.context.scene.gpbd.frame_end = 6
    edit(flag, split)
    n = len(flag.data.vertices)
    press(blender, MESSAGES["DOUBLES"])
    assert (n, len(flag.data.vertices)) == (56, 49)
    x = scenes.cache(scenes.bake(blender))[-1].reshape(-1, 3)
    ends = np.array([edge.vertices[:] for edge in flag.data.edges])
    assert np.linalg.norm(x[ends[:, 0]] - x[ends[:, 1]], axis=1).max() < 1.1 / 6


def test_what_looks_inwards_is_told_of_bodies_and_what_disagrees_of_colliders(blender, tmp_path):
    import bmesh

    jelly, ball = scenes.soft(blender, end=2), scenes.cube(blender, "Ball", 0.5, (0, 0, -2))
    ball.modifiers.new("Collision", "COLLISION")
    scenes.save(blender, tmp_path)
    outwards = told(blender, "INWARD")
    for ob in (jelly, ball):
        edit(ob, lambda work: bmesh.ops.reverse_faces(work, faces=work.faces))
    inwards = told(blender, "INWARD")
    assert {len(outwards), len(inwards)} == {0, 1} and "Jelly" in (outwards + inwards)[0]  # a room of a collider may
    if outwards:
        for ob in (jelly, ball):
            edit(ob, lambda work: bmesh.ops.reverse_faces(work, faces=work.faces))
    press(blender, MESSAGES["INWARD"])
    assert told(blender, "INWARD") == []
    edit(ball, lambda work: bmesh.ops.reverse_faces(work, faces=work.faces[:1]))
    assert "Ball: the faces at 4 edges" in told(blender, "FLIPPED")[0]
    press(blender, MESSAGES["FLIPPED"])
    assert told(blender, "FLIPPED") == []


def test_seams_that_are_sewn_and_what_a_weld_joins_are_no_fault(blender, flag):
    edit(flag, split)
    weld = flag.modifiers.new("Weld", "WELD")
    flag.shape_key_clear()
    assert told(blender, "DOUBLES") == []
    flag.modifiers.remove(weld)
    assert told(blender, "DOUBLES")

    def sew(work):
        rows = {}
        for vertex in work.verts:
            rows.setdefault(tuple(round(c, 5) for c in vertex.co), []).append(vertex)
        for pair in rows.values():
            if len(pair) == 2:
                work.edges.new(pair)

    flag.gpbd.use_sewing_springs = True
    edit(flag, sew)
    assert told(blender, "DOUBLES") == []


def test_a_repair_is_one_step_of_undo_and_what_cannot_be_edited_is_refused(blender, flag):
    edit(flag, split)
    blender.ops.ed.undo_push(message="split")
    assert blender.ops.gpbd.repair_mesh("EXEC_DEFAULT", True, object_name="Flag", fault="DOUBLES") == {"FINISHED"}
    assert len(blender.data.objects["Flag"].data.vertices) == 49
    blender.ops.ed.undo()
    assert len(blender.data.objects["Flag"].data.vertices) == 56
    with pytest.raises(RuntimeError, match="is no mesh that can be edited here"):
        blender.ops.gpbd.repair_mesh(object_name="Gone", fault="DOUBLES")


def branch(work):
    """A third sheet of two faces stands on an edge of the middle row, and is joined by it."""
    from mathutils import Vector

    middle = next(edge for edge in work.edges if all(abs(v.co.y) < 1e-6 for v in edge.verts))
    rows = [list(middle.verts)]
    for height in (0.1, 0.2):
        rows.append([work.verts.new(v.co + Vector((0.0, 0.0, height))) for v in middle.verts])
        work.faces.new((*rows[-2], *reversed(rows[-1])))


def test_where_three_sheets_meet_the_one_too_many_is_selected_and_split_off(blender, flag):
    edit(flag, branch)
    press(blender, "more than two faces")
    assert flag.mode == "EDIT"
    blender.ops.mesh.split()  # the key Y
    blender.ops.transform.translate(value=(0.0, 0.0, 0.05))
    blender.ops.object.mode_set(mode="OBJECT")
    assert len(flag.data.polygons) == 38 and sum(face.select for face in flag.data.polygons) == 2
    assert scenes.check(blender) == []
