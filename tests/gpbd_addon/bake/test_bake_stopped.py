"""A bake that was stopped, by the user or because its scene went away, and that continues."""

import os
import re
import signal

import numpy as np
import pytest

from solver.cache import checkpoint
from solver.cache import pc2 as frames
from solver.cache.atomic_write import part_of
from tests.covering_set import long
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache, save


@pytest.fixture
def moving(blender, tmp_path):
    return scenes.moving_flag(blender, tmp_path)


@pytest.mark.parametrize("stop_after", [*long(1), 4, *long(10)])
def test_a_resumed_bake_is_bit_for_bit_the_uninterrupted_one(blender, moving, stop_after, tmp_path):
    whole = np.array(cache(bake(blender)))
    from gpbd.gpbd_addon.bake.frame_reader import AHEAD
    from gpbd.gpbd_addon.bake.job import BakeJob

    job = BakeJob(blender.context.scene)
    job.on_frame = lambda job: job.cancel() if job.report.frames == stop_after else None
    job.run()
    kept = len(cache(job))
    assert job.state == "cancelled" and stop_after <= kept <= stop_after + AHEAD  # those that were begun are kept
    assert frames.verify(job.files.paths["Flag"]) == []
    resumed = bake(blender, resume=True)
    assert resumed.state == "done" and cache(resumed).tobytes() == whole.tobytes()
    assert frames.verify(resumed.files.paths["Flag"]) == []


def test_a_soft_body_is_resumed_with_the_tetrahedra_it_had(blender, tmp_path, monkeypatch):
    """TetWild never makes the same ones twice, so they are kept, not made again."""
    from gpbd.gpbd_addon.bake.job import BakeJob
    from gpbd.gpbd_addon.read import body_input

    scenes.soft(blender, pins=[0, 1, 2, 3], end=8)
    save(blender, tmp_path)
    whole = np.array(cache(bake(blender), "Jelly"))
    job = BakeJob(blender.context.scene)
    job.on_frame = lambda job: job.cancel() if job.report.frames == 4 else None
    job.run()
    monkeypatch.setattr(body_input, "fill", None)
    assert cache(bake(blender, resume=True), "Jelly").tobytes() == whole.tobytes()
    assert np.ptp(whole[:, 4:], axis=0).max() > 0.01


def test_a_later_end_is_baked_on(blender, moving):
    whole = np.array(cache(bake(blender)))
    bake(blender, frames=(1, 7))
    assert cache(bake(blender, resume=True)).tobytes() == whole.tobytes()


def test_resuming_a_changed_scene_says_what_changed(blender, moving):
    from gpbd.solver.errors import CacheError

    job = bake(blender, frames=(1, 5))
    blender.context.scene.gpbd.substeps += 1
    with pytest.raises(CacheError, match=r"Use Bake from Here, press Bake, or change back Substeps to 3\."):
        bake(blender, resume=True)
    blender.context.scene.gpbd.substeps -= 1
    moving.data.vertices[3].co.x += 0.01
    with pytest.raises(CacheError, match=r"'Flag' shape at the first frame"):
        bake(blender, resume=True)
    moving.data.vertices[3].co.x -= 0.01
    moving.gpbd.density_area *= 2
    with pytest.raises(CacheError, match=r"'Flag' Weight or Density"):
        bake(blender, resume=True)
    assert len(cache(job)) == 5 and frames.verify(job.files.paths["Flag"]) == []


def test_a_checkpoint_does_not_continue_another_bake_of_the_same_body(blender, moving):
    from gpbd.solver.errors import CacheError

    job = bake(blender, frames=(1, 5))
    kept = job.files.checkpoints.path(5).read_bytes()
    moving.gpbd.density_area *= 2
    other = bake(blender, frames=(1, 5))
    moving.gpbd.density_area /= 2
    other.files.checkpoints.path(5).write_bytes(kept)
    with pytest.raises(CacheError, match="not the one that was being baked"):
        bake(blender, resume=True)


def test_nothing_to_resume_is_told(blender, moving):
    from gpbd.solver.errors import CacheError

    with pytest.raises(CacheError, match="nothing to resume"):
        bake(blender, resume=True)


def test_a_checkpoint_is_written_every_ten_frames(blender, moving):
    seen = []

    def look(job):
        seen.append(job.files.checkpoints.frames())

    from gpbd.gpbd_addon.bake.job import BakeJob

    job = BakeJob(blender.context.scene)
    job.on_frame = look
    job.run()
    assert seen == [[]] * 9 + [[10]] * 3
    assert checkpoint.read(job.files.checkpoints.path(12))[1]["frames"] == 12


def test_a_checkpoint_is_written_after_a_minute_however_few_frames_that_is(blender, moving, monkeypatch):
    """Here a minute is no time at all: after each frame that is solved."""
    from gpbd.gpbd_addon.bake import engine
    from gpbd.gpbd_addon.bake.job import BakeJob

    monkeypatch.setattr(engine, "CHECKPOINT_SECONDS", 0.0)
    job, seen = BakeJob(blender.context.scene, frames=(1, 4)), []
    job.on_frame = lambda job: seen.append(job.files.checkpoint_frames)
    job.run()
    assert seen == [0, 2, 3, 4]


def test_only_what_can_be_resumed_is_said_to_be(blender, moving, monkeypatch):
    """The third frame cannot be written: there is no checkpoint yet. When the bake is stopped there is."""
    from gpbd.gpbd_addon.bake.job import BakeJob
    from gpbd.solver.cache.bake_writer import BakeWriter
    from gpbd.solver.errors import CacheError

    write = BakeWriter.write

    def full(writer, *what):
        if writer.frames == 2:
            raise CacheError("Cache: cannot be written (No space left on device).")
        write(writer, *what)

    with monkeypatch.context() as patch:
        scenes.workers_in_threads(patch)
        patch.setattr(BakeWriter, "write", full)
        job = BakeJob(blender.context.scene, frames=(1, 3))
        with pytest.raises(CacheError, match="No space left"):
            job.run()
    assert job.report.frames == 2 and not job.files.checkpoints.frames()
    assert job.resumable == "There is no checkpoint to resume from yet: bake from the start."
    stopped = polled(blender, 3)
    stopped.stop("Esc was pressed")
    assert stopped.resumable == f"Resume goes on after frame {stopped.frame}." and stopped.files.checkpoints.frames()


def test_a_bake_does_not_go_on_over_a_damaged_frame(blender, moving):
    """An early one, long before the last; no file is touched, not even that of a body whose frames are well."""
    from gpbd.solver.errors import CacheError

    scenes.cloth(blender, "Banner", end=12, location=(3, 0, 1))
    job = bake(blender, frames=(1, 6))
    bake(blender, frames=(1, 6), resume=True)
    paths = job.files.paths
    content = bytearray(paths["Flag"].read_bytes())
    content[32 + 2 * 49 * 12 + 6] ^= 1
    paths["Flag"].write_bytes(content)
    before = [path.read_bytes() for path in paths.values()]
    with pytest.raises(CacheError, match=r"Flag.*1 of the 6 frames .* \(first: frame 3\)"):
        bake(blender, frames=(1, 8), resume=True)
    assert [path.read_bytes() for path in paths.values()] == before


def polled(blender, count):
    """A bake in the middle, as an operator has it between two timer events."""
    from gpbd.gpbd_addon.bake.job import BakeJob

    job = BakeJob(blender.context.scene)
    job.start()
    while job.report.frames < count:
        assert not job.poll(10)
    return job


def test_undo_during_a_bake_ends_it_and_the_frames_play(blender, moving):
    blender.ops.ed.undo_push(message="before")
    blender.context.scene.gpbd.wind = (1, 0, 0)
    blender.ops.ed.undo_push(message="wind")
    job = polled(blender, 3)
    blender.ops.ed.undo()
    assert job.state == "cancelled" and "undone" in job.reason and job.poll()
    flag = blender.data.objects["Flag"]
    path = blender.path.abspath(flag.modifiers[0].filepath)
    assert flag.modifiers[0].show_viewport and len(frames.read_frames(path)) == job.report.frames >= 3
    assert frames.verify(path) == [] and job.files.checkpoints.frames()


def ended(process):
    """Return whether a process is gone; one that has ended but was not waited for is still listed."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def unfinished(job):
    return [path.name for ending in ("*.lock", "*.part") for path in job.files.folder.rglob(ending)]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no signals")
@pytest.mark.parametrize("frame", [*long(3), 8])
def test_a_bake_whose_process_is_killed_keeps_its_frames_and_is_resumed_bit_for_bit(blender, moving, frame, monkeypatch):
    from gpbd.gpbd_addon.bake import engine
    from gpbd.gpbd_addon.messages import two_lines

    monkeypatch.setattr(engine, "CHECKPOINT_FRAMES", 2)
    whole = np.array(cache(bake(blender)))
    job = polled(blender, frame)
    killed = job.worker.process_id
    os.kill(killed, signal.SIGKILL)
    part_of(job.files.checkpoints.path(frame)).touch()  # as if it had been in the middle of writing this
    while not job.poll(10):
        pass
    assert unfinished(job) == []
    remedy, found = two_lines(str(job.error))
    assert job.state == "failed" and found == "The solver's process ended: killed (signal 9, SIGKILL)"
    assert remedy.startswith("Press Resume to go on with a bake")
    assert ended(killed) and job.report.frames >= frame
    assert frames.verify(job.files.paths["Flag"]) == []
    assert job.resumable == f"Resume goes on after frame {job.files.checkpoint_frames}."
    assert cache(bake(blender, resume=True)).tobytes() == whole.tobytes()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no signals")
def test_a_process_that_is_killed_before_its_files_are_open_leaves_no_lock(blender, moving):
    from gpbd.gpbd_addon.bake.job import BakeJob

    job = BakeJob(blender.context.scene)
    job.start()
    while not list(job.files.folder.rglob("*.lock")):
        job.poll(0.01)
    os.kill(job.worker.process_id, signal.SIGKILL)
    while not job.poll(10):
        pass
    assert job.state == "failed" and "SIGKILL" in str(job.error) and unfinished(job) == []
    assert bake(blender).state == "done"


@pytest.mark.long
def test_a_bake_that_runs_out_of_memory_keeps_its_frames_and_is_resumed_bit_for_bit(blender, tmp_path, monkeypatch):
    """The limit of its process is lowered to its present use: a cloth of 1,681 vertices needs more before long, a checkpoint
    at the latest. Python may name another error than that of memory as it ends; the message names the process's in any
    case."""
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("the limits of another process cannot be set here")
    from gpbd.gpbd_addon.bake import engine
    from gpbd.gpbd_addon.messages import two_lines

    monkeypatch.setattr(engine, "CHECKPOINT_FRAMES", 2)
    scenes.cloth(blender, pins=[0, 40], n=40, end=12)
    save(blender, tmp_path)
    whole = np.array(cache(bake(blender)))
    job = polled(blender, 5)
    resource.prlimit(job.worker.process_id, resource.RLIMIT_AS, (4096, 4096))
    while not job.poll(10):
        pass
    found = two_lines(str(job.error))[1]
    assert job.state == "failed" and re.search("MemoryError|allocate|resource|process ended", found), found
    assert 5 <= len(cache(job)) < 12 and frames.verify(job.files.paths["Flag"]) == []
    assert job.resumable.startswith("Resume goes on after frame ")
    assert cache(bake(blender, resume=True)).tobytes() == whole.tobytes()


@pytest.mark.parametrize("what", ["folder", "lock"])
def test_a_bake_whose_files_are_deleted_under_it_ends_and_says_so(blender, moving, what):
    """By hand, or by another Blender that unlocks the cache: it would write the same frames. Windows keeps open files, so
    the bake continues there."""
    import shutil

    if os.name != "posix":
        pytest.skip("the system keeps open files")
    job = polled(blender, 3)
    folder = job.files.folder
    shutil.rmtree(folder) if what == "folder" else [path.unlink() for path in folder.glob("*.lock")]
    while not job.poll(10):
        pass
    assert job.state == "failed" and "was deleted during the bake" in str(job.error)
    if what == "lock":
        assert frames.verify(job.files.paths["Flag"]) == []
    again = bake(blender)
    assert again.state == "done" and frames.verify(again.files.paths["Flag"]) == []


@pytest.mark.parametrize("python", ["", "/there/is/no/python"])
def test_where_no_process_can_be_started_a_bake_has_the_same_bits_and_says_so(blender, moving, python, monkeypatch):
    import sys

    from gpbd.solver.device import worker

    whole = np.array(cache(bake(blender)))
    worker.end_idle()
    monkeypatch.setattr(sys, "executable", python)
    job = bake(blender)
    (told,) = job.report.warnings
    assert "no process of Python could be started" in told
    assert cache(job).tobytes() == whole.tobytes()


def test_nothing_is_left_of_a_bake_when_the_extension_is_disabled_during_it(blender, moving, extension):
    import threading

    threads = threading.active_count()
    on = blender.app.handlers

    def ours():
        lists = on.load_pre, on.undo_pre, on.redo_pre, on.undo_post, on.redo_post
        return [hook for listed in lists for hook in listed if hook.__module__.endswith("bake.watch")]

    job = polled(blender, 3)
    assert len(ours()) == 5
    process = job.worker.process_id
    extension.unregister()
    try:
        assert job.state == "cancelled" and ended(process) and threading.active_count() == threads
        assert not ours()
        assert all(md.show_viewport for md in moving.modifiers)
        assert frames.verify(job.files.paths["Flag"]) == []
    finally:
        extension.register()


def test_loading_a_file_during_a_bake_ends_it_with_its_frames(blender, moving):
    job = polled(blender, 3)
    blender.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert job.state == "cancelled" and "loaded" in job.reason and job.poll()
    assert frames.verify(job.files.paths["Flag"]) == []
    assert frames.read_header(job.files.paths["Flag"]).n_frames == job.report.frames


@pytest.mark.parametrize("name", ["Flag", "Ball"])
def test_an_object_deleted_during_a_bake_is_named_and_the_frames_are_kept(blender, moving, name):
    job = polled(blender, 3)
    blender.data.objects.remove(blender.data.objects[name])
    while not job.poll(10):
        pass
    assert job.state == "failed" and name in str(job.error) and "no longer in the scene" in str(job.error)
    assert frames.read_header(job.files.paths["Flag"]).n_frames == job.report.frames < 12
    assert frames.verify(job.files.paths["Flag"]) == []


def test_a_renamed_object_goes_on_being_baked(blender, moving):
    job = polled(blender, 3)
    moving.name = "Banner"
    while not job.poll(10):
        pass
    assert job.state == "done" and moving.modifiers[0].show_viewport
    assert moving.modifiers[0].filepath


def test_a_file_saved_during_a_bake_has_its_modifiers_on_and_the_bake_goes_on(blender, tmp_path):
    from gpbd.gpbd_addon.bake.job import DONE, BakeJob

    flag = scenes.moving_flag(blender, tmp_path)
    flag.modifiers.new("Detail", "SUBSURF")
    job = BakeJob(blender.context.scene)
    job.start()
    assert all(md.show_viewport for md in flag.modifiers)
    copy = str(tmp_path / "copy.blend")
    blender.ops.wm.save_as_mainfile(filepath=copy, copy=True)
    while not job.poll(0.2):
        pass
    assert job.state == DONE
    blender.ops.wm.open_mainfile(filepath=copy)
    assert all(md.show_viewport for md in blender.data.objects["Flag"].modifiers)


def test_pins_goal_and_models_chosen_during_a_bake_are_of_the_next_one(blender, tmp_path):
    """The structure of a body is that of the first frame."""
    from gpbd.gpbd_addon.bake.job import BakeJob

    flag = scenes.cloth(blender, end=6)
    scenes.save(blender, tmp_path)
    whole = np.array(scenes.cache(bake(blender)))
    flag.vertex_groups.new(name="corner").add([0], 1.0, "REPLACE")

    def choose(job):
        flag.gpbd.pin_group, flag.gpbd.use_goal = "corner", True
        flag.gpbd.stvk_membrane.use, flag.gpbd.stiffening_membrane.use = False, True

    job = BakeJob(blender.context.scene)
    job.on_frame = lambda job: choose(job) if job.report.frames == 2 else None
    job.run()
    assert scenes.cache(job).tobytes() == whole.tobytes()
