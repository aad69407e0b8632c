"""Export: files imported again equal the caches."""

import numpy as np
import pytest

from solver.cache import pc2


@pytest.fixture
def baked(blender, command, shot):
    """The file with caches of both bodies, and these."""
    assert command("bake")[0] == 0
    ends = {name: blender.path.abspath(blender.data.objects[name].modifiers[0].filepath) for name in ("Flag", "Other")}
    return {name: np.array(pc2.read_frames(path)) for name, path in ends.items()}


def positions(blender, ob, frame):
    blender.context.scene.frame_set(frame)
    mesh = ob.evaluated_get(blender.context.view_layer.depsgraph).data
    found = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", found)
    return found.reshape(-1, 3), mesh


def imported(blender, path):
    """The bodies of an exported file, alone in an empty scene."""
    blender.ops.wm.read_factory_settings(use_empty=True)
    if path.suffix == ".abc":
        blender.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    else:
        blender.ops.wm.usd_import(filepath=str(path))
    return {ob.name: ob for ob in blender.data.objects if ob.type == "MESH"}


@pytest.mark.parametrize("kind", ["abc", "usd"])
def test_alembic_and_usd_give_back_every_frame_and_its_velocities(blender, command, shot, baked, kind, tmp_path):
    """1e-6 m for positions: both formats keep single precision. 1e-4 m/s for velocities, which are differences of such
    positions times 24 frames a second."""
    out = tmp_path / "deep" / f"flag.{ {'abc': 'abc', 'usd': 'usdc'}[kind] }"
    before = shot.read_bytes()
    code, lines = command("export", "--format", kind, "--out", str(out))
    assert code == 0 and (lines[-1]["start"], lines[-1]["end"]) == (1, 4)
    assert shot.read_bytes() == before and not list(out.parent.glob("*.part*"))
    assert "velocity" not in blender.data.objects["Flag"].data.attributes
    found = imported(blender, out)
    assert set(found) == {"Flag", "Other"}
    for name, ob in found.items():
        frames = baked[name]
        for k, pose in enumerate(frames):
            x, mesh = positions(blender, ob, k + 1)
            assert np.abs(x - pose).max() <= 1e-6
            v = np.empty(x.size, np.float32)
            mesh.attributes["velocity"].data.foreach_get("vector", v)
            before, after = frames[max(k - 1, 0)], frames[min(k + 1, 3)]
            wanted = (after - before) * 24 / (min(k + 1, 3) - max(k - 1, 0))
            assert np.abs(v.reshape(-1, 3) - wanted).max() <= 1e-4
    assert np.abs(baked["Other"][-1] - baked["Other"][0]).max() > 1e-3, "it moves"


def test_shape_keys_go_into_a_copy_of_the_file(blender, command, shot, baked, tmp_path):
    """Exact: keys hold the numbers of the cache, and a frame shows one key."""
    before = shot.read_bytes()
    code, lines = command("export", "--format", "shape-keys", "--objects", "Flag")
    assert code == 0 and shot.read_bytes() == before
    assert lines[-1]["file"] == str(tmp_path / "shot_shape_keys.blend")
    blender.ops.wm.open_mainfile(filepath=lines[-1]["file"])
    for k, pose in enumerate(baked["Flag"]):
        assert positions(blender, blender.data.objects["Flag"], k + 1)[0].tobytes() == pose.tobytes()


def test_one_body_and_a_range_without_velocities(blender, command, baked, tmp_path):
    out = tmp_path / "other.abc"
    code, lines = command(
        "export", "--format", "abc", "--out", str(out), "--objects", "Other", "--frames", "2-3", "--no-velocities"
    )
    assert code == 0 and lines[-1]["objects"] == ["Other"]
    (ob,) = imported(blender, out).values()
    assert np.abs(positions(blender, ob, 2)[0] - baked["Other"][1]).max() <= 1e-6
    assert "velocity" not in positions(blender, ob, 3)[1].attributes


def test_what_cannot_be_exported_is_refused(blender, command, shot, tmp_path):
    (tmp_path / "file").write_text("")
    for argv, message in (
        (["--format", "abc"], "Flag: has no cache"),
        (["--format", "abc", "--out", str(tmp_path / "a.usd")], "ends in '.usd'; wanted .abc"),
        (["--format", "shape-keys", "--out", str(shot)], "is the file that is open"),
        (["--format", "usd", "--out", str(tmp_path / "file" / "a.usd")], "cannot be made"),
    ):
        code, lines = command("export", *argv)
        assert code == 1 and message in lines[-1]["text"]


def test_bodies_that_share_a_mesh_have_velocities_of_their_own(blender, command, shot, baked, tmp_path):
    """1e-4 m/s: differences of single precision."""
    flag, other = (blender.data.objects[name] for name in ("Flag", "Other"))
    other.data = flag.data
    code, _ = command("export", "--format", "abc", "--out", str(tmp_path / "both.abc"))
    assert code == 0
    for name, ob in imported(blender, tmp_path / "both.abc").items():
        v = np.empty(3 * len(baked[name][0]), np.float32)
        positions(blender, ob, 2)[1].attributes["velocity"].data.foreach_get("vector", v)
        assert np.abs(v.reshape(-1, 3) - (baked[name][2] - baked[name][0]) * 12).max() <= 1e-4


def test_a_hidden_body_is_not_left_out_without_a_word(blender, command, baked, tmp_path):
    flag, other = (blender.data.objects[name] for name in ("Flag", "Other"))
    other.select_set(True)
    flag.hide_set(True)
    code, lines = command("export", "--format", "abc", "--out", str(tmp_path / "a.abc"))
    assert code == 1 and "Flag: is hidden" in lines[-1]["text"] and not (tmp_path / "a.abc").exists()
    assert other.select_get() and "velocity" not in flag.data.attributes
