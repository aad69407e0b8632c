"""Instances of Geometry Nodes collide as real geometry does."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes

COUNT, STEP, SIZE = 3, 0.5, 0.2


def cubes(blender, ob, shown=None, realize=False, turned=(0, 0, 0)):
    """Geometry Nodes that show cubes, or another object, in a row beside what the object is; returns the row."""
    tree = blender.data.node_groups.new("Row", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    row, place = tree.nodes.new("GeometryNodeMeshLine"), tree.nodes.new("GeometryNodeInstanceOnPoints")
    join = tree.nodes.new("GeometryNodeJoinGeometry")
    row.inputs["Count"].default_value = COUNT
    row.inputs["Start Location"].default_value, row.inputs["Offset"].default_value = (-STEP, 0, 0), (STEP, 0, 0)
    place.inputs["Rotation"].default_value = turned
    if shown is None:
        cube = tree.nodes.new("GeometryNodeMeshCube")
        cube.inputs["Size"].default_value = (SIZE, SIZE, SIZE)
        source = cube.outputs[0]
    else:
        info = tree.nodes.new("GeometryNodeObjectInfo")
        info.inputs["Object"].default_value, info.inputs["As Instance"].default_value = shown, True
        source = info.outputs["Geometry"]
    tree.links.new(row.outputs[0], place.inputs["Points"])
    tree.links.new(source, place.inputs["Instance"])
    made = place.outputs[0]
    if realize:
        real = tree.nodes.new("GeometryNodeRealizeInstances")
        tree.links.new(made, real.inputs[0])
        made = real.outputs[0]
    tree.links.new(made, join.inputs[0])
    tree.links.new(begin.outputs[0], join.inputs[0])
    tree.links.new(join.outputs[0], end.inputs[0])
    ob.modifiers.new("Row", "NODES").node_group = tree
    return row


def collider(ob):
    ob.modifiers.new("Collision", "COLLISION")
    return ob


def read(blender):
    from gpbd.gpbd_addon.read import collider_inputs, scene_input

    scene = blender.context.scene
    return collider_inputs.read(scene, scene_input.depsgraph_of(scene, blender.context.view_layer.name), 1.0)


def volume(one):
    a, b, c = (one.vertices[one.triangles[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


@pytest.mark.parametrize("mirrored", [False, True])
def test_instances_are_part_of_the_collider_and_are_what_realized_ones_are(blender, mirrored):
    """1e-6 m: single precision of Blender's matrices. The volume of cubes whose faces look outwards is positive."""
    for name, real in (("Shown", False), ("Real", True)):
        ob = scenes.mesh_object(blender, name, [(0, 0, 5), (1, 0, 5), (0, 1, 5)], [(0, 1, 2)], location=(1, 2, 3))
        cubes(blender, ob, realize=real, turned=(0.3, 0.2, 0.1))
        ob.scale = (-2 if mirrored else 2, 2, 2)
        collider(ob)
    real, shown = read(blender).colliders
    assert (real.name, shown.name) == ("Real", "Shown") and len(shown.vertices) == 3 + 8 * COUNT
    order = [np.lexsort(np.round(one.vertices, 4).T) for one in (real, shown)]
    assert np.abs(real.vertices[order[0]] - shown.vertices[order[1]]).max() < 1e-6
    assert len(shown.triangles) == 1 + 12 * COUNT
    cubes_alone = volume(shown) - np.linalg.det(shown.vertices[[0, 1, 2]]) / 6 * (-1 if mirrored else 1)
    assert cubes_alone == pytest.approx(COUNT * (2 * SIZE) ** 3, rel=1e-5)


def test_a_cloth_lies_on_instances_that_move_and_whose_number_changes(blender, tmp_path):
    """Without them it would fall by 1 m in half a second. 3.5 cm: the distance that both keep, the sheet's folds, which are
    up to 2.8 cm high by rounding, and half a millimetre that it flies on as the cubes stop."""
    ob = scenes.mesh_object(blender, "Row", [(0, 0, -5), (1, 0, -5), (0, 1, -5)], [(0, 1, 2)], location=(0, 0, 0))
    row = cubes(blender, ob)
    collider(ob)
    ob.collision.thickness_outer = 0.002
    scenes.move(ob, [1, 12], [(0, 0, 0), (0, 0, 0.05)])
    for frame, count in ((5, COUNT), (6, COUNT + 1)):
        row.inputs["Count"].default_value = count
        row.inputs["Count"].keyframe_insert("default_value", frame=frame)
    sheet = scenes.cloth(blender, "Sheet", n=10, end=12, location=(0, 0, SIZE / 2 + 0.01), size=0.9)
    scenes.save(blender, tmp_path)
    job = scenes.bake(blender)
    assert job.state == "done", job.reason
    told = [text for text in job.report.warnings if "is another mesh at frame 6" in text]
    assert len(told) == 1 and f"of {3 + 8 * (COUNT + 1)} vertices" in told[0]
    middle = scenes.cache(job, "Sheet")[-1].reshape(11, 11, 3)[5, 5, 2] + sheet.location.z
    assert 0.05 + SIZE / 2 < middle < 0.05 + SIZE / 2 + 0.035


def test_instances_of_nodes_in_a_collection_that_is_instanced_collide_too(blender):
    """Twice the collection, and each has the object's own mesh beside three cubes."""
    inner = blender.data.collections.new("Set")
    ob = collider(scenes.grid(blender, "Floor", 2))
    cubes(blender, ob)
    ob.modifiers.move(1, 0)
    blender.context.scene.collection.objects.unlink(ob)
    inner.objects.link(ob)
    for k in range(2):
        empty = blender.data.objects.new(f"Stage {k}", None)
        empty.instance_type, empty.instance_collection, empty.location = "COLLECTION", inner, (0, 0, k)
        blender.context.scene.collection.objects.link(empty)
    found = read(blender)
    assert [one.name for one in found.colliders] == ["Stage 0 > Floor", "Stage 1 > Floor"]
    assert [len(one.vertices) for one in found.colliders] == [9 + 8 * COUNT] * 2
    assert found.shown_by == {"Floor": ["Stage 0 > Floor", "Stage 1 > Floor"]}
    one, other = found.colliders
    assert np.abs(other.vertices - one.vertices - [0, 0, 1]).max() < 1e-6


def test_a_collider_that_others_show_is_told_and_taken_where_they_collide(blender, tmp_path):
    rock = collider(scenes.cube(blender, "Rock", 0.2, (5, 0, 0)))
    field = scenes.grid(blender, "Field", 2, location=(0, 0, 0))
    cubes(blender, field, shown=rock)
    scenes.cloth(blender, end=2)
    scenes.save(blender, tmp_path)
    assert [text for text in scenes.check(blender) if text.startswith("Field: shows 'Rock', a collider")]
    collider(field)
    assert not [text for text in scenes.check(blender) if "shows 'Rock'" in text]
    sizes = {one.name: len(one.vertices) for one in read(blender).colliders}
    assert sizes == {"Field": 9 + 8 * COUNT, "Rock": 8}


def test_a_no_collision_group_is_of_the_objects_own_vertices(blender):
    ob = collider(scenes.grid(blender, "Floor", 2))
    ob.vertex_groups.new(name="free").add([0, 1], 1.0, "REPLACE")
    ob.gpbd.no_contact_group = "free"
    cubes(blender, ob)
    ob.modifiers.move(1, 0)
    (one,) = read(blender).colliders
    assert len(one.without_contact) == 2 and len(one.vertices) == 9 + 8 * COUNT
    assert np.allclose(one.vertices[one.without_contact, 2], 1) and np.isin(one.without_contact, range(9)).all()


def test_find_intersections_looks_at_instances(blender):
    """The cloth lies through the middle of the cubes; the grid that shows them is far below."""
    from gpbd.gpbd_addon.maps import intersections

    ob = scenes.grid(blender, "Row", 2, location=(0, 0, -5))
    place = cubes(blender, ob)
    place.inputs["Start Location"].default_value = (-STEP, 0, 6)
    collider(ob)
    scenes.cloth(blender, location=(0, 0, 1.03))
    found = intersections.find(blender.context.scene)
    assert found.count > 0 and {(at.one, at.other) for at in found.locations} == {("Flag", "Row")}
