"""An hour of an artist's day in one go: baked unsaved, saved, renamed, saved elsewhere, copied, duplicated, undone, killed
in a bake, opened again, continued. The baked frames play at each stage, to the same bits."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache

ROOT = Path(__file__).parents[2]
#: A Blender that bakes a file and kills itself, as `kill -9` does, after a frame.
KILLED = """
import os, signal, sys
sys.path.insert(0, {root!r})
import tests.conftest
from tests.gpbd_addon.conftest import import_extension
import_extension().register()
import bpy
bpy.ops.wm.open_mainfile(filepath={file!r})
from gpbd.gpbd_addon.bake import engine
from gpbd.gpbd_addon.bake.job import BakeJob
engine.CHECKPOINT_FRAMES = 3
job = BakeJob(bpy.context.scene)
job.on_frame = lambda job: os.kill(os.getpid(), signal.SIGKILL) if job.report.frames == {frames} else None
job.run()
"""


@pytest.fixture
def flag(blender):
    from gpbd.gpbd_addon.bake import cache_path

    yield scenes.cloth(blender, pins=[0, 6], end=8)
    shutil.rmtree(cache_path.unsaved_folder(), ignore_errors=True)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no kill -9")
def test_nothing_of_an_hour_is_lost(blender, flag, tmp_path):
    from gpbd.gpbd_addon.bake import overview

    def plays(name, wanted, frame=8):
        scene = blender.context.scene
        scene.frame_set(frame)
        assert scenes.evaluated_positions(blender, blender.data.objects[name]).tobytes() == wanted[frame - 1].tobytes()

    def save(path, **how):
        path.parent.mkdir(exist_ok=True)
        blender.ops.wm.save_as_mainfile(filepath=str(path), **how)

    def step(message):
        blender.ops.ed.undo_push(message=message)

    first, second, copied = tmp_path / "a" / "shot.blend", tmp_path / "b" / "shot_2.blend", tmp_path / "c" / "copy.blend"
    baked = np.array(cache(bake(blender)))
    plays("Flag", baked)
    save(first)
    plays("Flag", baked)

    flag.name, blender.context.scene.name = "Banner", "Shot A"
    step("renamed")
    save(second)
    plays("Banner", baked)
    save(copied, copy=True)
    plays("Banner", baked)
    assert overview.look(blender.context.scene).changed == []

    twin = flag.copy()
    blender.context.collection.objects.link(twin)
    twin.location.x += 3
    step("duplicated")
    plays("Banner", baked)
    blender.ops.ed.undo()
    plays("Banner", baked)
    blender.ops.ed.redo()
    plays("Banner", baked)
    assert overview.look(blender.context.scene).changed == []
    both = bake(blender, frames=(1, 4))
    names = sorted(both.files.paths)
    assert names[0] == "Banner" and len(set(both.files.paths.values())) == 2
    save(second)

    whole = {name: np.array(cache(job, name)) for job in [bake(blender)] for name in names}
    save(second)
    script = KILLED.format(root=str(ROOT), file=str(second), frames=5)
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    blender.ops.wm.open_mainfile(filepath=str(second))
    plays("Banner", whole["Banner"])
    found = overview.look(blender.context.scene)
    assert found.resumable is not None and found.resumable is not found.playing
    resumed = bake(blender, resume=True)
    for name in names:
        assert cache(resumed, name).tobytes() == whole[name].tobytes()
        plays(name, whole[name])

    for path, name in ((first, "Flag"), (copied, "Banner")):  # each has its former frames
        blender.ops.wm.open_mainfile(filepath=str(path))
        plays(name, baked)
        assert overview.look(blender.context.scene).changed == []
