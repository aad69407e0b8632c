"""Shape keys made of a cache play as the cache does."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes


def positions(blender, ob):
    mesh = ob.evaluated_get(blender.context.evaluated_depsgraph_get()).data
    x = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", x)
    return x.reshape(-1, 3)


def poses_of(blender, ob, frames):
    poses = []
    for frame in frames:
        blender.context.scene.frame_set(frame)
        poses.append(positions(blender, ob))
    return np.array(poses)


@pytest.fixture
def baked(blender, tmp_path):
    """A cloth and its made-up cache of so many frames, from a frame on."""
    from gpbd.gpbd_addon.bake import playback
    from gpbd.solver.cache.pc2_writer import Pc2Writer

    def make(frames=40, start=1):
        ob = scenes.cloth(blender)
        blender.context.view_layer.objects.active = ob
        n = len(ob.data.vertices)
        poses = np.random.default_rng(1).normal(size=(frames, n, 3)).astype(np.float32)
        path = tmp_path / "flag.pc2"
        writer = Pc2Writer(path, n, start, {"topology": ""})
        for pose in poses:
            writer.append(pose)
        writer.close()
        playback.play(ob, str(path), start)
        return ob, poses

    return make


@pytest.mark.parametrize(("frames", "start"), [(1, 1), (2, 1), (40, 1), (40, -7), (300, 1001)])
def test_every_frame_of_the_shape_keys_is_the_frame_of_the_cache(blender, baked, frames, start):
    """Bit for bit: the line through the evaluation times meets every key."""
    from gpbd.gpbd_addon.ui import cache_state

    ob, poses = baked(frames, start)
    shown = range(start, start + frames)
    assert np.array_equal(poses_of(blender, ob, shown), poses)
    assert blender.ops.gpbd.convert_to_shape_keys() == {"FINISHED"}
    assert not ob.modifiers[0].show_viewport and not ob.modifiers[0].show_render
    assert np.array_equal(poses_of(blender, ob, shown), poses)
    assert not cache_state.problems(ob, None) and "Shape keys play" in cache_state.notes(ob)[0]
    ob.modifiers[0].show_viewport = ob.modifiers[0].show_render = True  # the remedy
    assert not [text for text in cache_state.notes(ob) if "Shape keys play" in text]
    ob.modifiers[0].show_viewport = ob.modifiers[0].show_render = False
    ends = poses_of(blender, ob, [start - 5, start + frames + 5])
    assert np.array_equal(ends, poses[[0, -1]])


def test_between_frames_the_shape_keys_are_halfway(blender, baked):
    """1e-5: float32 of the evaluation time."""
    ob, poses = baked()
    blender.ops.gpbd.convert_to_shape_keys()
    blender.context.scene.frame_set(7, subframe=0.5)
    assert np.allclose(positions(blender, ob), (poses[6] + poses[7]) / 2, atol=1e-5)


def test_a_basis_that_is_there_is_kept_and_a_second_conversion_replaces_the_first(blender, baked):
    ob, poses = baked(10)
    ob.shape_key_add(name="Basis")
    rest = np.array([v.co for v in ob.data.vertices])
    for _ in range(2):
        ob.modifiers[0].show_viewport = True
        blender.ops.gpbd.convert_to_shape_keys()
        assert len(ob.data.shape_keys.key_blocks) == 11
        assert np.array_equal(poses_of(blender, ob, range(1, 11)), poses)
    assert np.array_equal([kb.co for kb in ob.data.shape_keys.key_blocks["Basis"].data], rest)


def test_modifiers_below_the_cache_do_not_work_twice_and_those_above_still_do(blender, baked):
    ob, poses = baked(10)
    wave = ob.modifiers.new("Wave", "DISPLACE")
    ob.modifiers.move(1, 0)
    ob.modifiers.new("Subdivision", "SUBSURF")
    cached = poses_of(blender, ob, range(1, 11))
    assert cached.shape[1] > poses.shape[1]
    blender.ops.gpbd.convert_to_shape_keys()
    assert not wave.show_viewport and not wave.show_render
    assert np.array_equal(poses_of(blender, ob, range(1, 11)), cached)


def test_a_shared_mesh_is_refused_because_all_its_users_would_move(blender, baked):
    ob, _ = baked(3)
    blender.data.objects.new("other", ob.data)
    with pytest.raises(RuntimeError, match=r"Make Single User.*\nFlag: shares its mesh"):
        blender.ops.gpbd.convert_to_shape_keys()
    assert ob.data.shape_keys is None and ob.modifiers[0].show_viewport


@pytest.mark.parametrize("name", ["Smile", "GPBD Draped"])
def test_shape_keys_of_the_artist_and_draped_ones_are_never_lost(blender, baked, name):
    ob, _ = baked(3)
    ob.shape_key_add(name="Basis")
    ob.shape_key_add(name=name)
    with pytest.raises(RuntimeError, match=f"'{name}'"):
        blender.ops.gpbd.convert_to_shape_keys()
    assert [kb.name for kb in ob.data.shape_keys.key_blocks] == ["Basis", name]


def test_a_cache_of_another_vertex_count_is_refused_with_both_numbers(blender, baked):
    ob, _ = baked(3)
    ob.data.vertices.add(1)
    n = len(ob.data.vertices)
    with pytest.raises(RuntimeError, match=rf"{n - 1} vertices, the mesh {n}"):
        blender.ops.gpbd.convert_to_shape_keys()


def test_without_a_cache_there_is_a_clear_message(blender):
    ob = scenes.cloth(blender)
    blender.context.view_layer.objects.active = ob
    with pytest.raises(RuntimeError, match=r"bake it first\. \nFlag: has no cache"):
        blender.ops.gpbd.convert_to_shape_keys()
