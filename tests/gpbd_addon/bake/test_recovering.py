"""Bakes of a session that Blender recovers, or that was never saved, are found again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from solver.cache import pc2 as frames
from tests.gpbd_addon import scenes
from tests.gpbd_addon.bake.test_saving import save, shown, unsaved, unsaved_flag
from tests.gpbd_addon.scenes import bake, cache


@pytest.fixture
def flag(blender, monkeypatch):
    yield from unsaved_flag(blender, monkeypatch)


RECOVERED = """
import os, sys
from pathlib import Path
sys.path.insert(0, {root!r})
import tests.conftest
from tests.gpbd_addon import conftest, scenes
import bpy
conftest.import_extension().register()
scenes.cloth(bpy, pins=[0, 6], end=4)
scenes.bake(bpy)
from gpbd.gpbd_addon.bake import cache_path
for hooks in (bpy.app.handlers.save_pre, bpy.app.handlers.save_post):
    hooks.clear()  # Blender's auto-save calls none
bpy.ops.wm.save_as_mainfile(filepath={file!r}, copy=True)
print("FOLDER", cache_path.unsaved_folder(), flush=True)
if {killed}:
    os._exit(9)
conftest._clear_hooks()
bpy.ops.wm.quit_blender()
"""


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "quit"])
def test_a_recovered_session_plays_its_frames_and_keeps_them_with_the_next_save(blender, tmp_path, killed):
    """The file that Blender saves by itself before it is killed, or when it ends, names the present paths of caches."""
    root, file = str(Path(__file__).resolve().parents[3]), str(tmp_path / "auto.blend")
    code = RECOVERED.format(root=root, file=file, killed=killed)
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    (line,) = [line for line in told.stdout.splitlines() if line.startswith("FOLDER")]
    left = Path(line.split()[1])
    try:
        blender.ops.wm.open_mainfile(filepath=file)
        (path,) = left.glob("*.pc2")
        written = frames.read_frames(path)[3].tobytes()
        assert shown(blender, 4) == written
        save(blender, tmp_path / "shots" / "shot.blend")
        assert blender.data.objects["Flag"].modifiers[0].filepath.startswith("//gpbd_cache/") and not left.exists()
        assert shown(blender, 4) == written
    finally:
        shutil.rmtree(left, ignore_errors=True)


def test_a_recovered_file_that_is_saved_in_place_still_says_that_it_is_in_a_temporary_folder(blender, flag, tmp_path):
    """Blender saves it there without a question. Its frames stay, and go with *Save As*."""
    from gpbd.gpbd_addon.bake import cache_path
    from gpbd.gpbd_addon.ui import cache_state

    whole = np.array(cache(bake(blender)))
    recovered = Path(blender.app.tempdir).parent / f"{os.getpid()}_test_autosave.blend"
    try:
        for _ in range(2):
            save(blender, recovered)
            assert shown(blender, 8) == whole[7].tobytes() and unsaved().exists() and not cache_path.is_saved()
            (note,) = cache_state.notes(flag)
            assert note.startswith("Recovered: ")
        save(blender, tmp_path / "shot.blend")
    finally:
        recovered.unlink(missing_ok=True)
    assert flag.modifiers[0].filepath.startswith("//gpbd_cache/") and not unsaved().exists()
    assert shown(blender, 8) == whole[7].tobytes() and cache_state.notes(flag) == []


def test_a_cache_that_is_not_where_the_file_says_is_found_among_unsaved_bakes(blender, flag, tmp_path, monkeypatch):
    """Blender was killed between writing the file and moving the caches that it names."""
    from gpbd.gpbd_addon.bake import saving

    whole = np.array(cache(bake(blender)))
    with monkeypatch.context() as patch:
        patch.setattr(saving, "_go_on", lambda: None)
        save(blender, tmp_path / "shot.blend")
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert shown(blender, 8) == whole[7].tobytes()
    assert blender.data.objects["Flag"].modifiers[0].filepath.startswith(str(unsaved()))
    blender.ops.wm.save_mainfile()
    assert blender.data.objects["Flag"].modifiers[0].filepath.startswith("//gpbd_cache/") and not unsaved().exists()


def test_recover_bake_lists_what_is_in_the_temporary_folder_plays_and_deletes_it(blender, flag, tmp_path):
    """The body was deleted, or its file is lost: another of as many vertices takes the bake over."""
    from gpbd.gpbd_addon.bake import recovery

    whole = np.array(cache(bake(blender)))
    bake(blender, frames=(1, 3))
    blender.ops.wm.read_homefile(use_empty=True)
    found = [one for one in recovery.left() if one.newest.parent == unsaved()]
    assert [str(one).split(", ")[:3] for one in found] == [["Flag: 2 versions", "3 frames", "49 vertices"]]
    with pytest.raises(RuntimeError, match="Select a GPBD body with"):
        blender.ops.gpbd.recover_bake()
    other = scenes.cloth(blender, "Banner", n=5)
    other.gpbd.uuid = "5" * 32
    blender.context.view_layer.objects.active = other
    with pytest.raises(RuntimeError, match="Select the"):
        blender.ops.gpbd.recover_bake()
    again = scenes.cloth(blender, "Banner")
    blender.context.view_layer.objects.active = again
    assert blender.ops.gpbd.recover_bake(bake=str(found[0].newest)) == {"FINISHED"}
    blender.ops.gpbd.choose_version(number=1)
    assert shown(blender, 8, again.name) == whole[7].tobytes()
    save(blender, tmp_path / "shot.blend")
    assert again.modifiers[0].filepath.startswith("//gpbd_cache/") and shown(blender, 8, again.name) == whole[7].tobytes()
    blender.ops.wm.read_homefile(use_empty=True)
    scenes.cloth(blender, end=2)
    bake(blender)
    assert blender.ops.gpbd.recover_bake(what="DELETE") == {"FINISHED"}
    assert not unsaved().exists() and blender.data.objects["Flag"].modifiers[0].filepath == ""
    assert not [one for one in recovery.left() if one.newest.parent == unsaved()]
