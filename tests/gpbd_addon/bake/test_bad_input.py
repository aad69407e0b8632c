"""Bad input of users: each error names its remedy, and the scene and older caches stay as they were."""

import re
from pathlib import Path

import numpy as np
import pytest

from solver.cache import pc2 as frames
from solver.cache.pc2_writer import Pc2Writer
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def refused(blender, tmp_path):
    """Bakes, expects an error that says all of `wanted`, and looks whether the scene was put back."""
    from gpbd.solver.errors import GpbdError

    def check(*wanted, **options):
        scene = blender.context.scene
        scene.frame_set(5)
        with pytest.raises(GpbdError) as caught:
            bake(blender, out=str(tmp_path), **options)
        for text in wanted:
            assert text in str(caught.value)
        assert scene.frame_current == 5
        assert all(md.show_viewport for ob in scene.objects for md in ob.modifiers)
        assert not list(tmp_path.glob("*.part"))

    return check


def replace(ob, vertices, faces):
    ob.data.clear_geometry()
    ob.data.from_pydata(vertices, [], faces)
    ob.data.update()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_coordinates_that_are_not_finite(blender, refused, value):
    ob = scenes.cloth(blender)
    positions = np.array([vertex.co for vertex in ob.data.vertices], np.float32)
    positions[3, 0] = value
    ob.data.attributes["position"].data.foreach_set("vector", positions.ravel())  # `co` would take a large number instead
    refused("Flag", "vertex 3", "not finite")


def test_a_vertex_that_is_too_far_away(blender, refused):
    """Its faces have no area in single precision, but the message names the distance."""
    ob = scenes.cloth(blender)
    positions = np.array([vertex.co for vertex in ob.data.vertices], np.float32)
    positions[3, 0] = 1e30
    ob.data.attributes["position"].data.foreach_set("vector", positions.ravel())
    refused("Flag: vertices are too large at 1 place", "vertex 3, [1e+30")


@pytest.mark.parametrize(
    ("field", "part"), [("rotation_euler", "rotation or scale"), ("scale", "rotation or scale"), ("location", "location")]
)
@pytest.mark.parametrize("name", ["Flag", "Floor"])
def test_a_transform_that_is_not_finite(blender, refused, name, field, part):
    scenes.cloth(blender)
    scenes.floor(blender)
    getattr(blender.data.objects[name], field)[1] = np.nan
    refused(f"{name}: its {part} is not finite", "nan", "repair its drivers")


def test_a_uv_map_that_is_not_finite(blender, refused):
    """One such number once froze a cloth, and the bake ended well."""
    ob = scenes.cloth(blender)
    layer = ob.data.uv_layers.new(name="Cut")
    uv = np.array([ob.data.vertices[loop.vertex_index].co[:2] for loop in ob.data.loops], np.float32)
    uv[[loop.vertex_index == 8 for loop in ob.data.loops]] = np.nan
    ob.data.attributes[layer.name].data.foreach_set("vector", uv.ravel())
    ob.gpbd.uv_map = "Cut"
    refused("Flag: uv is not finite at 1 place", "vertex 8")


def test_a_uv_map_that_folds_faces_to_a_line(blender, refused):
    """One such face had no direction of warp."""
    ob = scenes.cloth(blender)
    layer = ob.data.uv_layers.new(name="Cut")
    uv = np.array([ob.data.vertices[loop.vertex_index].co[:2] for loop in ob.data.loops], np.float32)
    uv[:8] = uv[:8, :1]
    ob.data.attributes[layer.name].data.foreach_set("vector", uv.ravel())
    ob.gpbd.uv_map = "Cut"
    refused("Flag: ", "no area in the UV map", "Unwrap the mesh again")


def test_pin_weights_that_are_not_finite(blender, refused):
    ob = scenes.cloth(blender)
    weights = np.zeros(49, np.float32)
    weights[[5, 6]] = np.nan, 1.0
    ob.data.attributes.new("Hooks", "FLOAT", "POINT").data.foreach_set("value", weights)
    ob.gpbd.pin_group = "Hooks"
    refused("Flag: pin group 'Hooks' is not finite at 1 place", "vertex 5")


@pytest.mark.long
def test_a_collider_that_jumps_is_told_with_its_frame(blender, tmp_path):
    """51 m in a frame, 36 times the sheet's size: it ejected the cloth by kilometres without a message."""
    scenes.cloth(blender, end=103)
    blender.context.scene.gpbd.frame_start = 101
    ball = scenes.cube(blender, "Ball", 0.4, (0, 0, -20))
    ball.modifiers.new("Collision", "COLLISION")
    scenes.move(ball, [101, 102, 103], [(0, 0, -20), (0, 51, -20), (0, 51, -20)])
    (told,) = [text for text in bake(blender, out=str(tmp_path)).report.warnings if "jump" in text]
    assert told.startswith("Frame 102: the vertices of collider 'Ball' jump 51 m")


@pytest.mark.parametrize("pinned", [False, True])
def test_check_scene_tells_what_jumps_and_in_which_frame(blender, pinned):
    """A ball goes 51 m in a frame, and where the sheet has pins, these go 60 m in another and are there from then on."""
    ob = scenes.cloth(blender, pins=[0] * pinned, end=106)
    blender.context.scene.gpbd.frame_start = 101
    ball = scenes.cube(blender, "Ball", 0.4, (0, 0, -20))
    ball.modifiers.new("Collision", "COLLISION")
    scenes.move(ball, [101, 102, 103], [(0, 0, -20), (0, 51, -20), (0, 51, -20)])
    if pinned:
        scenes.move(ob, [104, 105], [(0, 0, 1), (60, 0, 1)])
    told = sorted(text.partition(" m from")[0] for text in scenes.check(blender) if "jump" in text)
    pins = ["Frame 105: the pins of 'Flag' jump 60"] * pinned
    assert told == ["Frame 102: the vertices of collider 'Ball' jump 51", *pins]
    assert blender.context.scene.frame_current not in (102, 105, 106)


def test_check_scene_tells_nothing_of_pins_that_go_on_as_fast(blender):
    """A sheet on a train, 30 m a frame: it continues by itself as its pins went."""
    ob = scenes.cloth(blender, pins=[0, 1], end=6)
    scenes.move(ob, [-1, 10], [(0, 0, 1), (330, 0, 1)])
    (told,) = [text for text in scenes.check(blender) if "jump" in text]
    assert told.startswith("Frame 2: the pins of 'Flag' jump")


def test_no_faces(blender, refused):
    replace(scenes.cloth(blender), [(0, 0, 0), (1, 0, 0)], [])
    refused("Flag", "2 vertices and no faces", "Fill the mesh")


def test_a_face_without_area(blender, refused):
    replace(scenes.cloth(blender), [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0)], [(0, 1, 2), (0, 1, 3)])
    refused("Flag", "no area", "bake again")


def test_an_edge_with_three_faces(blender, refused):
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1)]
    replace(scenes.cloth(blender), points, [(0, 1, 2), (0, 3, 1), (0, 1, 4)])
    refused("Flag", "more than two faces")


def test_a_face_that_is_there_twice(blender, refused):
    replace(scenes.cloth(blender), [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2), (0, 1, 2)])
    refused("Flag", "duplicate")


def test_loose_vertices_are_told_and_baked(blender, tmp_path):
    replace(scenes.cloth(blender, end=3), [(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 5, 5)], [(0, 1, 2)])
    job = bake(blender, out=str(tmp_path))
    assert any("Flag" in warning and "to no face" in warning for warning in job.report.warnings)
    assert frames.read_header(job.files.paths["Flag"]).n_vertices == 4


def test_a_soft_body_with_a_hole(blender, refused):
    ob = scenes.soft(blender, method="TETWILD")
    replace(ob, [v.co[:] for v in ob.data.vertices], [p.vertices[:] for p in ob.data.polygons][1:])
    refused("Jelly", "the surface is open", "Lattice")


@pytest.mark.parametrize("scale", [(2, 0.5, 1), (-1, 1, 1), (-1, -2, -0.5)])
def test_unapplied_and_negative_scales_give_the_same_as_applied_ones(blender, tmp_path, scale):
    """In world units. Normals look the other way in one of the two, which cloth must not care about; 1e-4 m after five
    frames is rounding: a mirrored triangle lists its corners in the other order."""
    world = []
    for applied in (False, True):
        ob = scenes.cloth(blender, f"Flag{applied}", pins=[0, 6], end=5)
        if applied:
            for vertex in ob.data.vertices:
                vertex.co = [a * b for a, b in zip(vertex.co, scale, strict=True)]
        else:
            ob.scale = scale
        bake(blender, names=[ob.name], out=str(tmp_path))
        blender.context.scene.frame_set(5)
        world.append(scenes.world_positions(blender, ob))
        blender.data.objects.remove(ob)  # the other one would collide with it
    assert np.abs(world[0] - world[1]).max() < 1e-4 < np.ptp(world[0][:, 2])


def test_a_scale_of_zero(blender, refused):
    scenes.cloth(blender).scale = (1, 1, 0)
    refused("Flag", "scale is zero")


def test_a_pin_group_that_is_missing(blender, refused):
    ob = scenes.cloth(blender, pins=[0])
    ob.gpbd.pin_group = "Hooks"
    refused("Flag", "'Hooks' is missing", "vertex groups are: pins", "clear the field")


def test_a_pin_group_without_weights(blender, refused):
    ob = scenes.cloth(blender)
    ob.vertex_groups.new(name="Hooks")
    ob.gpbd.pin_group = "Hooks"
    refused("Flag", "no vertex has a weight", "'Hooks'")


def test_a_uv_map_that_is_missing(blender, refused):
    scenes.cloth(blender).gpbd.uv_map = "Cut"
    refused("Flag", "UV map 'Cut' is missing")


def test_no_frames(blender, refused):
    scenes.cloth(blender)
    refused("Frames 9 to 3", "there are none", frames=(9, 3))


def test_no_bodies(blender, refused):
    scenes.grid(blender)
    refused("no GPBD bodies", "Physics tab")


def test_an_object_that_is_no_mesh(blender, refused):
    blender.ops.curve.primitive_bezier_circle_add()
    blender.context.object.gpbd.body_type = "CLOTH"
    refused("is a curve object", "Convert")


def test_edit_mode(blender, refused):
    ob = scenes.cloth(blender)
    blender.context.view_layer.objects.active = ob
    blender.ops.object.mode_set(mode="EDIT")
    try:
        assert not blender.ops.gpbd.bake.poll()
        refused("Flag", "edit mode")
    finally:
        blender.ops.object.mode_set(mode="OBJECT")


def test_a_body_that_is_disabled_in_the_viewport(blender, refused):
    scenes.cloth(blender).hide_viewport = True
    refused("Flag", "disabled in the viewport", "Enable it")


def test_a_linked_object(blender, refused, tmp_path):
    scenes.cloth(blender)
    path = str(tmp_path / "library.blend")
    blender.ops.wm.save_as_mainfile(filepath=path)
    blender.ops.wm.read_homefile(use_empty=True)
    with blender.data.libraries.load(path, link=True) as (_, here):
        here.objects = ["Flag"]
    blender.context.scene.collection.objects.link(here.objects[0])
    refused("Flag", "linked", "Make Local")
    assert not here.objects[0].modifiers


def test_a_collider_without_faces(blender, refused):
    scenes.cloth(blender)
    replace(scenes.floor(blender), [(0, 0, 0)], [])
    refused("Floor", "no faces")


def test_a_pinned_mesh_that_changes_its_vertices(blender, refused):
    ob = scenes.cloth(blender, pins=[0])
    grow = ob.modifiers.new("Array", "ARRAY")
    grow.count = 1
    grow.keyframe_insert("count", frame=3)
    grow.count = 2
    grow.keyframe_insert("count", frame=4)
    refused("Flag", "98 vertices at frame 4", "49 at the first frame")


def test_resuming_after_the_mesh_was_edited(blender, refused, tmp_path):
    ob = scenes.cloth(blender, end=4)
    job = bake(blender, out=str(tmp_path))
    replace(ob, [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    refused("press Bake, or change back 'Flag' faces", resume=True)
    assert frames.verify(job.files.paths["Flag"]) == []


def test_a_cache_of_another_topology_is_not_continued(blender, refused, tmp_path):
    """The file was exchanged on the disk; its frames stay as they are."""
    scenes.cloth(blender, end=4)
    job = bake(blender, out=str(tmp_path))
    path = job.files.paths["Flag"]
    path.unlink()
    writer = Pc2Writer(path, 3, 1, {"topology": "other"})
    for _ in range(4):
        writer.append(np.zeros((3, 3)))
    writer.close()
    refused("another mesh", "3 vertices; this one has 49", resume=True)
    assert frames.read_header(path).n_frames == 4


def test_a_cache_folder_that_cannot_be_written(blender, refused, tmp_path):
    from gpbd.solver.errors import CacheError

    scenes.cloth(blender, end=3)
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match=r"file.*Choose another Cache Folder"):
        bake(blender, out=str(tmp_path / "file" / "cache"))


def test_a_poisson_ratio_that_no_solid_has_cannot_be_typed(blender):
    """0.5 keeps the volume exactly, which has no Lame parameters; at -1 nothing resists a change of it."""
    ob = scenes.soft(blender)
    energy = ob.gpbd.stable_neo_hookean
    for asked, kept in ((0.5, 0.4999), (2.0, 0.4999), (-1.0, 0.0)):
        energy.poisson = asked
        assert energy.poisson == pytest.approx(kept, abs=1e-6)


@pytest.mark.parametrize("value", [0.5, 0.7, -1.0, float("nan")])
def test_a_preset_with_a_poisson_ratio_that_no_solid_has_changes_nothing(blender, tmp_path, value):
    preset = (ROOT / "presets" / "solids" / "jelly.toml").read_text(encoding="utf-8")
    path = tmp_path / "broken.toml"
    path.write_text(re.sub(r"poisson = [\d.]+", f"poisson = {value}", preset), encoding="utf-8")
    ob = scenes.soft(blender)
    before = ob.gpbd.stable_neo_hookean.poisson
    blender.context.view_layer.objects.active = ob
    with pytest.raises(RuntimeError, match=rf"Change it in the material\. \n.*poisson is {value:g}"):
        blender.ops.gpbd.apply_preset(path=str(path))
    assert ob.gpbd.stable_neo_hookean.poisson == before


def test_an_unknown_name_is_answered_with_the_known_ones(blender, refused):
    scenes.cloth(blender)
    refused("'Flga' is no GPBD body", "Flag", names=["Flga"])


def test_a_nan_in_the_animation_of_a_collider(blender, refused):
    scenes.cloth(blender, end=6)
    floor = scenes.floor(blender)
    floor.shape_key_add(name="Basis")
    key = floor.shape_key_add(name="Broken")
    key.data[2].co.x = np.nan
    key.value = 0
    key.keyframe_insert("value", frame=3)
    key.value = 1
    key.keyframe_insert("value", frame=4)
    refused("Floor", "not finite")
