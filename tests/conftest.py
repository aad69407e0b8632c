"""For every test: kernels are kept between runs, each below the hash of the sources that it is made of, and once only."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.covering_set import mark_rest_long

os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / "gpbd-numba"))


class OneSolver(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The solver of the extension, `gpbd.solver`, is `solver` here: loaded twice, it would compile each kernel twice, as a
    kernel names the package that it was compiled in. Tests of that package's own name start a Python of their own."""

    def find_spec(self, name, path=None, target=None):
        if (name + ".").startswith("gpbd.solver."):
            return importlib.machinery.ModuleSpec(name, self)
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        sys.modules[name] = importlib.import_module(name.removeprefix("gpbd."))


sys.meta_path.insert(0, OneSolver())


@pytest.hookimpl(tryfirst=True)  # before those of one mark are chosen
def pytest_collection_modifyitems(items) -> None:
    mark_rest_long(items)


#: Energies and methods that few tests of the default pass simulate with: they compile what they call.
RARE = {"energy:hylc"} | {f"{what}:{name}" for what in ("method", "sweeps") for name in ("newton", "pbng", "xpbd")}


def pytest_xdist_setupnodes(config, specs) -> None:
    """Compile what tests need before the workers start, which would each compile it for themselves: of the smoke run the
    kernels of common scenes, else those of all scenes, or of all but rare ones."""
    from solver.device import ahead

    chosen = config.getoption("markexpr")
    listed = frozenset[str]().union(*(kernel.features for kernel in ahead.record()))
    every = listed - RARE if "not long" in chosen else listed
    ahead.start(ahead.COMMON if "not slow" in chosen else every).wait()
