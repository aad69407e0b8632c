"""Lines over a cloth, the way its warp runs."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes

TURN = np.radians(30)


@pytest.fixture
def turned(blender):
    """A square whose UV map is its plan, turned by 30 degrees; a key lifts it to a slope at frame 6."""
    ob = scenes.cloth(blender, n=4)
    layer = ob.data.uv_layers.new(name="Cut")
    plan = np.array([ob.data.vertices[loop.vertex_index].co[:2] for loop in ob.data.loops])
    c, s = np.cos(TURN), np.sin(TURN)
    layer.uv.foreach_set("vector", (plan @ np.array([[c, -s], [s, c]])).ravel())
    ob.gpbd.uv_map = "Cut"
    blender.context.view_layer.objects.active = ob
    return ob


def directions(blender, ob):
    """Return the directions of the currently drawn lines, (4 t / 2, 3)."""
    from gpbd.gpbd_addon.maps import warp_lines

    ends = warp_lines._shown[ob.name_full]
    along = ends[1::2] - ends[::2]
    return along / np.linalg.norm(along, axis=1, keepdims=True)


def hooked(blender):
    hooks = (blender.app.handlers.frame_change_post, blender.app.handlers.depsgraph_update_post)
    return [hook for both in hooks for hook in both if "warp_lines" in hook.__module__]


def test_lines_run_where_u_grows_and_follow_the_object_and_the_map(blender, turned):
    """1e-6: positions and UVs are float32."""
    assert blender.ops.gpbd.warp_lines() == {"FINISHED"}
    wanted = [np.cos(TURN), np.sin(TURN), 0]
    assert len(directions(blender, turned)) == 4 * 4 * 2 * 2 and np.abs(directions(blender, turned) - wanted).max() < 1e-6
    turned.rotation_euler.z = np.pi / 2
    blender.context.view_layer.update()
    assert np.abs(directions(blender, turned) - [-np.sin(TURN), np.cos(TURN), 0]).max() < 1e-6
    turned.gpbd.uv_map = ""
    turned.data.update_tag()
    blender.context.view_layer.update()
    assert np.abs(directions(blender, turned) - [1, 0, 0]).max() < 1e-6


def test_lines_go_with_the_cloth_as_it_is_shown(blender, turned):
    """A key sheared by half its size: the line along X stays, and leans with the surface."""
    blender.ops.gpbd.warp_lines()
    turned.gpbd.uv_map = ""
    turned.shape_key_add(name="Basis")
    key = turned.shape_key_add(name="Lifted")
    for point in key.data:
        point.co.z += point.co.x
    for value, frame in ((0.0, 1), (1.0, 6)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    blender.context.scene.frame_set(6)
    assert np.abs(directions(blender, turned) - np.array([1, 0, 1]) / np.sqrt(2)).max() < 1e-5


def test_nothing_is_hooked_when_no_body_has_lines_and_a_missing_map_is_told(blender, turned):
    from gpbd.gpbd_addon.maps import warp_lines

    blender.ops.gpbd.warp_lines()
    assert len(hooked(blender)) == 2
    turned.gpbd.uv_map = "gone"
    turned.data.update_tag()
    blender.context.view_layer.update()
    assert "'gone' is missing" in warp_lines.problem(turned)
    blender.ops.gpbd.warp_lines()
    assert not turned.gpbd.warp_lines and hooked(blender) == [] and warp_lines._handle is None
    with pytest.raises(RuntimeError, match="'gone' is missing"):
        blender.ops.gpbd.warp_lines()
    assert not turned.gpbd.warp_lines
