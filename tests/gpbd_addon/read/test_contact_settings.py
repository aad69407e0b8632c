"""Contact settings in Blender, and their values in the solver."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake
from tests.scenes import meshes


def gathered(blender, *bodies, frames=None):
    from gpbd.gpbd_addon.read import scene_input

    return scene_input.gather(blender.context.scene, blender.context.view_layer.name, list(bodies), frames)


def ball(blender, name, radius, x):
    """A collider. Blender's own sphere has its faces in another order in each process."""
    made = scenes.mesh_object(blender, name, *meshes.ball(3, radius, (0, 0, 0)))
    made.modifiers.new("Collision", "COLLISION")
    made.location.x = x
    return made


def collection(blender, name, *objects):
    made = blender.data.collections.new(name)
    for ob in objects:
        made.objects.link(ob)
    return made


def test_the_collision_settings_that_cloth_feels_are_read(blender):
    blender.context.scene.unit_settings.scale_length = 0.5
    flag, floor = scenes.cloth(blender), scenes.floor(blender)
    settings = floor.collision
    settings.thickness_outer, settings.thickness_inner, settings.cloth_friction = 0.04, 0.3, 10
    for culling, normal, one_sided in ((True, False, True), (False, True, True), (False, False, False)):
        settings.use_culling, settings.use_normal = culling, normal
        (collider,) = gathered(blender, flag).colliders
        assert collider.one_sided == one_sided
    assert collider.thickness == pytest.approx(0.02)
    assert collider.depth == pytest.approx(0.15)
    assert collider.friction == pytest.approx(0.8)


def test_a_thickness_of_our_own_stands_for_blenders_where_it_is_on(blender):
    """In metres whatever a unit is, and below the 0.001 units that Blender takes. 1e-8 m: single precision is finer."""
    blender.context.scene.unit_settings.scale_length = 0.5
    flag, floor = scenes.cloth(blender), scenes.floor(blender)
    floor.collision.thickness_outer = 0.0
    floor.gpbd.outer_thickness = 5e-5
    for own, thickness in ((False, 5e-4), (True, 5e-5)):
        floor.gpbd.own_thickness = own
        (collider,) = gathered(blender, flag).colliders
        assert collider.thickness == pytest.approx(thickness, abs=1e-8)


@pytest.mark.parametrize("kind", ["CLOTH", "SHAPE", "RIGID"])
def test_a_self_distance_is_that_of_the_collisions_unless_it_is_set(blender, kind):
    """A body where it is 0 has the identity of a cache that was made before there was one. A rigid body has none."""
    from gpbd.gpbd_addon.bake import made_from
    from gpbd.gpbd_addon.read import keyed

    flag = scenes.cloth(blender)
    flag.gpbd.body_type, flag.gpbd.thickness = ("CLOTH" if kind == "RIGID" else kind), 0.004
    (body,) = gathered(blender, flag).bodies
    assert body.self_thickness is None and "self_thickness" not in body.identity() | made_from.body(flag)
    assert body.build().self_thickness is None and keyed.of_body(flag)["self_thickness"] is None
    flag.gpbd.self_thickness = 0.002
    if kind == "RIGID":
        flag.gpbd.body_type = kind
        assert "self_thickness" not in keyed.of_body(flag)
        return
    (body,) = gathered(blender, flag).bodies
    assert body.build().self_thickness == body.identity()["self_thickness"] == pytest.approx(0.002)
    assert made_from.body(flag)["self_thickness"] == keyed.of_body(flag)["self_thickness"] == pytest.approx(0.002)


def test_a_thickness_of_our_own_takes_keys(blender):
    """Read at every frame: 0.1 mm at the first, 0.3 mm at the third, and Blender's 20 mm where the switch is keyed off."""
    flag, floor = scenes.cloth(blender), scenes.floor(blender)
    for frame, own, thickness in ((1, True, 1e-4), (3, True, 3e-4), (4, False, 3e-4)):
        floor.gpbd.own_thickness, floor.gpbd.outer_thickness = own, thickness
        floor.gpbd.keyframe_insert("own_thickness", frame=frame)
        floor.gpbd.keyframe_insert("outer_thickness", frame=frame)
    found = []
    for frame in (1, 3, 4):
        blender.context.scene.frame_set(frame)
        found.append(gathered(blender, flag, frames=(frame, frame)).colliders[0].thickness)
    assert found == pytest.approx([1e-4, 3e-4, 0.02], abs=1e-8)


def test_cloth_lies_on_a_ball_of_a_dolls_size(blender, tmp_path):
    """A cloth of 1 cm falls on a ball of 5 mm, which keeps 0.05 mm as cloth keeps 0.1 mm: it lies within a tenth of the
    radius, nothing crosses, and Blender's least thickness holds it off by 1.1 mm, 0.44 of the radius, to 0.05: the facets
    of the ball lie within the sphere by 0.01 of it."""
    radius, gaps = 2.5e-3, []
    for own, at in ((True, 0.0), (False, 0.05)):
        flag = scenes.cloth(blender, f"Cloth {own}", n=12, size=0.01, location=(at, 0, 1.05 * radius), end=24)
        flag.gpbd.thickness, flag.gpbd.self_contact = 1e-4, True
        under = ball(blender, f"Ball {own}", radius, at)
        under.gpbd.own_thickness, under.gpbd.outer_thickness, under.collision.thickness_outer = own, 5e-5, 1e-3
    job = bake(blender, out=str(tmp_path))
    assert job.report.last.intersections == 0 and job.report.unresolved == []
    blender.context.scene.frame_set(24)
    for own, at in ((True, 0.0), (False, 0.05)):
        x = scenes.world_positions(blender, blender.data.objects[f"Cloth {own}"]) - (at, 0, 0)
        gaps.append(np.linalg.norm(x, axis=1).min() / radius - 1)
    assert 0 < gaps[0] < 0.1 and gaps[1] == pytest.approx(0.44, abs=0.05)


def test_a_body_touches_its_collection_only(blender, tmp_path):
    """Two flags fall from 1 m on floors at 0.9 m and 0.7 m: each passes objects outside its collection, and ends 20 mm above
    its floor, to as much."""
    high, low = scenes.floor(blender, "High"), scenes.floor(blender, "Low")
    high.location.z, low.location.z = 0.9, 0.7
    lamp = blender.data.objects.new("Lamp", blender.data.lights.new("Lamp", "POINT"))
    one, two = scenes.cloth(blender, "One", end=14), scenes.cloth(blender, "Two", location=(2, 0, 1), end=14)
    one.gpbd.contact_collection = collection(blender, "For One", low, lamp)
    two.gpbd.contact_collection = collection(blender, "For Two", high)
    low.scale = high.scale = (3, 3, 1)
    job = bake(blender, out=str(tmp_path))
    blender.context.scene.frame_set(14)
    assert scenes.world_positions(blender, one)[:, 2] == pytest.approx(0.72, abs=0.02)
    assert scenes.world_positions(blender, two)[:, 2] == pytest.approx(0.92, abs=0.02)
    assert job.report.warnings == [] or not any("touches" in warning for warning in job.report.warnings)


def test_without_object_collisions_a_body_falls_through_the_floor_and_no_warning_comes(blender, tmp_path):
    flag, other = scenes.cloth(blender, end=14), scenes.cloth(blender, "Other", location=(3, 0, 1), end=14)
    scenes.floor(blender).location.z = 0.9
    blender.data.objects["Floor"].scale = (9, 9, 1)
    flag.gpbd.object_contact = False
    job = bake(blender, out=str(tmp_path))
    blender.context.scene.frame_set(14)
    assert scenes.world_positions(blender, flag)[:, 2].max() < 0.6
    assert scenes.world_positions(blender, other)[:, 2] == pytest.approx(0.92, abs=0.02)
    assert not [warning for warning in job.report.warnings if "touches" in warning]


def test_an_empty_collection_is_told(blender, tmp_path):
    flag = scenes.cloth(blender, end=3)
    scenes.floor(blender)
    flag.gpbd.contact_collection = collection(blender, "Nothing")
    job = bake(blender, out=str(tmp_path))
    assert any(warning.startswith("Flag: touches nothing") for warning in job.report.warnings)


@pytest.mark.parametrize("kind", ["cloth", "soft"])
def test_vertices_of_a_group_are_left_out(blender, kind):
    """In a soft body, the nearest vertices of the tetrahedra are left out."""
    ob = scenes.cloth(blender, "Body") if kind == "cloth" else scenes.soft(blender, "Body")
    top = [v.index for v in ob.data.vertices if (v.co.y if kind == "cloth" else v.co.z) > 0.3]
    ob.vertex_groups.new(name="Free").add(top, 1.0, "REPLACE")
    ob.gpbd.no_contact_group = "Free"
    (body,) = gathered(blender, ob).build().bodies
    left_out = body.vertices[body.without_contact]
    assert len(left_out)
    assert (left_out[:, 1] > 0.3).all() if kind == "cloth" else (left_out[:, 2] > 0.9).all()


def test_a_group_without_weights_or_that_is_missing_is_refused(blender):
    from gpbd.solver.errors import SceneError

    flag = scenes.cloth(blender)
    flag.gpbd.no_contact_group = "Free"
    with pytest.raises(SceneError, match="Flag: the No Collision Group 'Free' is missing"):
        gathered(blender, flag)
    flag.vertex_groups.new(name="Free").add([0], 0.2, "REPLACE")
    with pytest.raises(SceneError, match="Flag: no vertex has a weight of"):
        gathered(blender, flag)


def test_a_collider_has_a_collection_and_a_group_too(blender):
    """The cloth that a floor does not name falls through it; the corner of it that is left out is a hole."""
    flag, other, floor = scenes.cloth(blender), scenes.cloth(blender, "Other"), scenes.floor(blender)
    floor.gpbd.contact_collection = collection(blender, "Some", flag)
    floor.vertex_groups.new(name="Hole").add([0], 1.0, "REPLACE")
    floor.gpbd.no_contact_group = "Hole"
    (collider,) = gathered(blender, flag, other).build().colliders
    assert list(collider.touches) == ["Flag"] and collider.without_contact.tolist() == [0]
    assert 0 < len(collider.touchable) < len(collider.triangles) and not (collider.touchable == 0).any()
    assert list(gathered(blender, other).build().colliders[0].touches) == []
    before = gathered(blender, flag).identity()
    floor.gpbd.no_contact_group = ""
    assert gathered(blender, flag).identity() != before


def test_the_side_of_a_collider_is_read_and_is_part_of_what_a_cache_was_made_from(blender):
    flag, floor = scenes.cloth(blender), scenes.floor(blender)
    seen = []
    for side in ("AUTOMATIC", "OUTSIDE", "INSIDE"):
        floor.gpbd.collider_side = side
        world = gathered(blender, flag)
        assert world.build().colliders[0].side == side.lower()
        seen.append(world.identity())
    assert seen[0] != seen[1] != seen[2] != seen[0]


def test_check_scene_tells_what_starts_inside_a_closed_collider(blender):
    """A flag of 1 m within a box of 3 m; with a side chosen there is no message."""
    flag, box = scenes.cloth(blender), scenes.cube(blender, "Box")
    box.scale, box.location = (3, 3, 3), flag.location
    box.modifiers.new("Collision", "COLLISION")
    told = [text for text in scenes.check(blender) if "Flag: starts inside" in text]
    assert len(told) == 1 and "closed collider Box and stays inside" in told[0]
    box.gpbd.collider_side = "INSIDE"
    assert not any("Flag: starts inside" in text for text in scenes.check(blender))


def test_layers_and_groups_are_part_of_what_a_cache_was_made_from(blender):
    flag, floor = scenes.cloth(blender), scenes.floor(blender)
    before = gathered(blender, flag).identity()
    flag.gpbd.layer = 2
    assert gathered(blender, flag).build().bodies[0].layer == 2
    assert gathered(blender, flag).identity() != before
    flag.gpbd.layer = 0
    assert gathered(blender, flag).identity() == before
    flag.gpbd.contact_collection = collection(blender, "Some", floor)
    assert gathered(blender, flag).identity() != before


def test_unresolved_collisions_say_where(blender, tmp_path):
    """A flag between two plates that close through each other: the frames are named."""
    scenes.cloth(blender, end=8, location=(0, 0, 0.5))
    upper, lower = scenes.floor(blender, "Upper"), scenes.floor(blender, "Lower")
    lower.location.z = 0.4
    scenes.move(upper, [1, 8], [(0, 0, 0.62), (0, 0, 0.2)])
    job = bake(blender, out=str(tmp_path))
    assert any("unresolved collisions" in warning and "Flag" in warning for warning in job.report.warnings)
    assert np.isfinite(scenes.cache(job)).all()
