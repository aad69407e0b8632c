"""Wedges: every combination is baked once, killed bakes continue, and the table and the picture have all of them."""

import argparse
import csv
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.command_line.conftest import ROOT

#: Stand-in for a bake: a line a frame, kept in a file; it continues after the lines that are there. While there is a file
#: of that name with `.hold` it waits after each line, so that a test that kills it is never too late.
STAND_IN = """
import json, os, sys, threading, time
def end():
    while os.read(0, 99): pass
    os._exit(4)
threading.Thread(target=end, daemon=True).start()
path, frames, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
done = len(open(path).readlines()) if os.path.exists(path) else 0
print("no JSON"); print(json.dumps({"event": "start", "done": done}), flush=True)
with open(path, "a") as file:
    for k in range(done, frames):
        file.write(f"{k}\\n"); file.flush(); time.sleep(seconds)
        while os.path.exists(path + ".hold"): time.sleep(0.01)
print(json.dumps({"event": "done", "frames": frames, "caches": {"Flag": path}}))
"""


def stand_in(folder, name, frames=3, seconds=0.0):
    from gpbd.gpbd_addon.command_line.wedge.job import Job

    command = [sys.executable, "-c", STAND_IN, str(folder / f"{name}.txt"), str(frames), str(seconds)]
    return Job(name, command, str(folder), str(folder / f"{name}.log"))


def starts(job):
    """Return the number of frames at each start of the job."""
    lines = [line for line in Path(job.log).read_text().splitlines() if line.startswith("{")]
    return [told["done"] for told in map(json.loads, lines) if told["event"] == "start"]


def child_of(folder, name, frames=1, seconds=120):
    """The process id of a job that has written so many frames, where /proc has it."""
    until = time.monotonic() + seconds
    path = folder / f"{name}.txt"
    while time.monotonic() < until:
        if path.exists() and len(path.read_text().splitlines()) >= frames:
            for entry in Path("/proc").glob("[0-9]*"):
                if str(path).encode() in arguments_of(entry):
                    return int(entry.name)
        time.sleep(0.02)
    raise AssertionError(f"{name} did not begin")


def arguments_of(entry):
    """Return the arguments of a process; none of an ended one."""
    try:
        return (entry / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return [b""]


def wait_for_the_end_of(child, seconds=10):
    until = time.monotonic() + seconds
    while arguments_of(Path(f"/proc/{child}")) != [b""]:
        assert time.monotonic() < until, "it goes on"
        time.sleep(0.02)


def test_every_combination_is_a_variant(extension):
    from gpbd.gpbd_addon.command_line.wedge.grid import Grid

    grid = Grid({"scene.sleep": "true"}, {"scene.substeps": ["1", "2"], "Flag.friction": ["0.1", "0.2", "0.3"]})
    variants = grid.variants()
    assert [variant.name for variant in variants] == ["1", "2", "3", "4", "5", "6"]
    assert str(variants[3]) == "scene.substeps=2, Flag.friction=0.1"
    assert [str(override) for override in variants[3].overrides] == [
        "scene.sleep=true",
        "scene.substeps=2",
        "Flag.friction=0.1",
    ]


def test_options_and_file_are_one_grid(extension, tmp_path):
    from gpbd.gpbd_addon.command_line.wedge import grid
    from gpbd.gpbd_addon.command_line.wedge.command import add

    (tmp_path / "g.toml").write_text(
        'frames = "1-9"\n[set]\n"scene.sleep" = false\n[grid]\n"scene.wind" = [[0, 0, 0], [1.5, 0, 0]]\n'
        '"Flag.preset" = ["denim"]\n'
    )
    parser = argparse.ArgumentParser()
    add(lambda *_: parser)
    argv = [str(tmp_path / "g.toml"), "--grid", "scene.substeps=2,3", "--frames", "1-4", "--set", "scene.iterations=5"]
    found = grid.read(parser.parse_args([*argv, "--quality", "draft"]))
    assert found.frames == (1, 4)
    assert found.fixed == {"scene.sleep": "false", "scene.quality": "draft", "scene.iterations": "5"}
    assert found.axes == {"scene.wind": ["0,0,0", "1.5,0,0"], "Flag.preset": ["denim"], "scene.substeps": ["2", "3"]}


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are found in /proc")
def test_a_killed_process_is_begun_again_and_goes_on(extension, tmp_path):
    from gpbd.gpbd_addon.command_line.wedge import local

    jobs = [stand_in(tmp_path, name, 30) for name in ("a", "b")]
    hold = tmp_path / "a.txt.hold"
    hold.touch()

    def kill():
        os.kill(child_of(tmp_path, "a"), signal.SIGKILL)
        hold.unlink()

    killer = threading.Thread(target=kill)
    killer.start()
    found = {result.name: result for result in local.run(jobs, 2)}
    killer.join()
    assert {name: (one.code, one.attempts) for name, one in found.items()} == {"a": (0, 2), "b": (0, 1)}
    assert starts(jobs[0]) == [0, 1]
    assert (tmp_path / "a.txt").read_text() == (tmp_path / "b.txt").read_text()


def test_a_process_that_always_ends_is_given_up_and_one_that_fails_is_not_begun_again(extension, tmp_path):
    from gpbd.gpbd_addon.command_line.wedge import job

    crash = job.Job("a", [sys.executable, "-c", "import os; os._exit(77)"], str(tmp_path), str(tmp_path / "a.log"))
    result = job.run(crash)
    assert (result.attempts, result.code) == (3, 77) and "ended 3 times, with exit code 77." in result.error
    refusal = 'import json, sys; print(json.dumps({"event": "error", "text": "No."})); sys.exit(1)'
    result = job.run(job.Job("b", [sys.executable, "-c", refusal], str(tmp_path), str(tmp_path / "b.log")))
    assert (result.attempts, result.code, result.error) == (1, 1, "No.")


def test_what_an_attempt_said_that_was_lost_is_not_told_of_a_bake_that_is_done(extension, tmp_path):
    from gpbd.gpbd_addon.command_line.wedge import job

    lost = """
import json, os, sys
again = os.path.exists("again")
open("again", "w").close()
print(json.dumps({"event": "done"} if again else {"event": "error", "text": "The process has ended."}))
sys.exit(0 if again else 6)
"""
    result = job.run(job.Job("a", [sys.executable, "-c", lost], str(tmp_path), str(tmp_path / "a.log")))
    assert (result.attempts, result.code, result.error) == (2, 0, "")


def test_who_stops_waiting_ends_what_runs_and_what_is_begun_later_runs(extension, tmp_path):
    from gpbd.gpbd_addon.command_line.wedge import local

    results = local.run([stand_in(tmp_path, "a"), stand_in(tmp_path, "b", 100000, 0.02), stand_in(tmp_path, "c")], 2)
    assert next(results).code == 0
    began = time.monotonic()
    results.close()
    assert time.monotonic() - began < 60, "b would take half an hour"
    assert [result.code for result in local.run([stand_in(tmp_path, "d")], 1)] == [0]


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are found in /proc")
def test_a_job_ends_with_the_process_that_began_it(extension, tmp_path):
    """The message comes within a frame; 10 s is for a busy machine."""
    code = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("job", {str(ROOT / "gpbd_addon/command_line/wedge/job.py")!r})
job = sys.modules["job"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(job)
job.run(job.Job("a", {stand_in(tmp_path, "a", 10000, 0.02).command!r}, {str(tmp_path)!r}, {str(tmp_path / "a.log")!r}))
"""
    parent = subprocess.Popen([sys.executable, "-c", code])
    child = child_of(tmp_path, "a")
    parent.kill()
    parent.wait()
    wait_for_the_end_of(child)


def test_without_the_package_or_the_scheduler_a_message_says_so(blender, command, tmp_path, monkeypatch):
    from gpbd.gpbd_addon.command_line.wedge import dask_cluster

    scenes.cloth(blender)
    argv = ["wedge", "--grid", "scene.substeps=1,2", "--out", str(tmp_path), "--scheduler"]
    monkeypatch.setattr(dask_cluster, "PATIENCE", 0.3)
    pytest.importorskip("distributed")
    for address in ("tcp://127.0.0.1:9", "nonsense", "http://x:y"):
        code, lines = command(*argv, address)
        assert code == 1 and f"Scheduler {address}: cannot be reached" in lines[-1]["text"]
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, lines = command(*argv, "tcp://127.0.0.1:9")
    assert code == 1 and "pip install distributed" in lines[-1]["text"]


@pytest.fixture
def cluster(tmp_path):
    """Two workers with one thread each, and nannies that replace one that dies."""
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        dask.config.set({"temporary-directory": str(tmp_path / "dask"), "distributed.admin.system-monitor.disk": False}),
        distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as made,
    ):
        yield made


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are found in /proc")
def test_on_a_cluster_a_job_whose_worker_is_killed_twice_goes_on(extension, cluster, tmp_path):
    """Twelve jobs; workers have nothing of this package, which they are sent."""
    from gpbd.gpbd_addon.command_line.wedge import dask_cluster

    jobs = [stand_in(tmp_path, f"{k:02d}", 40 if k == 1 else 3) for k in range(1, 13)]
    hold = tmp_path / "01.txt.hold"
    hold.touch()

    def kill():
        for frames in (1, 2):
            child = child_of(tmp_path, "01", frames)
            worker = int(Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[1])
            os.kill(worker, signal.SIGKILL)
            wait_for_the_end_of(child)
        hold.unlink()

    killer = threading.Thread(target=kill)
    killer.start()
    found = {result.name: result for result in dask_cluster.run(jobs, cluster.scheduler_address)}
    killer.join()
    assert sorted(found) == [job.name for job in jobs] and {one.code for one in found.values()} == {0}
    began = starts(jobs[0])
    assert began == [0, 1, 2]
    assert (tmp_path / "01.txt").read_text() == "".join(f"{k}\n" for k in range(40))


@pytest.mark.slow  # a process that imports Blender
def test_a_wedge_bakes_a_variant_as_a_bake_with_its_settings_would(blender, one_solver, command, tmp_path):
    """Equal bits: of another process, of a copy of the file, with the settings given by path."""
    from gpbd.gpbd_addon import picture_file
    from gpbd.gpbd_addon.command_line.wedge import contact_sheet

    scenes.cloth(blender, pins=[0], end=3)
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    before = (tmp_path / "shot.blend").read_bytes()
    settings = ["--set", "scene.iterations=2", "--quality", "draft"]
    code, lines = command("wedge", "--grid", "scene.substeps=3", "--grid", "Flag.preset=denim", *settings, "--jobs", "2")
    assert code == 0, [line["text"] for line in lines]
    assert [line["event"] for line in lines] == ["wedge", "variant", "sheet", "finished"]
    assert (tmp_path / "shot.blend").read_bytes() == before
    folder = tmp_path / "gpbd_wedge"
    (row,) = csv.DictReader((folder / "results.csv").open())
    assert (row["variant"], row["scene.substeps"], row["Flag.preset"], row["frames"]) == ("1", "3", "denim", "3")
    varied = ["--set", "scene.substeps=3", "--set", "Flag.preset=denim"]
    code, lines = command("bake", "--no-save", "--cache", str(tmp_path / "alone"), *settings, *varied)
    (cache,) = lines[-1]["caches"].values()
    assert hashlib.sha256(Path(cache).read_bytes()).hexdigest() == row["sha256"]
    pixels = picture_file.read(folder / "contact_sheet.png")
    assert pixels.shape[:2] == contact_sheet.SIZE[::-1]
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 20, "something is seen"


def test_the_copy_of_the_file_plays_the_caches_where_they_are(blender, command, tmp_path):
    """Bodies that a wedge does not bake play them; copied, they would fill the disk of each wedge."""
    from gpbd.gpbd_addon.bake import cache_path
    from gpbd.gpbd_addon.command_line.wedge.command import _save_copy

    flag = scenes.cloth(blender, pins=[0], end=2)
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert command("bake")[0] == 0
    folder = tmp_path / "gpbd_wedge"
    folder.mkdir()
    played = cache_path.of(flag)
    copy = _save_copy(folder, blender.context.scene)
    assert list(folder.iterdir()) == [copy] and played.parent.parent == tmp_path and cache_path.of(flag) == played
    blender.ops.wm.open_mainfile(filepath=str(copy))
    assert cache_path.of(blender.data.objects["Flag"]).samefile(played)


@pytest.mark.long  # twelve processes that import Blender
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are found in /proc")
def test_twelve_bakes_on_two_workers_of_which_one_is_killed_twice_are_equal(blender, command, cluster, tmp_path):
    """To the bit: the variants differ in nothing that a bake depends on."""
    scenes.cloth(blender, pins=[0], n=12, end=240)
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    cache = str(tmp_path / "gpbd_wedge" / "01")

    def frames_of_the_last_attempt():
        log = tmp_path / "gpbd_wedge" / "01.log"
        return log.read_text().rpartition('"event": "start"')[2].count('"event": "frame"') if log.exists() else 0

    def kill():
        for _ in range(2):
            while not 15 < frames_of_the_last_attempt() < 100:
                time.sleep(0.01)
            child = next(int(entry.name) for entry in Path("/proc").glob("[0-9]*") if cache.encode() in arguments_of(entry))
            worker = int(Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[1])
            os.kill(worker, signal.SIGKILL)
            wait_for_the_end_of(child)
            (tmp_path / "gpbd_wedge" / "01.log").rename(tmp_path / f"killed_{time.time_ns()}.log")

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    axes = ["--grid", "scene.threads=1,2,3,4", "--grid", "scene.relaxation=1,1.0,1.00"]
    code, lines = command("wedge", *axes, "--no-sheet", "--scheduler", cluster.scheduler_address)
    killer.join(1)
    assert code == 0 and not killer.is_alive(), [line["text"] for line in lines]
    rows = [line for line in lines if line["event"] == "variant"]
    assert len(rows) == 12 and {row["frames"] for row in rows} == {240}
    assert len({row["sha256"] for row in rows}) == 1
    log = (tmp_path / "gpbd_wedge" / "01.log").read_text().splitlines()
    first = next(told for line in log if line.startswith("{") and (told := json.loads(line))["event"] == "frame")
    assert first["frame"] > 10, "it went on from a checkpoint"


def test_a_value_that_no_variant_can_have_stops_the_wedge_before_it_begins(blender, command, tmp_path):
    scenes.cloth(blender)
    for axis, message in (
        ("scene.substeps=1,0", "outside its range"),
        ("Flag.preset=denim,none", "no preset"),
        ("a=1,", "empty"),
    ):
        code, lines = command("wedge", "--grid", axis, "--out", str(tmp_path / "out"))
        assert code == 1 and message in lines[-1]["text"] and not (tmp_path / "out").exists()
