"""Saving a file takes its caches along, those that it baked while it was unsaved and those of the file that it was before,
and nothing is lost where that fails."""

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from solver.cache import pc2 as frames
from tests.gpbd_addon import scenes
from tests.gpbd_addon.bake.test_bake_stopped import polled
from tests.gpbd_addon.scenes import bake, cache


def unsaved():
    from gpbd.gpbd_addon.bake import cache_path

    return cache_path.unsaved_folder()


def unsaved_flag(blender, monkeypatch):
    """A flag in a file that was never saved, with a checkpoint after each frame. Its bakes are gone at the end."""
    from gpbd.gpbd_addon.bake import engine

    monkeypatch.setattr(engine, "CHECKPOINT_SECONDS", 0.0)
    shutil.rmtree(unsaved(), ignore_errors=True)
    yield scenes.cloth(blender, pins=[0, 6], end=8)
    shutil.rmtree(unsaved(), ignore_errors=True)


@pytest.fixture
def flag(blender, monkeypatch):
    yield from unsaved_flag(blender, monkeypatch)


def shown(blender, frame, name="Flag"):
    blender.context.scene.frame_set(frame)
    return scenes.evaluated_positions(blender, blender.data.objects[name]).tobytes()


def save(blender, path, **how):
    path.parent.mkdir(parents=True, exist_ok=True)
    blender.ops.wm.save_as_mainfile(filepath=str(path), **how)


def another_disk(monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.parametrize("disk", ["the same", "another"])
def test_the_first_save_takes_all_versions_with_manifests_and_checkpoints_along(blender, flag, tmp_path, monkeypatch, disk):
    """Both play afterwards, also from the file that is opened again, and are gone on with to the same bits."""
    bake(blender, frames=(1, 3))
    whole = np.array(cache(bake(blender)))
    bake(blender, frames=(1, 5))
    before = {path.name: path.read_bytes() for path in unsaved().iterdir()}
    assert {Path(name).suffix for name in before} == {".pc2", ".json", ".npz"}
    if disk == "another":
        another_disk(monkeypatch)
    save(blender, tmp_path / "shot.blend")
    folder = tmp_path / "gpbd_cache"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before and not unsaved().exists()
    assert flag.modifiers[0].filepath == flag.gpbd.cache_file == f"//gpbd_cache/Flag-{flag.gpbd.uuid[:8]}.v3.pc2"
    assert shown(blender, 5) == whole[4].tobytes()
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert blender.data.objects["Flag"].modifiers[0].filepath.startswith("//gpbd_cache/")
    assert shown(blender, 5) == whole[4].tobytes()
    assert cache(bake(blender, resume=True)).tobytes() == whole.tobytes()


def test_save_copy_gives_the_copy_frames_of_its_own_and_the_session_keeps_its(blender, flag, tmp_path):
    whole = np.array(cache(bake(blender)))
    before = flag.modifiers[0].filepath
    save(blender, tmp_path / "copy" / "copy.blend", copy=True)
    assert flag.modifiers[0].filepath == before and shown(blender, 8) == whole[7].tobytes()
    save(blender, tmp_path / "shot.blend")
    (copied,), (moved,) = ((tmp_path / name).glob("gpbd_cache/*.pc2") for name in ("copy", "."))
    assert not os.path.samefile(copied, moved)
    for file in ("copy/copy.blend", "shot.blend"):
        blender.ops.wm.open_mainfile(filepath=str(tmp_path / file))
        assert shown(blender, 8) == whole[7].tobytes(), file
        assert frames.verify(blender.path.abspath(blender.data.objects["Flag"].modifiers[0].filepath)) == []


def test_a_file_that_is_saved_during_its_first_bake_has_the_frames_when_that_ends(blender, flag, tmp_path):
    job = polled(blender, 3)
    job.show()
    save(blender, tmp_path / "shot.blend")
    assert flag.modifiers[0].filepath.startswith(str(unsaved()))
    while not job.poll(10):
        pass
    assert job.state == "done" and not unsaved().exists()
    (path,) = (tmp_path / "gpbd_cache").glob("*.pc2")
    assert len(frames.read_frames(path)) == 8 and shown(blender, 8) == frames.read_frames(path)[7].tobytes()


@pytest.mark.parametrize("trouble", ["full", "no folder", "read-only"])
def test_frames_that_cannot_be_brought_play_on_from_where_they_are(blender, flag, tmp_path, monkeypatch, capfd, trouble):
    """The disk of the file is full, its cache folder cannot be made, as a file has that name, or nothing can be written
    into it. The next save tries again."""
    from gpbd.solver.cache import lock, relocation

    whole = np.array(cache(bake(blender)))
    before = {path.name: path.read_bytes() for path in unsaved().iterdir()}
    with monkeypatch.context() as patch:
        scenes.workers_in_threads(patch)
        another_disk(patch)
        if trouble == "full":
            copy = relocation._copy

            def full(source, part, copied):
                copy(source, part, copied)
                if source.suffix == ".pc2":
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

            patch.setattr(relocation, "_copy", full)
        elif trouble == "read-only":

            def refused(self):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))

            patch.setattr(lock.Lock, "_open", refused)
        else:
            (tmp_path / "gpbd_cache").write_bytes(b"")
        save(blender, tmp_path / "shot.blend")
    assert {path.name: path.read_bytes() for path in unsaved().iterdir()} == before
    assert flag.modifiers[0].filepath.startswith(str(unsaved())) and shown(blender, 8) == whole[7].tobytes()
    remedies = {
        "full": "Free 1 MB there or choose",
        "no folder": "Choose",
        "read-only": "Make the folder writable or choose",
    }
    remedy, told = f"{remedies[trouble]} another Cache Folder, then press Collect Caches", capfd.readouterr().out
    assert f"{remedy}; all frames still are in {unsaved()}" in told
    if trouble != "no folder":
        assert not list((tmp_path / "gpbd_cache").iterdir())
    else:
        (tmp_path / "gpbd_cache").unlink()
    blender.ops.wm.save_mainfile()
    assert flag.modifiers[0].filepath.startswith("//gpbd_cache") and shown(blender, 8) == whole[7].tobytes()


def test_collecting_is_stopped_and_nothing_has_moved(blender, flag, tmp_path, monkeypatch):
    """Esc right after it has begun, and again once the worker has a request."""
    from gpbd.gpbd_addon.bake import saving
    from gpbd.gpbd_addon.bake.collect_job import CollectJob

    bake(blender)
    before = sorted(path.name for path in unsaved().iterdir())
    monkeypatch.setattr(saving, "_go_on", lambda: None)
    save(blender, tmp_path / "shot.blend")
    saving.end()
    for polls in (0, 1):
        job = CollectJob(blender.context.scene)
        job.start()
        for _ in range(polls):
            job.poll()
        job.cancel("Esc was pressed")
        while not job.poll(10):
            pass
        assert job.state == "cancelled" and job.brought == []
        assert sorted(path.name for path in unsaved().iterdir()) == before and not list(tmp_path.glob("gpbd_cache/*"))
    assert blender.ops.gpbd.collect_caches() == {"FINISHED"}
    assert sorted(path.name for path in (tmp_path / "gpbd_cache").iterdir()) == before and not unsaved().exists()


def test_undo_after_a_save_does_not_lose_the_frames(blender, flag, tmp_path):
    whole = np.array(cache(bake(blender)))
    blender.ops.ed.undo_push(message="baked")
    blender.context.scene.gpbd.wind = (1, 0, 0)
    blender.ops.ed.undo_push(message="wind")
    save(blender, tmp_path / "shot.blend")
    blender.ops.ed.undo()
    assert blender.context.scene.gpbd.wind[0] == 0.0
    assert shown(blender, 8) == whole[7].tobytes()


def test_versions_that_the_folder_has_of_the_same_body_stay_and_the_others_get_numbers_after_them(blender, flag, tmp_path):
    """A body that was appended from a file beside which the new one is saved: both have a version 1."""
    first = np.array(cache(bake(blender, frames=(1, 4))))
    save(blender, tmp_path / "one.blend")
    blender.ops.wm.read_homefile(use_empty=True)
    with blender.data.libraries.load(str(tmp_path / "one.blend")) as (_, here):
        here.objects = ["Flag"]
    (again,) = here.objects
    blender.context.scene.collection.objects.link(again)
    again.gpbd.density_area *= 3
    whole = np.array(cache(bake(blender, frames=(1, 8))))
    bake(blender, frames=(1, 5))
    save(blender, tmp_path / "two.blend")
    from gpbd.gpbd_addon.bake import versions

    known = {one.number: one for one in versions.find(blender.context.scene)}
    assert sorted(known) == [1, 2, 3] and known[3].plays and again.gpbd.cache_info.startswith("v3: ")
    assert frames.read_frames(known[1].paths["Flag"]).tobytes() == first.tobytes()
    assert frames.read_manifest(known[3].paths["Flag"])["version"] == 3
    assert cache(bake(blender, frames=(1, 8), resume=True)).tobytes() == whole.tobytes()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def disk_full(patch):
    """Once a manifest and checkpoints are copied."""
    from gpbd.solver.cache import relocation

    copy = relocation._copy

    def full(source, part, copied):
        copy(source, part, copied)
        if source.suffix == ".pc2":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    scenes.workers_in_threads(patch)
    patch.setattr(relocation, "_copy", full)


@pytest.fixture
def saved(blender, flag, tmp_path):
    """The flag in one/shot.blend with two versions of which the first plays; its frames."""
    save(blender, tmp_path / "one" / "shot.blend")
    whole = np.array(cache(bake(blender)))
    bake(blender, frames=(1, 2))
    blender.ops.gpbd.choose_version(number=1)
    blender.ops.wm.save_mainfile()
    return whole


def test_save_as_copies_all_versions_and_both_files_play_and_go_on_with_their_own(blender, flag, saved, tmp_path):
    before = contents(tmp_path / "one" / "gpbd_cache")
    save(blender, tmp_path / "two" / "shot.blend")
    assert contents(tmp_path / "two" / "gpbd_cache") == before == contents(tmp_path / "one" / "gpbd_cache")
    name = f"//gpbd_cache/Flag-{flag.gpbd.uuid[:8]}.v1.pc2"
    assert flag.modifiers[0].filepath == flag.gpbd.cache_file == name and flag.gpbd.cache_origin == ""
    assert shown(blender, 8) == saved[7].tobytes()
    for file in ("two", "one"):
        blender.ops.wm.open_mainfile(filepath=str(tmp_path / file / "shot.blend"))
        again = blender.data.objects["Flag"]
        assert Path(blender.path.abspath(again.modifiers[0].filepath)) == tmp_path / file / "gpbd_cache" / Path(name).name
        assert shown(blender, 8) == saved[7].tobytes(), file
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "two" / "shot.blend"))
    assert bake(blender, frames=(1, 9), resume=True).state == "done"
    assert contents(tmp_path / "one" / "gpbd_cache") == before


def test_save_as_in_the_same_folder_copies_nothing(blender, flag, saved, tmp_path):
    before = contents(tmp_path / "one" / "gpbd_cache")
    save(blender, tmp_path / "one" / "shot_2.blend")
    assert contents(tmp_path / "one" / "gpbd_cache") == before and shown(blender, 8) == saved[7].tobytes()


def test_save_copy_of_a_saved_file_copies_what_plays_and_the_session_stays_with_its_own(blender, flag, saved, tmp_path):
    before, played = contents(tmp_path / "one" / "gpbd_cache"), flag.modifiers[0].filepath
    save(blender, tmp_path / "copy" / "copy.blend", copy=True)
    assert flag.modifiers[0].filepath == played and shown(blender, 8) == saved[7].tobytes()
    copied = contents(tmp_path / "copy" / "gpbd_cache")
    assert {name for name in copied if name.endswith(".pc2")} == {Path(played).name}
    assert (
        all(before[name] == content for name, content in copied.items())
        and contents(tmp_path / "one" / "gpbd_cache") == before
    )
    shutil.rmtree(tmp_path / "one")
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "copy" / "copy.blend"))
    assert shown(blender, 8) == saved[7].tobytes()


def test_a_save_as_while_it_bakes_copies_once_the_bake_has_ended(blender, flag, saved, tmp_path):
    job = polled(blender, 3)
    job.show()
    save(blender, tmp_path / "two" / "shot.blend")
    assert not list(tmp_path.glob("two/gpbd_cache/*"))
    while not job.poll(10):
        pass
    assert job.state == "done" and flag.modifiers[0].filepath.endswith(".v3.pc2")
    assert contents(tmp_path / "two" / "gpbd_cache") == contents(tmp_path / "one" / "gpbd_cache")
    assert flag.modifiers[0].filepath.startswith("//gpbd_cache/")


@pytest.mark.each_value
@pytest.mark.parametrize("trouble", ["full", "no folder", "Esc"])
@pytest.mark.parametrize("copy", [False, True], ids=["as", "copy"])
def test_a_file_whose_caches_could_not_be_copied_plays_those_of_the_file_before(
    blender, flag, saved, tmp_path, monkeypatch, capfd, trouble, copy
):
    """In the session and when it is opened again; Collect Caches tries again."""
    from gpbd.gpbd_addon.bake import saving
    from gpbd.gpbd_addon.bake.collect_job import CollectJob

    before, into = contents(tmp_path / "one" / "gpbd_cache"), tmp_path / "two" / "gpbd_cache"
    with monkeypatch.context() as patch:
        if trouble == "full":
            disk_full(patch)
        elif trouble == "no folder":
            into.parent.mkdir()
            into.write_bytes(b"")
        else:
            patch.setattr(saving, "_go_on", lambda: None)
        save(blender, tmp_path / "two" / "shot.blend", copy=copy)
        if trouble == "Esc":
            job = CollectJob(blender.context.scene, *saving._waiting.pop())
            job.start()
            job.poll()
            job.cancel("Esc was pressed")
            while not job.poll(10):
                pass
            assert job.state == "cancelled" and job.brought == []
    if trouble == "full":
        assert "Free 1 MB there" in capfd.readouterr().out
    assert contents(tmp_path / "one" / "gpbd_cache") == before and not list(into.glob("*"))
    assert shown(blender, 8) == saved[7].tobytes()
    into.unlink() if trouble == "no folder" else None
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "two" / "shot.blend"))
    assert shown(blender, 8) == saved[7].tobytes()
    assert blender.ops.gpbd.collect_caches() == {"FINISHED"}
    assert blender.data.objects["Flag"].modifiers[0].filepath == f"//gpbd_cache/{flag_name(before)}"
    assert shown(blender, 8) == saved[7].tobytes() and (into / flag_name(before)).exists()


def flag_name(files):
    return next(name for name in files if name.endswith(".v1.pc2"))


def test_undo_after_a_save_as_that_was_stopped_plays_the_caches_of_the_file_before(
    blender, flag, saved, tmp_path, monkeypatch
):
    from gpbd.gpbd_addon.bake import saving

    blender.ops.ed.undo_push(message="baked")
    blender.context.scene.gpbd.wind = (1, 0, 0)
    blender.ops.ed.undo_push(message="wind")
    monkeypatch.setattr(saving, "_go_on", saving._waiting.clear)
    save(blender, tmp_path / "two" / "shot.blend")
    blender.ops.ed.undo()
    assert blender.context.scene.gpbd.wind[0] == 0.0 and shown(blender, 8) == saved[7].tobytes()


def test_caches_of_a_folder_that_cannot_be_written_are_copied_all_the_same(blender, flag, saved, tmp_path, monkeypatch):
    """No lock can be made there: neither can a bake that it would keep out."""
    from gpbd.gpbd_addon.bake import collecting
    from gpbd.solver.cache import lock

    locked, take = [], lock.Lock.take

    def refused(self, *arguments):
        locked.append(self.path.parent)
        return take(self, *arguments)

    scenes.workers_in_threads(monkeypatch)
    monkeypatch.setattr(lock.Lock, "take", refused)
    monkeypatch.setattr(collecting.os, "access", lambda path, how: Path(path) != tmp_path / "one" / "gpbd_cache")
    save(blender, tmp_path / "two" / "shot.blend")
    assert locked == [tmp_path / "two" / "gpbd_cache"] and flag.modifiers[0].filepath.startswith("//gpbd_cache/")


def test_what_plays_from_the_folder_of_another_file_is_copied_when_asked(blender, flag, saved, tmp_path):
    save(blender, tmp_path / "two" / "shot.blend")
    names = [sorted(path.name for path in (tmp_path / "two" / "gpbd_cache").glob("*.pc2"))]
    flag.modifiers[0].filepath = str(tmp_path / "one" / "gpbd_cache" / names[0][0])
    shutil.rmtree(tmp_path / "two" / "gpbd_cache")
    blender.ops.gpbd.collect_caches()
    assert flag.modifiers[0].filepath == f"//gpbd_cache/Flag-{flag.gpbd.uuid[:8]}.v1.pc2"
    assert shown(blender, 8) == saved[7].tobytes()
    names = [sorted(path.name for path in (tmp_path / one / "gpbd_cache").glob("*.pc2")) for one in ("one", "two")]
    assert len(names[0]) == 2 and names[1] == names[0][:1]
    assert bake(blender, frames=(1, 9), resume=True).state == "done"
