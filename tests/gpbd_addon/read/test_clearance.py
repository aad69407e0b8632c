"""A collider whose outer thickness is more than the room at the start is found, and set to what fits."""

import pytest

from tests.gpbd_addon import scenes


@pytest.fixture
def padded(blender):
    """A sheet 4 mm above a floor that keeps 20 mm, which is what Blender gives a new collider; the floor."""
    scenes.cloth(blender, location=(0, 0, 0.004))
    floor = scenes.floor(blender)
    assert floor.collision.thickness_outer == pytest.approx(0.02)
    return floor


def found(bpy):
    """As a bake or a check finds them."""
    from gpbd.gpbd_addon.read import clearance, modifier, scene_input

    scene = bpy.context.scene
    bodies = scene_input.bodies_of(scene)
    with modifier.switched_off(bodies):
        world = scene_input.gather(scene, scene_input.view_layer_of(scene), bodies)
    clearance.measure(world, scene)
    return clearance.too_thick(scene)


def test_it_is_found_with_the_room_there_is(blender, padded):
    """1e-6 m: single precision of 4 mm, and of a thickness of 2 mm, is finer."""
    (padding,) = found(blender)
    assert padding.collider == padded.name_full and padding.clearance == pytest.approx(0.004, abs=1e-6)
    assert padding.fits == pytest.approx(0.002, abs=1.01e-4) and "keeps 20 mm, and a body starts 4 mm away" in str(padding)


def test_the_button_sets_it_and_then_it_is_gone(blender, padded):
    found(blender)
    assert blender.ops.gpbd.set_outer_thickness(collider="Floor") == {"FINISHED"}
    assert 0.0018 < padded.collision.thickness_outer < 0.00201
    assert not found(blender)
    with pytest.raises(RuntimeError, match="Press Check Scene"):
        blender.ops.gpbd.set_outer_thickness(collider="Floor")


def test_the_panel_offers_it(blender, padded):
    from tests.gpbd_addon.ui.test_panels import draw

    flag = blender.data.objects["Flag"]
    assert ("operator", "gpbd.set_outer_thickness") not in draw(blender, flag).drawn
    found(blender)
    layout = draw(blender, flag)
    assert ("operator", "gpbd.set_outer_thickness") in layout.drawn
    assert "Floor keeps 20 mm, a body starts 4 mm away" in layout.text()


def test_room_enough_touching_another_and_as_thin_as_can_be_are_left_alone(blender, padded):
    flag = blender.data.objects["Flag"]
    flag.location.z = 0.5
    assert not found(blender)
    flag.location.z = 0.004
    flag.gpbd.contact_collection = blender.data.collections.new("nothing")
    assert not found(blender)
    flag.gpbd.contact_collection = None
    padded.collision.thickness_outer = 0.001
    flag.location.z = 0.0005
    assert not found(blender)


def test_it_is_measured_in_metres_whatever_a_unit_is(blender, padded):
    """A unit is a centimetre: 0.4 units are 4 mm, a thickness of 0.9 units is 9 mm."""
    blender.context.scene.unit_settings.scale_length = 0.01
    padded.collision.thickness_outer, blender.data.objects["Flag"].location.z = 0.9, 0.4
    (padding,) = found(blender)
    assert padding.clearance == pytest.approx(0.004, abs=1e-6) and padding.thickness == pytest.approx(0.009, abs=1e-6)
    blender.ops.gpbd.set_outer_thickness(collider="Floor")
    assert padded.collision.thickness_outer == pytest.approx(0.2, abs=0.0101)


def test_a_bake_tells_it(blender, padded):
    job = scenes.bake(blender, frames=(1, 2))
    assert any("Set its Thickness Outer to" in warning for warning in job.report.warnings)


def coarse(bpy):
    """The lines of Check Scene on thickness and edges."""
    from gpbd.gpbd_addon.bake import scene_check

    return [found for found in scene_check.check(bpy.context.scene) if "more than the edges" in found.text]


def test_with_a_thickness_of_our_own_what_blender_takes_is_not_the_least(blender, padded):
    """0.5 mm of room: Blender's 1 mm is as thin as can be, one of our own of 0.9 mm is set to half the room."""
    blender.data.objects["Flag"].location.z = 0.0005
    padded.collision.thickness_outer, padded.gpbd.outer_thickness = 0.001, 0.0009
    assert not found(blender)
    padded.gpbd.own_thickness = True
    (padding,) = found(blender)
    assert "keeps 0.9 mm" in str(padding) and "Set its Own Thickness to" in str(padding)
    blender.ops.gpbd.set_outer_thickness(collider="Floor")
    assert padded.gpbd.outer_thickness == pytest.approx(0.00025, abs=5.1e-5) and not found(blender)


def test_check_scene_tells_of_more_than_the_edges_of_a_cloth_and_its_button_sets_a_tenth(blender):
    """A sheet of 1 cm whose median edge is 1.67 mm, 1 m above what keeps 20 mm: a tenth is 0.15 mm in steps of 0.05, which
    Blender does not take. 1e-8 m: single precision is finer. Larger edges get no message."""
    floor = scenes.floor(blender)
    flag = scenes.cloth(blender, size=0.01)
    (line,) = coarse(blender)
    assert line.text.startswith("Floor: keeps 20 mm, more than the edges of Flag are long, 1.67 mm.")
    assert line.button == "Set Own Thickness" and line.operator == "gpbd.set_outer_thickness"
    blender.ops.gpbd.set_outer_thickness(**line.values)
    assert floor.gpbd.own_thickness and floor.gpbd.outer_thickness == pytest.approx(1.5e-4, abs=1e-8)
    assert not coarse(blender)
    floor.gpbd.own_thickness, flag.scale = False, (30, 30, 30)
    assert not coarse(blender)


def test_edges_for_which_blender_has_a_thickness_get_that(blender):
    """Edges of 16.7 mm: a tenth is 1.65 mm in steps of 0.05. 1e-8 m: single precision is finer."""
    floor = scenes.floor(blender)
    scenes.cloth(blender, size=0.1)
    (line,) = coarse(blender)
    blender.ops.gpbd.set_outer_thickness(**line.values)
    assert not floor.gpbd.own_thickness and floor.collision.thickness_outer == pytest.approx(1.65e-3, abs=1e-8)


def test_a_cloth_that_does_not_touch_it_is_no_reason(blender):
    scenes.floor(blender)
    flag = scenes.cloth(blender, size=0.01)
    flag.gpbd.contact_collection = blender.data.collections.new("nothing")
    assert not coarse(blender)
