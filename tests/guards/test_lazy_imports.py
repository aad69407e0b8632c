"""Enabling the extension and importing the solver must be quick: Numba (about a second) waits for the first simulation."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.guards import sources

LAZY = ("numba", "llvmlite", "pytetwild", "scipy")


def modules_after(code: str) -> set[str]:
    """The modules loaded in a fresh interpreter after running the code."""
    code += "\nimport sys, json; print('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=sources.ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_the_solver_loads_neither_numba_nor_blender():
    loaded = modules_after("import solver")
    assert "numpy" in loaded
    assert not loaded.intersection((*LAZY, "bpy"))


def test_reading_the_catalogue_and_a_preset_loads_no_numba():
    """The material panel draws from these."""
    loaded = modules_after(
        "import solver; from solver.scene import catalog; catalog.energies(); solver.load_material('denim')"
    )
    assert not loaded.intersection(LAZY)


def test_enabling_the_extension_loads_no_numba():
    pytest.importorskip("bpy", reason="Blender is not installed as a module")
    code = """
import bpy, importlib.util, sys
before = set(sys.modules)
spec = importlib.util.spec_from_file_location("gpbd", "__init__.py", submodule_search_locations=["."])
sys.modules["gpbd"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
module.register()
module.unregister()
"""
    loaded = modules_after(code)
    assert "gpbd.gpbd_addon" in loaded
    assert not loaded.intersection(LAZY)
