"""Bakes that end in every way, many times over: nothing of them is left but their frames, which are good."""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from solver.cache import pc2 as frames
from tests.gpbd_addon import scenes
from tests.gpbd_addon.bake.test_bake_stopped import ended, polled
from tests.gpbd_addon.scenes import bake, cache

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="processes are listed in /proc"),
]

KILLS, CYCLES = 10, 50
#: Cycles after which everything that is kept for a session is there: modules, undo steps, the allocator's pools.
WARM = 20


@pytest.fixture
def moving(blender, tmp_path, monkeypatch):
    from gpbd.gpbd_addon.bake import engine

    monkeypatch.setattr(engine, "CHECKPOINT_FRAMES", 3)
    return scenes.moving_flag(blender, tmp_path)


def test_ten_bakes_whose_solver_is_killed_at_random_are_resumed_bit_for_bit(blender, moving):
    chance = random.Random(19)
    whole = np.array(cache(bake(blender)))
    for _ in range(KILLS):
        job = polled(blender, chance.randint(1, 11))
        killed = job.worker.process_id
        job.poll(0.02 * chance.random())  # somewhere within a frame
        os.kill(killed, signal.SIGKILL)
        while not job.poll(10):
            pass
        assert ended(killed)
        if job.state == "done":  # it had everything already
            continue
        assert job.state == "failed" and frames.verify(job.files.paths["Flag"]) == []
        resumed = bake(blender, resume=bool(job.files.checkpoints.frames()))
        assert cache(resumed).tobytes() == whole.tobytes()


BAKE = """
import sys
sys.path.insert(0, {root!r})
import tests.conftest  # the kernels of this process serve that one
from tests.gpbd_addon.conftest import import_extension
import_extension().register()
import bpy
bpy.ops.wm.open_mainfile(filepath={file!r})
from gpbd.gpbd_addon.bake import engine
from gpbd.gpbd_addon.bake.job import BakeJob
engine.CHECKPOINT_FRAMES = 3
job = BakeJob(bpy.context.scene)
job.on_start = lambda job: print("worker", job.worker.process_id, flush=True)
job.on_frame = lambda job: print("frame", job.report.frames, flush=True)
job.run()
"""


def test_ten_blenders_that_are_killed_at_random_in_a_bake_leave_frames_and_no_process(blender, moving, tmp_path):
    """The worker looks every second whether anybody is there, and finishes its frame: 20 s, on a busy machine."""
    chance = random.Random(23)
    whole = bake(blender).files.paths["Flag"].read_bytes()
    scenes.save(blender, tmp_path)
    script = BAKE.format(root=str(Path(__file__).parents[3]), file=str(tmp_path / "shot.blend"))
    for _ in range(KILLS):
        last, worker = chance.randint(1, 11), 0
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as other:
            for line in other.stdout:
                if line.startswith("worker "):
                    worker = int(line.split()[1])
                if line == f"frame {last}\n":
                    other.kill()
        assert worker and wait(lambda worker=worker: gone(worker), 20.0)
        path = max((tmp_path / "gpbd_cache").glob("*.pc2"), key=lambda path: int(path.suffixes[-2][2:]))
        assert path.read_bytes()[32:] == whole[32 : path.stat().st_size]
        job = bake(blender, resume=has_checkpoint(blender))
        assert job.files.paths["Flag"].read_bytes() == whole and frames.verify(job.files.paths["Flag"]) == []


def has_checkpoint(blender):
    from gpbd.gpbd_addon.bake import overview

    seen = overview.look(blender.context.scene)
    return seen.resumable is not None and seen.resumable is not seen.playing


def gone(process):
    """Return whether a process of another parent has ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def wait(true, seconds):
    pause = threading.Event()
    for _ in range(round(seconds / 0.05)):
        if true():
            return True
        pause.wait(0.05)
    return False


def test_fifty_jobs_that_end_in_every_way_leave_nothing(blender, moving, extension, tmp_path):
    """Memory may grow by 5 % over the last 30 of them: pools of the allocator; a bake of this scene that was kept would be
    0.5 % each."""
    from gpbd.gpbd_addon.bake.job import BakeJob
    from gpbd.gpbd_addon.bake.scene_check import CheckJob

    chance, file = random.Random(5), str(tmp_path / "shot.blend")
    hooks, threads, memory = hooks_of(blender), threading.active_count(), 0
    for k in range(CYCLES):
        scene = blender.context.scene
        blender.ops.ed.undo_push(message="before")
        scene.gpbd.wind = (chance.random(), 0, 0)
        blender.ops.ed.undo_push(message="wind")
        way = ("undo", "redo", "load", "disable", "esc", "end")[k % 6]
        if way == "redo":
            blender.ops.ed.undo()
        job = CheckJob(blender.context.scene) if k % 5 == 4 else BakeJob(blender.context.scene)
        job.start()
        for _ in range(chance.randint(1, 8)):
            job.poll(0.05)
        end(blender, extension, job, way, file)
        assert job.state in ("cancelled", "done"), (k, way, job.error)
        assert hooks_of(blender) == hooks and threading.active_count() == threads, (k, way)
        assert not [md.name for ob in blender.data.objects for md in ob.modifiers if not md.show_viewport], (k, way)
        assert len(children()) <= 1, (k, way)  # one worker may wait for the next job
        if k + 1 == WARM:
            memory = resident()
    assert resident() < 1.05 * memory
    extension.unregister()
    assert wait(lambda: not children(), 5.0)
    extension.register()


def end(blender, extension, job, way, file):
    if way in ("undo", "redo"):
        getattr(blender.ops.ed, way)()
    elif way == "load":
        blender.ops.wm.open_mainfile(filepath=file)
    elif way == "disable":
        extension.unregister()
        extension.register()
    elif way == "esc":
        job.cancel("Esc was pressed")
    while not job.poll(10):
        pass


def hooks_of(blender):
    on = blender.app.handlers
    return {name: len(hooks) for name in dir(on) if isinstance(hooks := getattr(on, name), list)}


def children():
    """Processes that this one has started and that have not ended."""
    task = Path("/proc/self/task")
    return [child for one in task.iterdir() for child in (one / "children").read_text().split()]


def resident():
    """Memory of this process, pages."""
    return int(Path("/proc/self/statm").read_text().split()[1])
