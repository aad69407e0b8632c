"""Caches of a moved .blend file, or under a clock that goes back."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from solver.cache import pc2 as frames
from tests.covering_set import long
from tests.gpbd_addon import scenes
from tests.gpbd_addon.bake.test_bake_stopped import polled
from tests.gpbd_addon.scenes import bake, cache


@pytest.fixture
def moving(blender, tmp_path):
    return scenes.moving_flag(blender, tmp_path)


def shown(blender, frame):
    blender.context.scene.frame_set(frame)
    return scenes.evaluated_positions(blender, blender.data.objects["Flag"]).tobytes()


@pytest.mark.each_value
@pytest.mark.parametrize("copy", [False, True], ids=["save as", "save copy"])
@pytest.mark.parametrize("when", ["during", "after"])
def test_a_file_that_is_saved_in_another_folder_plays_what_was_baked(blender, moving, tmp_path, copy, when):
    """So does the one that it was; what the bake writes stays where it began."""
    whole = np.array(cache(bake(blender)))
    blender.ops.wm.save_mainfile()
    job = polled(blender, 3) if when == "during" else bake(blender)
    there = tmp_path / "elsewhere" / "shot_2.blend"
    there.parent.mkdir()
    blender.ops.wm.save_as_mainfile(filepath=str(there), copy=copy)
    while not job.poll(10):
        pass
    assert job.state == "done" and cache(job).tobytes() == whole.tobytes()
    assert job.files.folder == tmp_path / "gpbd_cache" and not list(tmp_path.rglob("*.lock"))
    assert shown(blender, 12) == whole[11].tobytes()
    blender.ops.wm.save_mainfile()
    for file in (there, tmp_path / "shot.blend"):
        blender.ops.wm.open_mainfile(filepath=str(file))
        assert shown(blender, 7) == whole[6].tobytes(), file.name


def test_what_plays_from_another_folder_is_told_and_gone_on_with_where_that_is_chosen(
    blender, moving, tmp_path, monkeypatch
):
    """After a Save As whose copying was stopped."""
    from gpbd.gpbd_addon.bake import saving
    from gpbd.gpbd_addon.ui import cache_state
    from gpbd.solver.errors import CacheError

    whole = np.array(cache(bake(blender)))
    bake(blender, frames=(1, 7))
    assert cache_state.notes(moving) == []
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr(saving, "_go_on", saving._waiting.clear)
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "elsewhere" / "shot_2.blend"))
    (told,) = cache_state.notes(moving)
    assert told.startswith(f"Plays from another folder, {tmp_path / 'gpbd_cache'}. Press Collect Caches, or choose it")
    with pytest.raises(CacheError, match=r"none of these bodies in .*elsewhere.gpbd_cache"):
        bake(blender, resume=True)
    blender.context.scene.gpbd.cache_folder = "//../gpbd_cache"
    assert cache_state.notes(moving) == []
    resumed = bake(blender, resume=True)
    assert cache(resumed).tobytes() == whole.tobytes() and resumed.files.version == 2


@pytest.mark.parametrize("years", [-20, *long(20)])
def test_a_clock_that_jumps_changes_no_bit_and_no_order(blender, moving, monkeypatch, years):
    """In the middle of a bake: files and lock are younger than now, or very old. The newest is known by its number."""
    from gpbd.gpbd_addon.bake import overview, repair, versions

    whole = np.array(cache(bake(blender)))
    now = time.time
    job = polled(blender, 3)
    monkeypatch.setattr(time, "time", lambda: now() + years * 3e7)
    (held,) = overview.look(blender.context.scene).locks.values()
    assert held.living and " min" in held.age
    job.cancel("Esc was pressed")
    while not job.poll(10):
        pass
    for path in job.files.folder.iterdir():  # as another clock has stamped them
        os.utime(path, (now() - years * 3e7,) * 2)
    assert overview.look(blender.context.scene).resumable.number == 2
    resumed = bake(blender, resume=True)
    assert resumed.files.version == 2 and cache(resumed).tobytes() == whole.tobytes()
    assert bake(blender).files.version == 3
    assert [one.number for one in versions.find(blender.context.scene)] == [3, 2, 1]
    path = resumed.files.paths["Flag"]
    Path(frames.manifest_path(path)).unlink()
    versions.play(moving, path, 1, 12, 49)
    repair.repair(blender.context.scene)
    assert frames.verify(path) == [] and not list(job.files.folder.glob("*.lock"))
