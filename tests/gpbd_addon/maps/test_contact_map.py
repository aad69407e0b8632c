"""Gap of a body to the objects that it may touch, as attributes of its mesh that follow the frame."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.maps.test_heat_map import values

EDGE = 1 / 6
REACH = 0.45 * EDGE


@pytest.fixture
def sheets(blender):
    """A sheet at z = 1 and a collider of the same size that moves from 0.05 m below it to 0.02 m in five frames."""
    flat = scenes.cloth(blender, "Flat")
    floor = scenes.floor(blender, size=2.0)
    scenes.move(floor, [1, 6], [(0, 0, 0.95), (0, 0, 0.98)])
    blender.context.view_layer.objects.active = flat
    blender.context.scene.frame_set(1)
    return flat, floor


def hooked(blender):
    return [hook for hook in blender.app.handlers.frame_change_post if "contact_map" in hook.__module__]


def test_the_attribute_is_the_gap_at_each_frame(blender, sheets):
    """1e-6: float32 positions at about 1 m."""
    flat, _ = sheets
    assert blender.ops.gpbd.contact_map() == {"FINISHED"}
    for frame, gap in ((1, 0.05), (6, 0.02)):
        blender.context.scene.frame_set(frame)
        assert np.abs(values(flat, "gpbd_contact") - gap).max() < 1e-6
        shown = flat.evaluated_get(blender.context.evaluated_depsgraph_get())
        assert values(shown, "gpbd_contact").tobytes() == values(flat, "gpbd_contact").tobytes()


def test_far_is_blue_near_is_warm_and_through_is_red_and_negative(blender, sheets):
    """Negative gap: the two rows of vertices beside a sheet that stands in the first one."""
    flat, floor = sheets
    floor.animation_data_clear()
    floor.rotation_euler.y = np.pi / 2
    floor.location = (0.07, 0.011, 1.013)
    blender.context.view_layer.update()
    blender.ops.gpbd.contact_map()
    gap = values(flat, "gpbd_contact")
    x = np.array([v.co.x for v in flat.data.vertices])
    beside = (x > -0.01) & (x < EDGE + 0.01)
    assert (gap[beside] < 0).all() and (gap[~beside] > 0).all()
    assert gap.max() == pytest.approx(REACH)
    colour = values(flat, "gpbd_contact_colour", 4, "color")
    assert (colour[gap < 0, 0] > 5 * colour[gap < 0, 2]).all()
    assert (colour[gap > 0.99 * REACH, 2] > 5 * colour[gap > 0.99 * REACH, 0]).all()


def test_a_flat_sheet_alone_is_near_nothing(blender):
    flat = scenes.cloth(blender)
    blender.context.view_layer.objects.active = flat
    blender.ops.gpbd.contact_map()
    assert np.allclose(values(flat, "gpbd_contact"), REACH)


def test_one_map_gives_way_to_the_other_and_off_is_as_before(blender, tmp_path):
    flag = scenes.moving_flag(blender, tmp_path)
    blender.context.view_layer.objects.active = flag
    scenes.bake(blender)
    names = set(flag.data.attributes.keys())
    blender.ops.gpbd.stretch_heat_map()
    blender.ops.gpbd.contact_map()
    assert not flag.gpbd.heat_map and "gpbd_stretch" not in flag.data.attributes
    assert flag.data.color_attributes.active_color.name == "gpbd_contact_colour"
    blender.ops.gpbd.stretch_heat_map()
    assert not flag.gpbd.contact_map and len(hooked(blender)) == 0
    blender.ops.gpbd.contact_map()
    assert len(hooked(blender)) == 1
    blender.ops.gpbd.contact_map()
    assert set(flag.data.attributes.keys()) == names and not hooked(blender)
    assert blender.context.scene.display.shading.color_type == "MATERIAL"


def test_a_mesh_that_cannot_be_looked_at_turns_grey(blender, sheets):
    flat, _ = sheets
    blender.ops.gpbd.contact_map()
    flat.modifiers.new("Finer", "SUBSURF")
    blender.context.scene.frame_set(2)
    assert np.allclose(values(flat, "gpbd_contact_colour", 4, "color"), (0.2, 0.2, 0.2, 1.0))
