"""A Python process beside this one that calls a function of the solver: for work that cannot be stopped otherwise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

#: The name of the solver's package here, whatever else it is part of. That of `jit` would load Numba.
PACKAGE = __package__.rpartition(".")[0]
#: The beginning of what a process runs, which makes the solver's package known under its name here, whatever else it is part
#: of, without that.
IMPORTS = """
import importlib, json, sys, types
def make_known(name, root):
    parents = name.split(".")[:-1]
    for k in range(len(parents)):
        package = types.ModuleType(".".join(parents[: k + 1]))
        package.__path__ = [root]
        sys.modules[package.__name__] = package
    if not parents:
        sys.path.insert(0, root)
"""
#: Where the package stands.
ROOT = Path(__file__).resolve().parents[2]
#: Of a process: Windows would show a window.
FLAGS = getattr(subprocess, "CREATE_NO_WINDOW", 0)

_CHILD = f"""{IMPORTS}
name, root, sys.path[:], module, function, arguments = json.loads(sys.argv[1])
make_known(name, root)
getattr(importlib.import_module(name + "." + module), function)(*arguments)
"""


def can_start() -> bool:
    """Whether there is a Python to run it; an application that embeds Python need not tell one."""
    return bool(sys.executable)


def start(module: str, function: str, arguments: list[Any], folder: str) -> subprocess.Popen:
    """Calls `solver.<module>.<function>(*arguments)`, JSON values, in a process whose working folder is `folder`.

    What it prints, errors among it, can be read from `stdout`.
    """
    told = json.dumps([PACKAGE, str(ROOT), sys.path, module, function, arguments])
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD, told],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        creationflags=FLAGS,
    )
