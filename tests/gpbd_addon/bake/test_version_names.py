"""Names and notes of versions, kept with their caches."""

import shutil

import pytest

from solver.cache import pc2
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake

NAME, NOTE = "Lace, softer", "bending halved - 'take 3', für später"


@pytest.fixture
def flag(blender, tmp_path):
    flag = scenes.moving_flag(blender, tmp_path)
    banner = scenes.cloth(blender, "Banner", end=6, location=(3, 0, 1))
    blender.context.view_layer.objects.active = flag
    assert banner.gpbd.uuid
    bake(blender, frames=(1, 3))
    assert blender.ops.gpbd.name_version(number=1, name=f" {NAME} ", note=NOTE) == {"FINISHED"}
    return flag


def known(blender, number=1):
    from gpbd.gpbd_addon.bake import overview

    return next(one for one in overview.look(blender.context.scene).versions if one.number == number)


def test_they_are_in_the_manifests_of_all_bodies_and_can_be_taken_away(blender, flag, tmp_path):
    version = known(blender)
    assert (version.name, version.note, version.title) == (NAME, NOTE, f"v1 {NAME}")
    for path in version.paths.values():
        manifest = pc2.read_manifest(path)
        assert (manifest["name"], manifest["note"]) == (NAME, NOTE)
        assert pc2.damaged_frames(path) == []
    blender.ops.gpbd.name_version(number=1, name="", note="")
    assert known(blender).title == "v1" and known(blender).note == ""
    with pytest.raises(RuntimeError, match="v7: is not in"):
        blender.ops.gpbd.name_version(number=7, name="x")


def test_they_survive_resume_and_are_not_those_of_a_new_version(blender, flag):
    job = bake(blender, frames=(1, 6), resume=True)
    assert job.files.version == 1 and (known(blender).name, known(blender).note) == (NAME, NOTE)
    assert bake(blender, frames=(1, 6)).files.version == 2
    assert known(blender, 2).name == "" and known(blender).name == NAME


def test_they_survive_renaming_and_saving_elsewhere(blender, flag, tmp_path):
    """The cache folder goes with the file, as to a farm."""
    flag.name = "Cape"
    farm = tmp_path / "farm"
    blender.ops.wm.save_mainfile()
    shutil.copytree(tmp_path / "gpbd_cache", farm / "gpbd_cache")
    shutil.copy(tmp_path / "shot.blend", farm / "shot.blend")
    blender.ops.wm.open_mainfile(filepath=str(farm / "shot.blend"))
    version = known(blender)
    assert version.folder == farm / "gpbd_cache" and (version.name, version.note) == (NAME, NOTE)


def test_they_come_along_from_a_file_that_was_never_saved(blender, tmp_path):
    scenes.cloth(blender, end=3)
    bake(blender)
    blender.ops.gpbd.name_version(number=1, name=NAME, note=NOTE)
    scenes.save(blender, tmp_path)
    assert known(blender).folder == tmp_path / "gpbd_cache" and known(blender).name == NAME


def test_a_version_that_is_being_written_is_left_alone(blender, flag):
    from gpbd.gpbd_addon.bake import cache_path
    from gpbd.solver.cache.lock import Lock

    lock = Lock(cache_path.lock(known(blender).folder, flag.gpbd.uuid))
    lock.take()
    try:
        with pytest.raises(RuntimeError, match="is being written"):
            blender.ops.gpbd.name_version(number=1, name="x")
    finally:
        lock.release()
    assert known(blender).name == NAME
