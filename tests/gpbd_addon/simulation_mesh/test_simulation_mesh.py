"""A simulation mesh is one even sheet of the garment, with what that has, and the garment follows it."""

import numpy as np
import pytest

from tests.gpbd_addon.simulation_mesh import garments
from tests.gpbd_addon.simulation_mesh.garments import HEIGHT, RADIUS, THICKNESS, move, positions

EDGE = 0.03


@pytest.fixture
def coat(blender):
    return garments.coat(blender)


def make(blender, ob, edge=EDGE, **options):
    blender.context.view_layer.objects.active = ob
    assert blender.ops.gpbd.make_simulation_mesh(edge=edge, **options) == {"FINISHED"}
    return ob.gpbd.simulation_mesh


def shape(ob):
    from gpbd.gpbd_addon.simulation_mesh import remesh

    return remesh._shape(ob.data)


def snapshot(ob):
    """All that Remove Simulation Mesh has to put back."""
    settings = {p.identifier: getattr(ob.gpbd, p.identifier) for p in ob.gpbd.bl_rna.properties if p.type != "POINTER"}
    settings = {name: value for name, value in settings.items() if isinstance(value, (str, int, float, bool))}
    modifiers = [(md.name, md.type, md.show_viewport, md.show_render) for md in ob.modifiers]
    return settings, modifiers, sorted(ob.data.attributes.keys()), ob.gpbd.follow_object


@pytest.mark.parametrize("rims", [True, False])
def test_two_layers_become_one_sheet_of_quads_with_the_openings_of_the_garment(blender, rims):
    """One part, two borders, Euler characteristic of a tube; edges within a third of the request, the sheet in the
    middle of the layers within the height of a chord of three edges."""
    twin = make(blender, garments.coat(blender, rims=rims))
    assert shape(twin) == (1, 2, 0)
    assert {len(face.vertices) for face in twin.data.polygons} == {4}
    x = positions(twin)
    ends = np.array([edge.vertices[:] for edge in twin.data.edges])
    assert np.median(np.linalg.norm(x[ends[:, 0]] - x[ends[:, 1]], axis=1)) == pytest.approx(EDGE, rel=0.33)
    middle = RADIUS - THICKNESS / 2 if rims else RADIUS
    assert np.abs(np.linalg.norm(x[:, :2], axis=1) - middle).max() < (1.5 * EDGE) ** 2 / (2 * RADIUS)
    assert np.ptp(x[:, 2]) == pytest.approx(HEIGHT, abs=0.2 * EDGE)


@pytest.mark.long
def test_triangles_and_both_layers_are_made_where_they_are_asked_for(blender, coat):
    twin = make(blender, coat, quads=False, one_sheet=False)
    assert {len(face.vertices) for face in twin.data.polygons} == {3}
    assert shape(twin)[1] == 0  # closed, as the coat is


def test_the_garment_is_where_it_was_and_turns_with_the_sheet_as_one(blender, coat):
    """Both in single precision, of a metre."""
    x = positions(coat)
    twin = make(blender, coat)
    assert np.abs(positions(coat, True) - x).max() < 1e-6
    a = 0.7
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    move(twin, positions(twin) @ turn.T + [0.3, 0.1, 0.2])
    assert np.abs(positions(coat, True) - (x @ turn.T + [0.3, 0.1, 0.2])).max() < 2e-6


def test_the_layers_keep_their_distance_and_buttons_their_shape_where_the_sheet_is_bent(blender, coat):
    """The tube is bent to a torus of 1 m: the distance of layers changes by what faces turn within an edge."""
    twin = make(blender, coat)
    x = positions(twin)
    angle = x[:, 2] / 1.0
    move(twin, np.c_[(1 + x[:, 0]) * np.cos(angle) - 1, x[:, 1], (1 + x[:, 0]) * np.sin(angle)])
    y = positions(coat, True)
    n = 96 * 61
    assert np.linalg.norm(y[:n] - y[n : 2 * n], axis=1) == pytest.approx(THICKNESS, rel=0.05)
    button = y[2 * n : 2 * n + 8]
    sides = np.linalg.norm(button[[0, 0, 0]] - button[[1, 2, 4]], axis=1)
    assert sides == pytest.approx(0.01, rel=0.02)


def test_pins_uvs_seams_and_materials_go_over(blender, coat):
    """Weights and UVs by interpolation: to an edge of the garment, and of the chords that the new faces are."""
    for name in "AB":
        coat.data.materials.append(blender.data.materials.new(name))
    for face in coat.data.polygons:
        face.material_index = int(face.center.z < HEIGHT / 2)
    twin = make(blender, coat)
    x = positions(twin)
    weight = [sum(g.weight for g in vertex.groups) for vertex in twin.data.vertices]
    assert np.array_equal(np.array(weight) > 0.5, x[:, 2] > HEIGHT - 0.055)
    loops = np.array([loop.vertex_index for loop in twin.data.loops])
    uv = np.array([item.uv[:] for item in twin.data.uv_layers["UVMap"].data])
    assert np.abs(uv[:, 1] - x[loops, 2]).max() < 0.2 * EDGE
    around = (uv[:, 0] / RADIUS - np.arctan2(x[loops, 1], x[loops, 0]) + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(around).max() * RADIUS < 0.2 * EDGE
    width = [np.ptp(uv[face.loop_indices, 0]) for face in twin.data.polygons]
    assert max(width) < 2.5 * EDGE  # no face goes over the cut
    seam = [edge for edge in twin.data.edges if edge.use_seam]
    at = np.array([np.mean([x[k] for k in edge.vertices], axis=0) for edge in seam])
    assert np.abs(at[:, 1]).max() < 1.5 * EDGE and (at[:, 0] > 0).all()
    assert np.ptp(at[:, 2]) > HEIGHT - 2 * EDGE and HEIGHT / EDGE * 0.7 < len(seam) < HEIGHT / EDGE * 2.5
    assert [slot.material.name for slot in twin.material_slots] == ["A", "B"]
    lower = np.array([face.center.z < HEIGHT / 2 for face in twin.data.polygons])
    assert np.mean(lower == [face.material_index for face in twin.data.polygons]) > 0.97


def test_it_is_a_wire_that_is_not_rendered_and_a_cloth(blender, coat):
    twin = make(blender, coat)
    assert twin.display_type == "WIRE" and twin.hide_render and twin.parent == coat
    assert twin.gpbd.body_type == "CLOTH" and coat.gpbd.body_type == "NONE"
    assert blender.context.object == twin and twin.users_collection == coat.users_collection


def test_settings_keys_and_the_armature_of_a_body_go_over_and_come_back(blender, coat):
    from gpbd.gpbd_addon.read import following

    rig = blender.data.objects.new("Rig", blender.data.armatures.new("Rig"))
    blender.context.scene.collection.objects.link(rig)
    coat.parent = rig
    coat.modifiers.new("Armature", "ARMATURE").object = rig
    coat.modifiers.new("Subdivision", "SUBSURF").show_viewport = False
    blender.ops.gpbd.add_body(body_type="CLOTH")
    coat.gpbd.pin_group, coat.gpbd.friction = "pins", 0.77
    coat.keyframe_insert("gpbd.friction", frame=1)
    before = snapshot(coat)
    twin = make(blender, coat)
    assert [md.type for md in twin.modifiers] == ["ARMATURE", "MESH_CACHE"] and twin.modifiers[0].object == rig
    assert [md.type for md in coat.modifiers if md.show_viewport] == ["NODES"]
    assert coat.modifiers.find("GPBD Follow") < coat.modifiers.find("Subdivision")
    assert (twin.gpbd.pin_group, twin.gpbd.friction) == ("pins", pytest.approx(0.77))
    assert following.target(twin)[0] == rig and twin.gpbd.uuid != coat.gpbd.uuid
    twin.gpbd.friction = 0.5  # keyed
    blender.context.scene.frame_set(1)
    assert twin.gpbd.friction == pytest.approx(0.77)
    twin.gpbd.density_area = 0.4
    assert blender.ops.gpbd.remove_simulation_mesh() == {"FINISHED"}
    assert coat.gpbd.density_area == pytest.approx(0.4)  # later settings are kept
    coat.gpbd.density_area = before[0]["density_area"]
    blender.context.scene.frame_set(1)
    assert snapshot(coat) == before
    assert [ob.name for ob in blender.data.objects] == ["Coat", "Rig"] and not blender.data.node_groups


def test_removed_and_undone_it_is_as_before(blender, coat):
    before, x = snapshot(coat), positions(coat)
    blender.ops.ed.undo_push(message="before")
    make(blender, coat)
    blender.ops.ed.undo_push(message="made")
    blender.ops.ed.undo()
    coat = blender.data.objects["Coat"]
    assert snapshot(coat) == before and [ob.name for ob in blender.data.objects] == ["Coat"]
    make(blender, coat)
    blender.ops.gpbd.remove_simulation_mesh(object_name="Coat")
    assert snapshot(coat) == before and np.array_equal(positions(coat, True), x)


def findings(blender):
    from gpbd.gpbd_addon.bake import scene_findings
    from gpbd.gpbd_addon.read import taking_part

    scene = blender.context.scene
    found = scene_findings.look(scene, taking_part.simulated(scene))
    return [one for one in found if "simulation_mesh" in one.operator]


def press(blender, found):
    room, name = found.operator.split(".")
    assert getattr(getattr(blender.ops, room), name)(**found.values) == {"FINISHED"}


def test_edits_of_the_garment_follow_without_binding(blender, coat):
    import bmesh

    twin = make(blender, coat)
    work = bmesh.new()
    work.from_mesh(coat.data)
    bmesh.ops.subdivide_edges(work, edges=work.edges[:400], cuts=1, use_grid_fill=True)
    for vertex in work.verts:
        vertex.co.z += 0.002
    work.to_mesh(coat.data)
    work.free()
    assert not findings(blender)
    x = positions(coat)
    assert np.abs(positions(coat, True) - x).max() < 1e-6
    move(twin, positions(twin) + [1, 2, 3])
    assert np.abs(positions(coat, True) - (x + [1, 2, 3])).max() < 2e-6


def test_a_part_that_was_joined_to_the_garment_is_told_and_bound_by_a_button(blender, coat):
    import bmesh

    make(blender, coat)
    work = bmesh.new()
    work.from_mesh(coat.data)
    bmesh.ops.create_cube(work, size=0.02)
    work.to_mesh(coat.data)
    work.free()
    (found,) = findings(blender)
    assert "8 vertices are new" in found.text and found.button == "Bind Again"
    press(blender, found)
    assert not findings(blender)


def test_a_simulation_mesh_that_was_made_anew_or_deleted_is_told(blender, coat):
    twin = make(blender, coat)
    twin.data.attributes.remove(twin.data.attributes["gpbd_rest"])
    (found,) = findings(blender)
    press(blender, found)
    assert not findings(blender)
    for collection in list(twin.users_collection):
        collection.objects.unlink(twin)
    (found,) = findings(blender)
    assert found.text == "Coat: its simulation mesh is gone. Remove what is left of it."
    press(blender, found)
    assert not coat.modifiers and not coat.gpbd.before_simulation_mesh


def test_what_cannot_have_one_says_why(blender, coat):
    twin = make(blender, coat)
    with pytest.raises(RuntimeError, match="has a simulation mesh, or is one"):
        blender.ops.gpbd.make_simulation_mesh()
    blender.ops.gpbd.remove_simulation_mesh()
    del twin
    blender.ops.gpbd.add_body(body_type="SOFT_BODY")
    with pytest.raises(RuntimeError, match="GPBD Soft Body; wanted a cloth"):
        blender.ops.gpbd.make_simulation_mesh()


@pytest.mark.slow
def test_a_bake_moves_the_garment(blender, coat, tmp_path):
    """The sheet hangs by its pins and falls below them; the garment stays beside it, within an edge and a half, and
    at the pins within what its thickness turns."""
    from tests.gpbd_addon.scenes import bake, save

    twin = make(blender, coat, edge=0.05)
    twin.gpbd.pin_group = "pins"
    save(blender, tmp_path)
    blender.context.scene.gpbd.wind = (0, -20, 0)
    bake(blender, frames=(1, 8))
    blender.context.scene.frame_set(8)
    x, y = positions(coat), positions(coat, True)
    assert np.abs(y - x).max() > 0.01
    there = positions(twin, True)
    assert np.abs(y[:, None, :] - there[None]).sum(2).min(1).max() < 0.05 * 1.5
    top = x[:, 2] > HEIGHT - 1e-4
    assert np.abs(y[top] - x[top]).max() < 2 * THICKNESS
