"""Python processes beside this one: which Python runs them, and how they find the solver.

The Python is `sys.executable`: inside Blender the one that it brings (4.5 and 5.2, on Linux, Windows and macOS), or the
system's where Blender was built with that; of Blender as a module the one that has imported it. It is run isolated, as
Blender runs its own: variables of the environment that are meant for another Python do not reach it.

A process ends by itself when this one does, however that ends: its standard input ends then.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO
from weakref import WeakSet

from ..json_value import JsonValue

#: The name of the solver's package here, whatever else it is part of. That of `jit` would load Numba.
PACKAGE = __package__.rpartition(".")[0]
#: Start code of a process: makes the solver's package known under its present name, whatever else it is part
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
#: Low priority: of Windows, whose processes hand it on, and of the others, where 0 is the usual and 19 the lowest.
BELOW_NORMAL, NICE = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0), 10

_CHILD = f"""{IMPORTS}
name, root, sys.path[:], module, function, arguments = json.loads(sys.argv[1])
make_known(name, root)
getattr(importlib.import_module(name + "." + module), function)(*arguments)
"""


_started: WeakSet[subprocess.Popen] = WeakSet()


def kill_all() -> None:
    """End all processes that were started here, at once, before this one ends without a word."""
    for process in list(_started):
        if process.poll() is None:
            process.kill()


def lower_priority() -> None:
    """Let other processes go before this one; on Windows `start` sets it."""
    if sys.platform == "win32":
        return
    os.nice(NICE)
    group = Path("/proc/self/autogroup")  # of a session, which Linux shares the processor with first, by a value of its own
    if group.exists():
        with suppress(OSError):  # some containers do not allow it, nor repeated calls
            group.write_text(str(NICE), encoding="ascii")


def start(
    module: str, function: str, arguments: Sequence[JsonValue], printed: IO[bytes], gently: bool = False
) -> subprocess.Popen:
    """Call `solver.<module>.<function>(*arguments)`, JSON values, in a process; its output goes to a file.

    gently: it is one that calls `lower_priority`. A Ctrl-C in a terminal is not its own. Raises: OSError where no process
    can be started.
    """
    call = json.dumps([PACKAGE, str(ROOT), sys.path, module, function, arguments])
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _CHILD, call],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=printed,
        stderr=subprocess.STDOUT,
        creationflags=FLAGS | (BELOW_NORMAL if gently else 0),
        start_new_session=True,
    )
    _started.add(process)
    return process
