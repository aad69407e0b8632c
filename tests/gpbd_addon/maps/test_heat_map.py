"""The stretch of a body as attributes of its mesh, followed over the frames."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes


@pytest.fixture
def flag(blender, tmp_path):
    flag = scenes.moving_flag(blender, tmp_path)
    blender.context.view_layer.objects.active = flag
    scenes.bake(blender)
    return flag


def values(ob, name="gpbd_stretch", width=1, key="value"):
    x = np.empty(len(ob.data.vertices) * width, np.float32)
    ob.data.attributes[name].data.foreach_get(key, x)
    return x.reshape(-1, width).squeeze()


def hooked(blender):
    return [hook for hook in blender.app.handlers.frame_change_pre if "heat_map" in hook.__module__]


def test_the_attribute_is_the_mean_stretch_of_the_edges_at_each_frame(blender, flag):
    """1e-5: float32 lengths. Against a loop over the edges of the mesh that Blender shows."""
    assert blender.ops.gpbd.stretch_heat_map() == {"FINISHED"}
    rest = np.array([v.co for v in flag.data.vertices])
    for frame in (12, 3, 1):
        blender.context.scene.frame_set(frame)
        now = scenes.evaluated_positions(blender, flag)
        total, count = np.zeros(len(now)), np.zeros(len(now))
        for edge in flag.data.edges:
            a, b = edge.vertices
            share = np.linalg.norm(now[a] - now[b]) / np.linalg.norm(rest[a] - rest[b]) - 1
            for v in (a, b):
                total[v] += share
                count[v] += 1
        assert np.abs(values(flag) - total / count).max() < 1e-5
        shown = flag.evaluated_get(blender.context.evaluated_depsgraph_get())
        assert values(shown).tobytes() == values(flag).tobytes()
        assert (np.abs(values(flag)).max() > 1e-3) == (frame > 1)


def test_while_a_window_renders_the_map_stays_unless_the_window_is_locked(blender, flag, monkeypatch):
    """Two threads would write to and read one mesh."""
    from gpbd.gpbd_addon.bake import live_view

    blender.ops.gpbd.stretch_heat_map()
    scene, seen = blender.context.scene, []
    scene.frame_set(12)
    monkeypatch.setattr(live_view, "is_rendering", lambda: True)
    for locked in (False, True):
        scene.render.use_lock_interface = locked
        before = values(flag).tobytes()
        scene.frame_set(6)
        seen.append(values(flag).tobytes() != before)
    assert seen == [False, True]


def test_a_scaled_object_in_centimetres_has_the_same_stretch(blender, tmp_path):
    """Lengths are in the world's metres: a mesh scaled unevenly is not stretched at rest."""
    blender.context.scene.unit_settings.scale_length = 0.01
    flag = scenes.cloth(blender, pins=[0, 6], end=3, size=100.0, location=(0, 0, 100))
    flag.scale = (1, 0.5, 1)
    blender.context.view_layer.objects.active = flag
    scenes.save(blender, tmp_path)
    scenes.bake(blender)
    blender.ops.gpbd.stretch_heat_map()
    blender.context.scene.frame_set(1)
    assert np.abs(values(flag)).max() < 1e-5
    blender.context.scene.frame_set(3)
    assert 1e-5 < np.abs(values(flag)).max() < 0.5


def test_colours_go_from_blue_at_rest_to_red_at_the_range(extension):
    from gpbd.gpbd_addon.maps.colour_scale import colours

    rest, half, full, more, squeezed = colours(np.array([0, 0.05, 0.1, 5.0, -1.0]), 0.1)
    assert rest[2] > 3 * rest[0] and full[0] > 3 * full[2] and half[1] > half[0] and half[1] > half[2]
    assert (full == more).all() and (rest == squeezed).all()


def test_the_colours_are_shown_and_the_range_changes_them(blender, flag):
    blender.ops.gpbd.stretch_heat_map()
    blender.context.scene.frame_set(12)
    assert flag.data.color_attributes.active_color.name == "gpbd_stretch_colour"
    assert blender.context.scene.display.shading.color_type == "VERTEX"
    before = values(flag, "gpbd_stretch_colour", 4, "color")
    blender.context.scene.gpbd.heat_map_range = 0.5
    assert np.abs(values(flag, "gpbd_stretch_colour", 4, "color") - before).max() > 0.01


def test_switched_off_everything_is_as_before(blender, flag):
    flag.data.color_attributes.new("Paint", "BYTE_COLOR", "POINT")
    flag.data.color_attributes.active_color = flag.data.color_attributes["Paint"]
    names = set(flag.data.attributes.keys())
    blender.ops.gpbd.stretch_heat_map()
    assert len(hooked(blender)) == 1
    blender.ops.gpbd.stretch_heat_map()
    assert set(flag.data.attributes.keys()) == names and hooked(blender) == []
    assert flag.data.color_attributes.active_color.name == "Paint"
    assert blender.context.scene.display.shading.color_type == "MATERIAL"


def test_a_file_saved_with_a_heat_map_follows_it_again_and_another_file_does_not(blender, flag, tmp_path):
    blender.ops.gpbd.stretch_heat_map()
    blender.ops.wm.save_mainfile()
    path = blender.data.filepath
    blender.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
    assert hooked(blender) == []
    blender.ops.wm.open_mainfile(filepath=path)
    flag = blender.data.objects["Flag"]
    blender.context.scene.frame_set(1)
    rest = values(flag)
    blender.context.scene.frame_set(12)
    assert len(hooked(blender)) == 1 and np.abs(values(flag) - rest).max() > 1e-3


def test_a_cache_that_is_gone_or_a_mesh_that_changed_is_told_and_stops_nothing(blender, flag):
    from gpbd.gpbd_addon.bake import cache_path, overview
    from gpbd.gpbd_addon.maps import heat_map

    blender.ops.gpbd.stretch_heat_map()
    scene, path = blender.context.scene, cache_path.of(flag)
    assert heat_map.problem(flag, overview.look(scene).headers[path]) == ""
    path.unlink()
    assert "cannot be read" in heat_map.problem(flag, overview.look(scene).headers[path])
    blender.context.scene.frame_set(4)
    blender.ops.gpbd.stretch_heat_map()
    assert not flag.gpbd.heat_map


def test_a_new_bake_of_an_edited_mesh_is_measured_from_the_new_mesh(blender, flag):
    """Twice as large, and as unstretched as before at the first frame."""
    blender.ops.gpbd.stretch_heat_map()
    for vertex in flag.data.vertices:
        vertex.co *= 2
    scenes.bake(blender)
    blender.context.scene.frame_set(1)
    assert np.abs(values(flag)).max() < 1e-5


def test_without_a_cache_there_is_no_heat_map(blender):
    flag = scenes.cloth(blender)
    blender.context.view_layer.objects.active = flag
    assert not blender.ops.gpbd.stretch_heat_map.poll()


def test_a_soft_body_is_coloured_on_its_visible_mesh(blender, tmp_path):
    jelly = scenes.soft(blender, pins=[1, 3, 5, 7], end=4)
    scenes.save(blender, tmp_path)
    blender.context.view_layer.objects.active = jelly
    scenes.bake(blender)
    blender.ops.gpbd.stretch_heat_map()
    blender.context.scene.frame_set(4)
    assert len(values(jelly)) == 8 and np.abs(values(jelly)).max() > 1e-5
