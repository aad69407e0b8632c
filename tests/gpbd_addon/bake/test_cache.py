"""Caches: their paths and owners; clearing deletes nothing else."""

from pathlib import Path

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake


def save(bpy, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def test_a_cache_is_named_after_its_object_and_identity_beside_the_file(blender, tmp_path):
    ob = scenes.cloth(blender, 'Fl/ag: "é"', end=2)
    save(blender, tmp_path / "a.blend")
    bake(blender)
    name = f"Fl_ag___é_-{ob.gpbd.uuid[:8]}.v1.pc2"
    assert ob.modifiers[0].filepath == ob.gpbd.cache_file == f"//gpbd_cache/{name}"
    assert {p.suffix for p in (tmp_path / "gpbd_cache").iterdir()} == {".pc2", ".json", ".npz"}
    assert not list((tmp_path / "gpbd_cache").glob("*.part"))


def test_an_unsaved_file_bakes_into_a_temporary_folder_and_says_so(blender, tmp_path, monkeypatch):
    ob = scenes.cloth(blender, end=2)
    monkeypatch.chdir(tmp_path)
    job = bake(blender)
    path = Path(ob.modifiers[0].filepath)
    session = Path(blender.app.tempdir)
    assert path.parent.parent == session.parent and path.parent.name.startswith(session.name) and path.exists()
    assert not path.is_relative_to(session), "Blender deletes that folder when it ends"
    assert any("not saved" in warning and str(path.parent) in warning for warning in job.report.warnings)
    assert not list(tmp_path.iterdir())


def test_the_modifiers_path_is_followed_when_the_file_is_saved_elsewhere(blender, tmp_path):
    from gpbd.gpbd_addon.bake import cache_path

    ob = scenes.cloth(blender, end=2)
    save(blender, tmp_path / "one" / "a.blend")
    bake(blender)
    before = cache_path.of(ob)
    save(blender, tmp_path / "two" / "b.blend")
    copied = cache_path.of(ob)
    assert copied.parent == tmp_path / "two" / "gpbd_cache" and copied.read_bytes() == before.read_bytes()
    bake(blender)
    assert cache_path.of(ob).parent == copied.parent and before.exists()


def test_a_renamed_object_has_its_next_version_under_its_new_name(blender, tmp_path):
    ob = scenes.cloth(blender, end=2)
    save(blender, tmp_path / "a.blend")
    bake(blender)
    ob.name = "Banner"
    bake(blender)
    own = ob.gpbd.uuid[:8]
    assert {p.name for p in (tmp_path / "gpbd_cache").glob("*.pc2")} == {f"Flag-{own}.v1.pc2", f"Banner-{own}.v2.pc2"}


def test_a_copied_object_gets_a_cache_of_its_own_and_the_original_keeps_its(blender, tmp_path):
    ob = scenes.cloth(blender, end=2)
    save(blender, tmp_path / "a.blend")
    first = bake(blender)
    identity = ob.gpbd.uuid
    before = first.files.paths["Flag"].read_bytes()
    copy = ob.copy()
    copy.name = "A copy that sorts before"
    copy.location.x = 3
    blender.context.scene.collection.objects.link(copy)
    job = bake(blender, names=[copy.name])
    assert ob.gpbd.uuid == identity != copy.gpbd.uuid
    assert any("copy of 'Flag'" in warning for warning in job.report.warnings)
    assert ob.modifiers[0].filepath != copy.modifiers[0].filepath
    assert first.files.paths["Flag"].read_bytes() == before


def test_clearing_deletes_these_caches_and_nothing_else(blender, tmp_path):
    from gpbd.gpbd_addon.bake import trash

    ob = scenes.cloth(blender, end=2)
    other = scenes.cloth(blender, "Other", end=2, location=(4, 0, 1))
    save(blender, tmp_path / "a.blend")
    bake(blender, names=["Flag"])
    bake(blender, names=["Other"])
    foreign = tmp_path / "gpbd_cache" / "foreign.pc2"
    foreign.write_bytes(b"not ours")
    (tmp_path / "gpbd_cache" / "strange.state.npz").write_bytes(b"not ours")
    gone = trash.delete(blender.context.scene, [ob])
    assert sorted(path.suffix for path in gone) == [".json", ".npz", ".pc2"]
    assert len(list((tmp_path / "gpbd_cache").iterdir())) == 5
    assert not ob.modifiers[0].filepath and other.modifiers[0].filepath
    ob.modifiers[0].filepath = str(foreign)
    assert trash.delete(blender.context.scene, [ob]) == [] and foreign.exists()


def test_an_older_cache_survives_a_bake_that_fails_before_its_first_frame(blender, tmp_path):
    from gpbd.solver.errors import GpbdError

    ob = scenes.cloth(blender, end=2)
    save(blender, tmp_path / "a.blend")
    path = bake(blender).files.paths["Flag"]
    before = path.read_bytes(), path.with_suffix(".json").read_bytes(), ob.modifiers[0].filepath
    ob.data.clear_geometry()
    ob.data.from_pydata([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [], [(0, 1, 2)])
    with pytest.raises(GpbdError, match="no area"):
        bake(blender)
    assert (path.read_bytes(), path.with_suffix(".json").read_bytes(), ob.modifiers[0].filepath) == before
    assert len(list(path.parent.iterdir())) == 3, "no other version, and no lock"


def test_a_body_that_was_never_baked_plays_nothing_and_says_nothing_after_its_first_save(blender, tmp_path, capfd):
    """Blender makes "//../" of an empty path when an unsaved file is saved, and would then complain at each evaluation."""
    from gpbd.gpbd_addon.bake import cache_path, playback

    ob = scenes.cloth(blender, end=2)
    playback.ensure(ob)
    save(blender, tmp_path / "a.blend")
    blender.context.scene.frame_set(2)
    ob.update_tag()
    blender.context.view_layer.update()
    assert cache_path.of(ob) is None
    assert ob.modifiers[0].factor == 0
    output = capfd.readouterr()
    assert "header" not in output.out + output.err
    bake(blender)
    assert ob.modifiers[0].factor == 1 and cache_path.of(ob).is_file()
