"""Calls of objects in a process of their own."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from solver.device import worker as workers
from solver.device.worker import Worker
from solver.errors import StoppedError, TetrahedralizationError, WorkerError
from solver.topology.tetrahedra import tetrahedralize
from tests.solver.topology import shapes

ROOT = Path(__file__).resolve().parents[3]
LONG = 60.0  # seconds that a busy machine may take to start a process


@pytest.fixture
def worker():
    workers.end_idle()
    yield Worker("session:Session")
    for process in list(workers._processes):
        process.close()
    workers._idle.clear()


def asked(worker, *question):
    worker.submit(*question)
    assert worker.is_ready(LONG)
    return worker.result()


def cube():
    vertices, triangles = shapes.cube()
    return "cube", vertices, triangles, "lattice", 0.3


def test_an_answer_has_the_bits_that_it_has_here(worker):
    found, here = asked(worker, "fill", *cube()), tetrahedralize(*cube())
    assert worker.warning == "" and worker.process_id not in (None, os.getpid())
    for one, other in zip(vars(found).values(), vars(here).values(), strict=True):
        assert one is other is None or (one.dtype == other.dtype and one.tobytes() == other.tobytes())


def test_an_error_is_raised_as_it_was_and_the_worker_goes_on(worker):
    name, vertices, triangles, method, _ = cube()
    with pytest.raises(TetrahedralizationError, match=r"cube: tetrahedra have edges of 0.9 of the body's size"):
        asked(worker, "fill", name, vertices, triangles, method, 0.9)
    assert len(asked(worker, "fill", *cube()).tetrahedra)


def test_what_is_dropped_is_not_begun(worker):
    """Hundreds of requests, of which the first takes longer than sending the rest."""
    worker.submit("fill", *cube()[:4], 0.02)
    for _ in range(100):
        worker.submit("fill", *cube())
    worker.drop()
    worker.submit("fill", *cube())
    stopped = 0
    for _ in range(101):
        assert worker.is_ready(LONG)
        try:
            worker.result()
        except StoppedError:
            stopped += 1
    assert stopped >= 99
    assert worker.is_ready(LONG) and len(worker.result().tetrahedra)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no signals")
def test_a_process_that_was_killed_says_so_and_another_takes_its_place(worker):
    asked(worker, "fill", *cube())
    os.kill(worker.process_id, signal.SIGKILL)
    worker.submit("fill", *cube())
    assert worker.is_ready(LONG)
    with pytest.raises(WorkerError, match=r"ended: killed \(signal 9, SIGKILL\)\. Press Resume"):
        worker.result()
    worker.release()
    other = Worker("session:Session")
    assert len(asked(other, "fill", *cube()).tetrahedra)


def test_a_fault_in_the_process_is_told_with_its_last_line(worker, capsys):
    with pytest.raises(WorkerError, match=r"exit code 1, AttributeError: .*no_such_method"):
        asked(worker, "no_such_method")
    assert "Traceback" in capsys.readouterr().out


def test_an_idle_process_is_asked_by_the_next_worker_and_ends_with_the_extension(worker):
    asked(worker, "fill", *cube())
    process = worker.process_id
    worker.release()
    other = Worker("session:Session")
    assert other.process_id == process and len(asked(other, "fill", *cube()).tetrahedra)
    other.release()
    workers.end_idle()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_worker_that_is_released_while_it_works_is_ended_at_once(worker):
    """TetWild would take many seconds, and has no way to stop."""
    worker.submit("fill", *cube()[:3], "tetwild", 0.01)
    assert not worker.is_ready(1.0)
    began = time.monotonic()
    worker.release()
    assert time.monotonic() - began < 5.0
    with pytest.raises(ProcessLookupError):
        os.kill(worker.process_id, 0)


def test_a_temporary_folder_without_room_is_named_and_the_worker_goes_on(worker):
    """A limit on the size of the process's files stands in for the disk."""
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("the limits of another process cannot be set here")
    asked(worker, "fill", *cube())
    resource.prlimit(worker.process_id, resource.RLIMIT_FSIZE, (50000, resource.RLIM_INFINITY))
    with pytest.raises(WorkerError, match=r"Temporary folder .*: cannot be written .* Free space there"):
        asked(worker, "fill", *cube()[:4], 0.05)
    assert len(asked(worker, "fill", *cube()).tetrahedra)


def test_an_idle_process_whose_folder_was_cleared_is_not_asked(worker):
    """As systems do with temporary files that are some days old."""
    asked(worker, "fill", *cube())
    process = worker.process_id
    worker.release()
    shutil.rmtree(worker._end._folder)
    other = Worker("session:Session")
    assert other.process_id != process and len(asked(other, "fill", *cube()).tetrahedra)


def test_a_prepared_process_serves_the_next_worker_which_need_not_wait_for_the_end_of_it(worker):
    workers.prepare("session:Session")
    (process,) = workers._idle
    workers.prepare("session:Session")
    assert workers._idle == [process]
    asked(worker, "fill", *cube())
    worker.release()  # it has loaded less
    assert workers._idle == [process] and worker._end not in workers._processes
    other = Worker("session:Session")
    assert other.process_id == process.process_id and len(asked(other, "fill", *cube()).tetrahedra)
    other.release()
    assert workers._idle == [process]


ENDED = """
import sys, time
from solver.device.worker import Worker
worker = Worker("session:Session")
worker.submit("fill", *__import__("tests.solver.device.test_worker", fromlist=["cube"]).cube())
assert worker.is_ready(60)
print(worker.process_id, worker._end._folder, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no signals")
def test_a_process_ends_with_the_one_that_started_it_however_that_ends():
    """Killed, it sends no message: the end of a pipe ends the worker. Nothing is left in the temporary folder either."""
    with subprocess.Popen([sys.executable, "-c", ENDED], cwd=ROOT, stdout=subprocess.PIPE, text=True) as starter:
        process, folder = starter.stdout.readline().split()
        assert Path(folder).is_dir()
        starter.kill()
    until = time.monotonic() + LONG
    while Path(folder).exists() or Path(f"/proc/{process}").exists():
        assert time.monotonic() < until
        time.sleep(0.05)


FILLING = """
import sys, time
from solver.device.worker import Worker
worker = Worker("session:Session")
name, vertices, triangles, _, fraction = __import__("tests.solver.device.test_worker", fromlist=["cube"]).cube()
worker.submit("fill", name, vertices, triangles, "tetwild", 0.01)
while b"pass" not in worker.printed():
    assert not worker.is_ready(0.05)
children = f"/proc/{worker.process_id}/task/{worker.process_id}/children"
print(worker.process_id, open(children).read(), flush=True)
if sys.argv[1] == "closed":
    worker.close()
time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not list a process's own")
@pytest.mark.parametrize("how", ["killed", "closed"])
def test_a_filling_by_tetwild_ends_with_the_process_that_asked_for_it_and_by_closing(how):
    """It lets no other thread run for a minute here; a tenth of that is enough for all processes to end."""
    pytest.importorskip("pytetwild")
    with subprocess.Popen([sys.executable, "-c", FILLING, how], cwd=ROOT, stdout=subprocess.PIPE, text=True) as starter:
        processes = starter.stdout.readline().split()
        assert len(processes) == 2
        if how == "killed":
            starter.kill()
        until = time.monotonic() + 6.0
        while any(running(process) for process in processes):
            assert time.monotonic() < until
            time.sleep(0.05)
        starter.kill()


def running(process):
    """Return whether the process exists and is no zombie, as an ended process is until its parent waits for it."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_python_that_ends_at_once_gives_way_to_a_thread(monkeypatch):
    workers.end_idle()
    monkeypatch.setattr(sys, "executable", "/bin/false" if Path("/bin/false").exists() else "/usr/bin/false")
    worker = Worker("session:Session")
    worker.submit("fill", *cube())
    until = time.monotonic() + LONG
    while not worker.is_ready(0.1):
        assert time.monotonic() < until
    assert len(worker.result().tetrahedra) and "exit code 1" in worker.warning and worker.process_id is None
    worker.release()


def test_what_a_process_is_started_with_names_no_other_pythons_folders(worker, monkeypatch):
    """It is run isolated: this variable would keep it from finding its own library."""
    workers.end_idle()
    monkeypatch.setenv("PYTHONHOME", "/there/is/no/library")
    assert np.isfinite(asked(Worker("session:Session"), "fill", *cube()).vertices).all()
