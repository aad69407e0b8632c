"""A Python process beside this one that calls a function of the solver: for work that cannot be stopped otherwise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

#: The name of the solver's package here, whatever else it is part of.
PACKAGE = __package__.rpartition(".")[0]

#: What the process runs: imports the solver under its name here, without what it is part of, then calls the function.
_CHILD = """
import importlib, json, sys, types
name, root, sys.path[:], module, function, arguments = json.loads(sys.argv[1])
parents = name.split(".")[:-1]
for k in range(len(parents)):
    package = types.ModuleType(".".join(parents[: k + 1]))
    package.__path__ = [root]
    sys.modules[package.__name__] = package
if not parents:
    sys.path.insert(0, root)
getattr(importlib.import_module(name + "." + module), function)(*arguments)
"""


def can_start() -> bool:
    """Whether there is a Python to run it; an application that embeds Python need not tell one."""
    return bool(sys.executable)


def start(module: str, function: str, arguments: list[Any], folder: str) -> subprocess.Popen:
    """Calls `solver.<module>.<function>(*arguments)`, JSON values, in a process whose working folder is `folder`.

    What it prints, errors among it, can be read from `stdout`.
    """
    root = Path(__file__).resolve().parents[2]
    told = json.dumps([PACKAGE, str(root), sys.path, module, function, arguments])
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD, told],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # Windows would show one
    )
