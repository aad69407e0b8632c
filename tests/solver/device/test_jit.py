"""The folder of compiled kernels."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from solver.device.jit import load_numba, wants_gathers

ROOT = Path(__file__).resolve().parents[3]
COLOUR = "import numpy as np; print(colouring.colour_elements(np.array([[0, 1], [1, 2]]), 3).tolist())"
AS_SOLVER = "from solver.topology import colouring; " + COLOUR
AS_EXTENSION = (
    "import sys, types; package = types.ModuleType('gpbd'); package.__path__ = ['.']; sys.modules['gpbd'] = package; "
    "from gpbd.solver.topology import colouring; " + COLOUR
)


@pytest.mark.parametrize("order", [(AS_SOLVER, AS_EXTENSION), (AS_EXTENSION, AS_SOLVER)])
def test_kernels_of_the_extension_and_of_a_script_share_a_folder_in_peace(order, tmp_path):
    """A cached kernel names the package that it was compiled in; the other package must not be given it."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    for code in order:
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == "[0, 1]"


EDITS = """
import sys
from solver.device import jit
print(jit.import_hash(frozenset({"solver.one"})), jit.import_hash(frozenset({"solver.folder.two"})), jit.sources_hash())
"""


def test_the_folder_of_a_kernel_changes_with_an_edit_of_what_it_imports_and_with_no_other(tmp_path):
    """Numba itself notices an edit only in the file that it compiles."""
    solver = tmp_path / "solver"
    (solver / "device").mkdir(parents=True)
    (solver / "folder").mkdir()
    (solver / "device" / "jit.py").write_bytes((ROOT / "solver" / "device" / "jit.py").read_bytes())
    (solver / "one.py").write_text("from .folder import (\n    two,\n)\n")
    (solver / "folder" / "two.py").write_text("from ..folder.three import x as y\n")
    (solver / "folder" / "three.py").write_text("x = 1\n")

    def hashes() -> list[str]:
        command = [sys.executable, "-c", EDITS]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()

    before = hashes()
    assert all(len(digits) == 16 for digits in before) and len(set(before)) == 3
    (solver / "folder" / "three.py").write_text("x = 2\n")
    after = hashes()
    assert not set(before) & set(after)
    (solver / "one.py").write_text("from .folder import two\n")
    last = hashes()
    assert last[0] != after[0] and last[1] == after[1] and last[2] != after[2]


SWEPT = """
import hashlib
from tests.solver.energies.test_energy_contract import Lone, moved
lone = Lone("stable_neo_hookean")
print(hashlib.sha1(lone.sweep(moved(lone, 0.3), 20).tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_kernels_from_the_disk_give_the_bits_of_those_just_compiled(tmp_path):
    """A bake that compiles its kernels can be resumed by one that reads them. With sums in any order (fast-math `reassoc`)
    sweeps had other bits after the second optimisation that they get on their way to the disk."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    found = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", SWEPT], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        found.append(done.stdout)
    assert found[0] == found[1] and len(found[0].strip()) == 40


@pytest.mark.parametrize(("caches", "kept"), [("caches", True), ("file/caches", False)])
def test_a_script_that_names_no_folder_has_its_kernels_in_the_users_folder_of_caches_or_nowhere(caches, kept, tmp_path):
    """Beside the sources an edit of what a file imports would go unnoticed."""
    (tmp_path / "file").touch()
    told = {name: str(tmp_path / caches) for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME")}
    beside = ROOT / "solver" / "topology" / "__pycache__"
    before = set(beside.glob("*.nb*"))
    environment = os.environ | told | {"NUMBA_CACHE_DIR": ""}
    done = subprocess.run([sys.executable, "-c", AS_SOLVER], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[0, 1]"
    assert bool(list(tmp_path.rglob("*.nbi"))) == kept and set(beside.glob("*.nb*")) == before


OTHERS = """
import gc, os, sys, threading, warnings
import numba, numpy as np
def settings():
    own = {name: repr(value) for name, value in vars(numba.config).items() if name.isupper()}
    own |= {"environment": dict(os.environ), "numpy": np.geterr(), "filters": list(warnings.filters), "gc": gc.isenabled()}
    return own | {"recursion": sys.getrecursionlimit(), "stack": threading.stack_size(), "switch": sys.getswitchinterval()}
numba.config.CACHE_DIR = "of another"
before = settings()
from solver.device import jit
jit.set_cache_folder(sys.argv[1])
from solver import Simulation
from solver.topology import colouring
colouring.colour_elements(np.array([[0, 1], [1, 2]]), 3)
after = settings()
print([name for name in before | after if before.get(name) != after.get(name)])
"""


def test_no_setting_of_the_process_is_changed_for_other_users_of_numba(tmp_path):
    """Blender is one process, in which other extensions may use Numba."""
    command = [sys.executable, "-c", OTHERS, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"NUMBA_CACHE_DIR": ""}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
    assert list(tmp_path.rglob("*.nbc")), "the kernel is kept where it was asked for"


def test_gathers_are_asked_for_where_llvm_has_them_and_leaves_them_out():
    assert wants_gathers({"avx2": True, "avx512f": False})
    assert not wants_gathers({"avx2": True, "avx512f": True}) and not wants_gathers({"neon": True})
    load_numba()
    from llvmlite import binding
    from numba.core.registry import cpu_target

    wanted = wants_gathers(binding.get_host_cpu_features()) and "NUMBA_CPU_FEATURES" not in os.environ
    assert cpu_target.target_context.codegen().magic_tuple()[2].endswith("+fast-gather") == wanted
