"""Kernels compiled ahead by processes beside the simulation."""

import json
import os
import subprocess
import sys
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
    """Of two arrays of different types."""

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
    worker = ahead._worker([kernel])
    assert worker.answered(300) and worker.answer() is None
    worker.close()
    assert [value for _, value in worker.told] == [kernel.name]
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
    """Stands for a worker that has compiled."""

    def answered(self, seconds):
        return True

    def answer(self):
        return None

    def close(self):
        pass


def test_two_scenes_do_not_compile_the_same_kernels_at_once(tmp_path, monkeypatch):
    """Twenty scenes that were built before the first was simulated started forty processes for the same kernels."""
    begun = []
    kernels = [ahead.Listed("stepping.integrate", str(k), [], [], frozenset({f"{k}"}), 100.0) for k in range(2)]
    monkeypatch.setattr(ahead, "record", lambda: kernels)
    monkeypatch.setattr(ahead, "_worker", lambda listed: begun.append([k.name for k in listed]) or Done())
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: 1)
    monkeypatch.setattr(jit, "_folder", tmp_path)
    first, second = ahead.start(frozenset("0")), ahead.start(frozenset("01"))
    assert begun == [["0"], ["1"]]
    assert second.wait() == [] and not first.unfinished
    ahead.start(frozenset("01"))
    assert len(begun) == 2


def in_a_process(code: str, **environment: str) -> list[str]:
    """What code prints in a Python of its own."""
    call = [sys.executable, "-c", code]
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
