"""Kernels for a GPU that processes compile before a frame launches them."""

import numpy as np
import pytest

from solver.device.cuda import compile_ahead, kernels, primitives
from solver.device.cuda.primitives import Gathering, Rows, Runs

ROWS = Rows(*(np.zeros(2, np.int32) for _ in range(3)), np.zeros((1, 1), np.float32))
RUNS = Runs(np.zeros(2, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32), np.int32(2))
NEEDED = [
    (primitives.add_rows, ROWS._replace(values=np.zeros((2, 1), np.float32))), (primitives.add_run, RUNS),
    (primitives.largest_of_run, RUNS), (primitives.scan_run, RUNS),
    (primitives.gather, Gathering(np.zeros((2, 1)), np.int32(0), np.zeros((1, 1)))),
]  # fmt: skip


class Clerk:
    """A stand-in for a process: notes its calls."""

    def __init__(self, made_by):
        assert made_by == "device.cuda.compile_ahead:Compiler"
        self.asked, self.closed = None, False
        CLERKS.append(self)

    def submit(self, method, listed, capability):
        assert method == "compile" and capability == [9, 0]
        self.asked = [name for _, name, _, _ in listed]

    def is_ready(self, seconds):
        return True

    def result(self):
        if FAILING:
            raise FAILING[0]

    def close(self):
        self.closed = True


CLERKS: list[Clerk] = []
FAILING: list[Exception] = []


@pytest.fixture(autouse=True)
def clerks(monkeypatch, tmp_path):
    CLERKS.clear()
    FAILING.clear()
    monkeypatch.setattr(compile_ahead, "Worker", Clerk)
    monkeypatch.setattr(compile_ahead.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)


def test_processes_share_what_is_missing():
    compile_ahead.compile_missing(NEEDED, (9, 0))
    assert sorted(name for clerk in CLERKS for name in clerk.asked) == sorted(body.function.__name__ for body, _ in NEEDED)
    assert len(CLERKS) == 2 and all(clerk.asked and clerk.closed for clerk in CLERKS)


def test_what_is_kept_or_little_is_left_to_the_launch(monkeypatch):
    compile_ahead.compile_missing(NEEDED[:3], (9, 0))
    monkeypatch.setattr(kernels, "is_missing", lambda body, args, capability: body is not primitives.add_rows)
    compile_ahead.compile_missing(NEEDED, (9, 0))
    assert "add_rows" not in [name for clerk in CLERKS for name in clerk.asked]


def test_where_nothing_is_kept_nobody_compiles_ahead(monkeypatch):
    monkeypatch.setattr(kernels, "cache_folder", lambda: None)
    compile_ahead.compile_missing(NEEDED, (9, 0))
    assert not CLERKS


def test_a_process_that_fails_is_told_and_all_are_closed():
    FAILING.append(RuntimeError("no compiler"))
    with pytest.raises(RuntimeError, match="no compiler"):
        compile_ahead.compile_missing(NEEDED, (9, 0))
    assert all(clerk.closed for clerk in CLERKS)


def test_a_tuple_of_anything_is_read_as_it_was_written():
    value = (np.zeros((2, 3), bool), np.float32(1), 3, (np.zeros(1), np.zeros(1)))
    again = compile_ahead.read(compile_ahead.written(value))
    assert kernels.types_of(again) == kernels.types_of(value)


@pytest.mark.cuda
def test_processes_keep_the_kernels_that_a_launch_finds(monkeypatch, tmp_path):
    """Needs the packages of the extra `cuda`, no GPU."""
    pytest.importorskip("numba_cuda_mlir")
    monkeypatch.undo()
    from solver.device import jit

    before = jit._folder
    jit.set_cache_folder(tmp_path)
    try:
        compile_ahead.compile_missing(NEEDED, (9, 0))
        assert not any(kernels.is_missing(body, args, (9, 0)) for body, args in NEEDED)
    finally:
        jit._folder = before
