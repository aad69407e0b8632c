"""The physics of one element stays in single precision, on the CPU: a hidden double halves the speed. For CUDA
`test_cuda_kernels.py` asks."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from solver.scene import catalog
from tests.guards import element_types, sources

ENERGIES = sorted(catalog.energies())


def compiled(*names: str) -> list[dict]:
    command = [sys.executable, "-m", "tests.guards.element_types", *names]
    done = subprocess.run(command, cwd=sources.ROOT, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


#: Those whose code is short to compile; the others are asked with `--long`.
FEW = ["neo_hookean", "spring", "strain_limit"]


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(FEW, marks=pytest.mark.slow, id="few"),
        pytest.param([name for name in ENERGIES if name not in FEW], marks=pytest.mark.long, id="others"),
    ],
)
def test_project_computes_in_single_precision(names):
    """Several energies in one process: starting one takes longer than most of them."""
    found = dict(zip(names, compiled(*names), strict=True))
    assert not [name for name in names if "float64" in found[name]["arguments"] + found[name]["returns"]]
    assert not {name: found[name]["doubles"] for name in names if found[name]["doubles"]}


def test_the_guard_sees_doubles_but_not_the_wrapper_for_python():
    wrapper = "define ptr @_ZN7cpython6solver() {\n %1 = call double @PyFloat_AsDouble(ptr %0)\n}\n"
    code = "define i32 @_ZN6solver() {\n %1 = fpext float %0 to double\n}\n"
    assert element_types.doubles(wrapper) == []
    assert len(element_types.doubles(wrapper + code)) == 1
