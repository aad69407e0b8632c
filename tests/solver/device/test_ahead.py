"""Kernels compiled ahead by processes beside the simulation."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof, types

from solver import Material, Scene, Simulation
from solver.device import ahead, child, jit
from solver.device.signatures import read, written
from tests.scenes.plain_cloth import plain_cloth
from tests.validation.meshes import grid

ROOT = Path(__file__).resolve().parents[3]


class Pair(NamedTuple):
    """Two arrays of different types."""

    rows: np.ndarray
    ids: np.ndarray


def test_a_signature_that_is_read_is_the_one_that_was_written(monkeypatch):
    monkeypatch.setattr("solver.device.signatures.PACKAGE", __name__.rpartition(".")[0])
    fixed = np.zeros(3)
    fixed.setflags(write=False)
    values = (np.zeros((2, 3), np.float32), fixed, np.zeros((4, 4), bool)[:, 1:], 1, 2.0, True, np.float32(1))
    for kind in map(typeof, (*values, values[:2], Pair(np.zeros(2), np.zeros(2, np.int32)))):
        text = json.loads(json.dumps(written(kind)))
        assert read(text) == kind


def test_what_is_no_argument_from_python_has_no_text():
    with pytest.raises(TypeError, match="wanted arrays, numbers and tuples"):
        written(types.literal(1))


def test_every_listed_kernel_exists_and_takes_the_listed_arguments():
    """`tools/record_kernels.py` writes the list anew."""
    assert len(ahead.record()) > 100
    for kernel in ahead.record():
        code = ahead.kernel_of(kernel.module, kernel.name, kernel.made_for).py_func.__code__
        assert code.co_argcount == len(kernel.signature), f"{kernel.module}.{kernel.name} {kernel.made_for}"
        assert all(read(part) is not None for part in kernel.signature)


def test_processes_share_the_time_and_keep_the_order():
    listed = [ahead.Listed("m", str(k), [], [], frozenset(), 1.0) for k in range(9)]
    shares = ahead._shares(listed, 3)
    assert [len(share) for share in shares] == [3, 3, 3]
    assert [kernel for share in shares for kernel in share] == listed


def test_a_process_compiles_for_an_extension_under_its_name(tmp_path, monkeypatch):
    """A kept kernel names the package that it was compiled in, which another one cannot load."""
    monkeypatch.setattr(child, "PACKAGE", "bl_ext.some_repository.gpbd.solver")
    monkeypatch.setattr(jit, "_folder", tmp_path)
    kernel = next(kernel for kernel in ahead.record() if kernel.module == "stepping.integrate")
    worker = ahead._worker([kernel], None)
    assert worker.is_ready(300) and worker.result() == []
    worker.close()
    assert [value for _, value in worker.messages] == [kernel.name]
    assert list((tmp_path / "bl_ext_some_repository_gpbd_solver").rglob("*.nbc"))


def test_a_kernel_that_cannot_be_compiled_ahead_is_told_and_hinders_nothing(tmp_path, monkeypatch):
    wrong = ahead.Listed("stepping.integrate", "no_such_kernel", [], [], frozenset(), 100.0)
    monkeypatch.setattr(ahead, "record", lambda: [wrong])
    monkeypatch.setattr(jit, "_folder", tmp_path)
    vertices, triangles = grid(3, 3, 1.0, 1.0)
    cloth = plain_cloth("cloth", vertices, triangles, Material.fabric(0.1, 100.0, 10.0))
    simulation = Simulation(Scene([cloth]))
    assert simulation.advance_frame().number == 2
    assert any("could not be compiled ahead" in told and "no_such_kernel" in told for told in simulation.warnings)


class Done:
    """Stands for a worker that has compiled. note: the file that it writes down what in."""

    def __init__(self, listed, note):
        self.messages = [(ahead.COMPILED, kernel.name) for kernel in listed]
        with note.open("a") as file:
            file.writelines(f"{kernel.key}\n" for kernel in listed)

    def is_ready(self, seconds=0.0):
        return True

    def result(self):
        return []

    def close(self):
        pass


def test_a_kernel_that_cannot_be_compiled_leaves_the_others(tmp_path, monkeypatch):
    """A list that is not current cost all that its process had to compile after the first mistake."""
    monkeypatch.setattr(jit, "_folder", tmp_path)
    right = next(kernel for kernel in ahead.record() if kernel.module == "stepping.integrate")
    wrong = [ahead.Listed(right.module, name, [], right.signature[1:], frozenset(), 100.0) for name in ("none", right.name)]
    monkeypatch.setattr(ahead, "record", lambda: [*wrong, right])
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: 1)
    compiling = ahead.start(frozenset(right.features))
    told = compiling.wait()
    assert len(told) == 1 and "AttributeError" in told[0] and "(and 1 more)" in told[0]
    assert (tmp_path / "solver-ahead.txt").read_text().split() == [right.key]


def test_what_is_compiled_when_it_is_stopped_is_not_compiled_again(tmp_path, monkeypatch):
    """The first kernels of the list, by one process of low priority; then the same again."""
    monkeypatch.setattr(jit, "_folder", tmp_path)
    kernels = [
        replace(kernel, seconds=100.0, late=False) for kernel in ahead.record() if kernel.module == "stepping.integrate"
    ][:3]
    monkeypatch.setattr(ahead, "record", lambda: kernels)
    every = frozenset().union(*(kernel.features for kernel in kernels))
    compiling = ahead.start(every, gently=True)
    (worker,) = compiling._workers
    if hasattr(os, "getpriority"):
        until = time.monotonic() + 300.0
        while not worker.messages and time.monotonic() < until:
            worker.is_ready(0.1)
        assert os.getpriority(os.PRIO_PROCESS, worker.process_id) == child.NICE
    done = compiling.progress[0]
    assert 0 < done < len(kernels) and compiling.progress[1] == len(kernels)
    compiling.stop()
    assert not compiling.unfinished
    again = ahead.start(every, gently=True)
    assert again.progress[0] >= done and [kernel.name for part in again._parts for kernel in part] == [
        kernel.name for kernel in kernels[again.progress[0] :]
    ]
    assert again.wait() == [] and again.progress == (3, 3)
    nothing = ahead.start(every, gently=True)
    assert nothing.progress == (3, 3) and not nothing._workers


def test_the_first_frame_does_not_wait_for_late_kernels():
    """The third of three kernels of a process is late. Meanwhile it reports the progress of those before."""
    told: list = []
    kernels = [ahead.Listed("m", str(k), [], [], frozenset(), 1.0, late=k == 2) for k in range(3)]

    class Busy:
        def __init__(self):
            self.messages, self.looks = [], 0

        def is_ready(self, seconds=0.0):
            self.looks += 1
            if self.looks % 3 == 0 and len(self.messages) < 2:
                self.messages.append((ahead.COMPILED, ""))
            return False

    compiling = ahead.Compiling([Busy()], [kernels], 0, [])
    assert compiling.wait_for_first(lambda *how_far: told.append(how_far)) == []
    assert compiling.progress == (2, 3) and compiling.unfinished
    assert list(dict.fromkeys(told)) == [(0, 2), (1, 2)]


def test_another_process_counts_the_kernels_that_a_first_frame_waits_for(tmp_path, monkeypatch):
    """The third of three missing kernels is late. Those of a second are compiled at their call, without a note."""
    kernels = [ahead.Listed("stepping.integrate", str(k), [], [], frozenset(), 2.0, late=k == 2) for k in range(3)]
    monkeypatch.setattr(ahead, "record", lambda: kernels)
    monkeypatch.setattr(jit, "_folder", tmp_path)
    awaited = ahead.Awaited(frozenset())
    assert awaited.progress == (0, 2)
    (tmp_path / "solver-ahead.txt").write_text(f"{kernels[1].key}\n{kernels[2].key}\n")
    assert awaited.progress == (1, 2)
    assert ahead.Awaited(frozenset()).progress == (0, 0)


def test_a_copy_of_the_solver_elsewhere_does_not_take_the_kernels_for_compiled(tmp_path, monkeypatch):
    """Numba looks for a kept kernel by the folder of its source: what the note of a shared folder said would be compiled one
    by one, uncounted, as it is called."""
    kernel = replace(ahead.record()[0], seconds=100.0)
    monkeypatch.setattr(ahead, "record", lambda: [kernel])
    monkeypatch.setattr(jit, "_folder", tmp_path)
    (tmp_path / "solver-ahead.txt").write_text(kernel.key)
    assert not ahead.lacks(kernel.features)
    monkeypatch.setattr(child, "ROOT", tmp_path)
    elsewhere = replace(kernel)  # which has no key yet
    monkeypatch.setattr(ahead, "record", lambda: [elsewhere])
    assert ahead.lacks(kernel.features)


def test_two_scenes_do_not_compile_the_same_kernels_at_once(tmp_path, monkeypatch):
    """Twenty scenes that were built before the first was simulated started forty processes for the same kernels."""
    begun = []
    kernels = [ahead.Listed("stepping.integrate", str(k), [], [], frozenset({f"{k}"}), 100.0) for k in range(2)]
    monkeypatch.setattr(ahead, "record", lambda: kernels)
    monkeypatch.setattr(ahead, "_worker", lambda part, note, _: begun.append([k.name for k in part]) or Done(part, note))
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: 1)
    monkeypatch.setattr(jit, "_folder", tmp_path)
    first, second = ahead.start(frozenset("0")), ahead.start(frozenset("01"))
    assert begun == [["0"], ["1"]]
    assert second.wait() == [] and not first.unfinished
    ahead.start(frozenset("01"))
    assert len(begun) == 2


def in_a_process(code: str, *arguments: str, **environment: str) -> list[str]:
    """Return the lines that code prints in a Python process of its own."""
    call = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(call, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


LOADED = """
from solver.device import ahead
kernel = next(kernel for kernel in ahead.record() if kernel.module == "stepping.integrate")
ahead.compile_listed([[kernel.module, kernel.name, kernel.made_for, kernel.signature]])
stats = ahead.kernel_of(kernel.module, kernel.name, kernel.made_for).stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_what_a_process_has_compiled_another_loads(tmp_path):
    for told in ("0 1", "1 0"):
        assert in_a_process(LOADED, NUMBA_CACHE_DIR=str(tmp_path)) == [told]


PREPARED = """
import sys
from dataclasses import replace
from solver import session
from solver.device import ahead, jit
count = int(sys.argv[1])
quick = sorted((k for k in ahead.record() if not k.made_for), key=lambda k: k.seconds)[:3]
kernels = [replace(k, features=frozenset({"cloth"}), late=k is quick[0]) for k in quick]
ahead.record = lambda: kernels
if count:
    listed, keys = zip(*(([k.module, k.name, k.made_for, k.signature], k.key) for k in kernels[:count]))
    ahead.Compiler(lambda kind, value: None).compile(listed, keys, str(ahead._note()))
else:
    steps = sum(1 for step in session.Session(lambda kind, value: None).prepare())
    stats = [ahead.kernel_of(k.module, k.name, k.made_for).stats for k in kernels]
    hits, misses = (sum(sum(getattr(one, name).values()) for one in stats) for name in ("cache_hits", "cache_misses"))
    print(steps, hits, misses, "solver.simulation" in sys.modules)
"""


def test_preparing_imports_the_simulation_and_loads_compiled_kernels_but_compiles_none(tmp_path):
    assert in_a_process(PREPARED, "2", NUMBA_CACHE_DIR=str(tmp_path)) == []
    assert in_a_process(PREPARED, "0", NUMBA_CACHE_DIR=str(tmp_path)) == ["3 2 0 True"]


CALLED = """
import sys
sys.path.insert(0, "tools")
import record_kernels, solver
from solver.device import ahead
from solver.scene.features import features
case = record_kernels.plain(solver, "ball")
settings = solver.Settings(**record_kernels.small.PLAIN | case.settings)
simulation = solver.Simulation(case.scene, settings)
contacts = max(simulation.advance_frame().report.contacts for _ in range(case.frames))
listed = [k for k in ahead.record() if k.features <= features(case.scene, settings)]
known = [[k.module, k.name, k.made_for, k.signature] for k in listed]
called = record_kernels.kernels()
print(contacts, len(called))
print(*[kernel[:3] for kernel in called if kernel not in known], sep="\\n")
"""


@pytest.mark.slow
def test_cloth_that_lands_calls_next_to_nothing_that_is_not_listed():
    """A tenth is left to what the list does not have, such as set-up."""
    told, *others = in_a_process(CALLED)
    contacts, called = map(int, told.split())
    assert contacts > 10 and called > 60
    assert len(others) < 0.1 * called, others
