"""Versions of caches: each bake has its own, none is lost unless deleted, and a bake continues from any checkpoint."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from solver.cache import pc2 as frames
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache


@pytest.fixture
def moving(blender, tmp_path, monkeypatch):
    """The moving flag, with a checkpoint after each frame."""
    from gpbd.gpbd_addon.bake import engine

    monkeypatch.setattr(engine, "CHECKPOINT_SECONDS", 0.0)
    return scenes.moving_flag(blender, tmp_path)


def overview(blender):
    from gpbd.gpbd_addon.bake import overview

    return overview.look(blender.context.scene)


def test_a_bake_leaves_the_version_before_and_plays_from_its_first_frame(blender, moving):
    from gpbd.gpbd_addon.bake.job import BakeJob

    first = bake(blender, frames=(1, 3))
    before = first.files.paths["Flag"].read_bytes()
    job, seen = BakeJob(blender.context.scene, frames=(1, 4)), []
    job.on_start = lambda job: seen.append(moving.modifiers[0].filepath)
    job.run()
    assert seen == [f"//gpbd_cache/{first.files.paths['Flag'].name}"]
    assert first.files.paths["Flag"].read_bytes() == before
    assert moving.modifiers[0].filepath.endswith(".v2.pc2")
    two, one = overview(blender).versions
    assert (two.number, two.frames, two.plays) == (2, 4, True) and (one.number, one.frames, one.plays) == (1, 3, False)
    assert two.complete and two.seconds > 0 and two.quality and two.checkpoints == (2, 3, 4)


def test_an_older_version_is_chosen_and_gone_on_with(blender, moving):
    whole = np.array(cache(bake(blender, frames=(1, 6))))
    bake(blender, frames=(1, 3))
    bake(blender, frames=(1, 3))
    assert blender.ops.gpbd.choose_version(number=2) == {"FINISHED"}
    assert moving.modifiers[0].filepath.endswith(".v2.pc2")
    job = bake(blender, frames=(1, 6), resume=True)
    assert job.files.version == 2 and cache(job).tobytes() == whole.tobytes()
    with pytest.raises(RuntimeError, match="is not in"):
        blender.ops.gpbd.choose_version(number=9)


def test_the_trash_keeps_what_plays_unless_everything_is_asked_for(blender, moving):
    for _ in range(3):
        job = bake(blender, frames=(1, 2))
    folder = job.files.folder
    blender.ops.gpbd.choose_version(number=2)
    assert blender.ops.gpbd.clear_cache() == {"FINISHED"}
    assert [one.number for one in overview(blender).versions] == [2]
    assert not [path for path in folder.iterdir() if ".v1." in path.name or ".v3." in path.name]
    blender.ops.gpbd.clear_cache(what="ONE", version=2)
    assert not list(folder.iterdir()) and not moving.modifiers[0].filepath


def test_the_trash_leaves_no_body_without_a_cache_where_bodies_play_different_versions(blender, moving):
    """One was baked alone: the other plays the version before, which is its only one."""
    banner = scenes.cloth(blender, "Banner", end=12, location=(3, 0, 1))
    bake(blender, frames=(1, 2))
    bake(blender, frames=(1, 2), names=["Flag"])
    assert [(one.number, set(one.playing), one.plays) for one in overview(blender).versions] == [
        (2, {"Flag"}, True),
        (1, {"Banner"}, False),
    ]
    blender.ops.gpbd.clear_cache(what="OLD")
    assert [one.number for one in overview(blender).versions] == [2, 1]
    moving.modifiers.remove(moving.modifiers[0])
    banner.modifiers.remove(banner.modifiers[0])
    moving.gpbd.cache_file = banner.gpbd.cache_file = ""
    blender.ops.gpbd.clear_cache(what="OLD")
    assert [one.number for one in overview(blender).versions] == [2, 1], "the newest of each, where none plays"


def test_the_trash_takes_the_checkpoints_of_no_other_version_where_a_manifest_is_damaged(blender, moving):
    one, two = bake(blender, frames=(1, 3)), bake(blender, frames=(1, 3))
    frames.manifest_path(one.files.paths["Flag"]).write_text("{")
    blender.ops.gpbd.clear_cache(what="ONE", version=1)
    assert one.files.checkpoints.frames() == [] and two.files.checkpoints.frames() == [2, 3]
    assert not one.files.paths["Flag"].exists() and bake(blender, frames=(1, 4), resume=True).files.version == 2


def test_what_goes_is_named_with_frames_and_time(blender, moving):
    from gpbd.gpbd_addon.bake import trash

    bake(blender, frames=(1, 3))
    bake(blender, frames=(1, 2))
    known = overview(blender).versions
    assert trash.summary(known).startswith("v2, v1 of Flag: 5 frames, ") and trash.summary(known).endswith("of computing")
    assert [one.number for one in trash.superseded(known)] == [1]


def test_baking_from_a_frame_takes_over_the_frames_before_and_the_settings_of_now(blender, moving):
    """Without a change the frames are those of a bake that was not stopped, bit for bit; the weight changes them later."""
    whole = np.array(cache(bake(blender, frames=(1, 8))))
    same = bake(blender, frames=(1, 8), resume=True, from_frame=5)
    assert same.files.version == 2 and cache(same).tobytes() == whole.tobytes()
    weight = moving.gpbd.density_area
    moving.gpbd.density_area *= 3
    blender.context.scene.gpbd.substeps += 2
    job = bake(blender, frames=(1, 8), resume=True, from_frame=5)
    new = cache(job)
    assert job.files.version == 3 and new[:5].tobytes() == whole[:5].tobytes()
    assert all(np.abs(new[k] - whole[k]).max() > 1e-5 for k in (5, 6, 7))
    assert np.abs(new[5] - whole[5]).max() < 0.05, "it goes on from where everything was"
    (change,) = frames.read_manifest(job.files.paths["Flag"])["changes"]
    assert change["frame"] == 6 and change["from_version"] == 2
    assert job.files.beginning == " v3 has the frames to 5 of v2, to its nearest checkpoint."
    assert "Substeps (was 3)" in change["changed"]
    assert f"'Flag' Weight or Density (was {1e3 * weight:.4g} g/m²)" in change["changed"]
    assert frames.verify(job.files.paths["Flag"]) == []
    assert overview(blender).versions[0].changes[0][0] == 6


@pytest.mark.parametrize("setting", ["EULER", "self_contact", "pins", "fabric", "sleep"])
def test_settings_whose_state_does_not_fit_begin_anew_from_a_frame(blender, moving, setting):
    """The next frame is as far away as things move in a frame: 7 cm where they fall free, for 4 frames at 24 a second."""
    scene = blender.context.scene
    whole = np.array(cache(bake(blender, frames=(1, 5))))
    if setting == "EULER":
        scene.gpbd.integrator = next(
            item.identifier for item in scene.gpbd.bl_rna.properties["integrator"].enum_items if item.identifier != "BDF2"
        )
    elif setting == "self_contact":
        moving.gpbd.self_contact = True
    elif setting == "pins":
        moving.vertex_groups["pins"].add([3], 1.0, "REPLACE")
    elif setting == "sleep":
        scene.gpbd.sleep = not scene.gpbd.sleep
    else:
        moving.gpbd.strain_limit.use = not moving.gpbd.strain_limit.use
    job = bake(blender, frames=(1, 5), resume=True, from_frame=4)
    assert cache(job)[:4].tobytes() == whole[:4].tobytes()
    assert 0.05 < np.abs(cache(job)[4] - cache(job)[3]).max() < 0.1


def test_a_bake_from_here_cut_off_before_its_first_checkpoint_is_resumed_with_its_settings(blender, moving):
    """Its frames up to the checkpoint are of the version before; what follows is not."""
    from gpbd.solver.errors import CacheError

    bake(blender, frames=(1, 4))
    moving.gpbd.density_area *= 3
    job = bake(blender, frames=(1, 8), resume=True, from_frame=4)
    whole = np.array(cache(job))
    job.files.checkpoints.remove(after=4)
    moving.gpbd.density_area /= 3
    with pytest.raises(CacheError, match="change back 'Flag' Weight or Density"):
        bake(blender, frames=(1, 8), resume=True)
    moving.gpbd.density_area *= 3
    again = bake(blender, frames=(1, 8), resume=True)
    assert again.files.version == 2 and cache(again).tobytes() == whole.tobytes()


def test_another_mesh_is_refused_by_name_from_a_frame(blender, moving):
    from gpbd.solver.errors import CacheError

    job = bake(blender, frames=(1, 4))
    with pytest.raises(CacheError, match="first one is after frame 2"):
        bake(blender, frames=(1, 4), resume=True, from_frame=1)
    moving.data.vertices[3].co.x += 0.01
    with pytest.raises(CacheError, match=r"Press Bake to begin anew, or change back 'Flag' shape at the first frame\."):
        bake(blender, frames=(1, 4), resume=True, from_frame=3)
    blender.data.objects.remove(blender.data.objects["Ball"])
    with pytest.raises(CacheError, match="'Ball'"):
        bake(blender, frames=(1, 4), resume=True, from_frame=3)
    assert list(job.files.folder.glob("*.pc2")) == [job.files.paths["Flag"]]


def test_a_cache_of_before_there_were_versions_plays_and_stays(blender, moving):
    """Its name has no number, its manifest no checkpoints: it is listed as version 0, and is not resumed."""
    from gpbd.gpbd_addon.bake import versions
    from gpbd.solver.errors import CacheError

    job = bake(blender, frames=(1, 3))
    path = job.files.paths["Flag"]
    old = path.with_name(path.name.replace(".v1", ""))
    path.rename(old)
    manifest = json.loads(frames.manifest_path(path).read_text())
    for key in ("version", "begun", "end", "quality", "checkpoints", "made_from", "changes"):
        del manifest[key]
    frames.manifest_path(old).write_text(json.dumps(manifest))
    for left in job.files.folder.glob("*.v1.*"):
        left.unlink()
    versions.choose(blender.context.scene, 0)
    assert moving.modifiers[0].filepath.endswith(f"/{old.name}")
    (version,) = overview(blender).versions
    assert (version.number, version.frames, version.plays, version.complete) == (0, 3, True, True)
    with pytest.raises(CacheError, match="nothing to resume"):
        bake(blender, frames=(1, 4), resume=True)
    assert bake(blender, frames=(1, 2)).files.version == 1 and old.exists() and frames.verify(old) == []


def test_a_second_process_is_told_who_bakes(blender, moving, tmp_path):
    """Another Blender on this machine: its process holds the lock, and lets go of it as it is killed."""
    from gpbd.gpbd_addon.bake import cache_path
    from gpbd.solver.errors import LockedError

    folder = cache_path.folder(blender.context.scene)
    folder.mkdir(exist_ok=True)
    lock = cache_path.lock(folder, moving.gpbd.uuid)
    script = f"""
import sys
from pathlib import Path
from solver.cache.lock import Lock
Lock(Path({str(lock)!r})).take()
print("locked", flush=True)
sys.stdin.read()
"""
    root = Path(__file__).parents[3]
    other = subprocess.Popen(
        [sys.executable, "-c", script], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(LockedError, match=rf"is being written by machine '.*', process {other.pid}, since"):
            bake(blender, frames=(1, 2))
        with pytest.raises(LockedError, match="is being written"):
            bake(blender, frames=(1, 2), take_over=True)
        assert not overview(blender).of_other_machines
    finally:
        other.kill()
        other.wait()
    job = bake(blender, frames=(1, 2))
    assert job.state == "done" and not lock.exists()


def test_a_lock_of_another_machine_is_asked_about(blender, moving):
    from gpbd.gpbd_addon.bake import cache_path
    from gpbd.solver.errors import LockedError

    job = bake(blender, frames=(1, 2))
    lock = cache_path.lock(job.files.folder, moving.gpbd.uuid)
    lock.write_text(json.dumps({"machine": "render7", "process": 12, "begun": 1.7e9, "version": 1}))
    os.utime(lock, (1.7e9, 1.7e9))
    with pytest.raises(LockedError, match=r"locked, last heard of \d+ h.*by machine 'render7', process 12.*press Unlock"):
        bake(blender, frames=(1, 2))
    assert [held.machine for held in overview(blender).of_other_machines.values()] == ["render7"]
    assert bake(blender, frames=(1, 3), resume=True, take_over=True).state == "done"
    lock.write_text(json.dumps({"machine": "render7", "process": 12, "begun": 1.7e9, "version": 1}))
    assert blender.ops.gpbd.unlock_cache() == {"FINISHED"} and not lock.exists()


def test_a_bake_that_was_cut_off_is_what_resume_goes_on_with(blender, moving, tmp_path):
    """The file plays version 1; the process that wrote version 2 was killed, and so left its lock."""
    from gpbd.gpbd_addon.bake import cache_path
    from gpbd.solver.errors import CacheError

    whole = np.array(cache(bake(blender, frames=(1, 6))))
    bake(blender, frames=(1, 4))
    blender.ops.gpbd.choose_version(number=1)
    lock = cache_path.lock(cache_path.folder(blender.context.scene), moving.gpbd.uuid)
    import socket

    lock.write_text(json.dumps({"machine": socket.gethostname(), "process": 1, "begun": 1.7e9, "version": 2}))
    assert overview(blender).resumable.number == 2
    blender.context.scene.gpbd.substeps += 1
    with pytest.raises(CacheError, match="Substeps"):
        bake(blender, resume=True)
    blender.context.scene.gpbd.substeps -= 1
    assert overview(blender).resumable.number == 2, "what was refused is still cut off"
    job = bake(blender, frames=(1, 6), resume=True)
    assert job.files.version == 2 and cache(job).tobytes() == whole.tobytes() and not lock.exists()


def test_a_bake_that_was_cut_off_before_its_first_checkpoint_keeps_no_other_from_being_resumed(blender, moving):
    import shutil
    import socket

    from gpbd.gpbd_addon.bake import cache_path

    path = bake(blender, frames=(1, 3)).files.paths["Flag"]
    shutil.copyfile(path, path.with_name(path.name.replace(".v1.", ".v2.")))
    lock = cache_path.lock(path.parent, moving.gpbd.uuid)
    lock.write_text(json.dumps({"machine": socket.gethostname(), "process": 1, "begun": 1.7e9, "version": 2}))
    assert overview(blender).resumable.number == 1
    job = bake(blender, frames=(1, 4), resume=True)
    assert job.files.version == 1 and len(cache(job)) == 4


def test_in_a_window_nothing_is_read_while_it_is_drawn(blender, moving, monkeypatch):
    """A timer updates unknown state soon after."""

    from gpbd.gpbd_addon.bake import overview

    bake(blender, frames=(1, 2))
    begun = []
    timers = SimpleNamespace(
        is_registered=lambda function: function in begun, register=lambda function, first_interval: begun.append(function)
    )
    with monkeypatch.context() as patch:
        patch.setattr(overview, "bpy", SimpleNamespace(app=SimpleNamespace(background=False, timers=timers)))
        patch.setattr(overview, "look", None)
        overview._known.clear()
        assert overview.of(blender.context.scene) == overview.Overview()
        assert overview.of(blender.context.scene).resumable is None and begun == [overview._look_when_quiet]
    seen = overview.look(blender.context.scene)
    with monkeypatch.context() as patch:
        patch.setattr(overview, "bpy", SimpleNamespace(app=SimpleNamespace(background=False, timers=timers)))
        patch.setattr(overview, "look", None)
        assert overview.of(blender.context.scene) is seen


@pytest.mark.slow
def test_a_bake_whose_process_was_killed_is_resumed_to_the_same_bits(blender, moving, tmp_path):
    """Another process bakes the file and is killed after its seventh frame; here it plays version 1 still."""
    whole = bake(blender).files.paths["Flag"].read_bytes()
    scenes.save(blender, tmp_path)
    script = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
import tests.conftest  # the kernels of this process serve that one
from tests.gpbd_addon.conftest import import_extension
import_extension().register()
import bpy
bpy.ops.wm.open_mainfile(filepath={str(tmp_path / "shot.blend")!r})
from gpbd.gpbd_addon.bake import engine
from gpbd.gpbd_addon.bake.job import BakeJob
engine.CHECKPOINT_FRAMES = 3
job = BakeJob(bpy.context.scene)
job.on_frame = lambda job: os.kill(os.getpid(), signal.SIGKILL) if job.report.frames == 7 else None
job.run()
"""
    assert subprocess.run([sys.executable, "-c", script], stdout=subprocess.DEVNULL).returncode == -9
    until = time.monotonic() + 10  # the process that writes holds the lock, and ends a moment after the one that is killed
    while any(held.living for held in overview(blender).locks.values()) and time.monotonic() < until:
        time.sleep(0.05)
    (left,) = overview(blender).locks.values()
    assert left.living is False and left.version == 2
    assert overview(blender).resumable.checkpoints in ((3, 6), (3, 6, 9))  # it is some frames ahead of the results
    job = bake(blender, resume=True)
    assert job.files.version == 2 and job.files.paths["Flag"].read_bytes() == whole


def test_a_filled_body_keeps_its_tetrahedra_with_its_caches(blender, tmp_path, monkeypatch):
    """TetWild never makes the same ones twice; the lattice stands in for it, of which nothing may be made a second time."""
    from gpbd.gpbd_addon.read import body_input, filling

    ob = scenes.soft(blender, pins=[0, 1, 2, 3], end=4)
    scenes.save(blender, tmp_path)
    whole = np.array(cache(bake(blender), "Jelly"))
    filling._kept.clear()
    with monkeypatch.context() as patch:
        patch.setattr(body_input, "fill", None)
        assert cache(bake(blender), "Jelly").tobytes() == whole.tobytes()
    ob.gpbd.tet_resolution = 0.4
    assert bake(blender).state == "done"
