"""Kernels that a scene needs, compiled before it asks for them, by several processes.

Numba compiles one kernel at a time in a process, when it is first called: half a minute for cloth in contact. Which kernels
that will be, and for what types, follows from what a scene has (`scene.features`), and is written down in `kernels.json`
(made by `tools/record_kernels.py`). So processes beside this one compile them into the folder of compiled kernels, while
the scene is built. A kernel that is not in that list, or that its process failed to compile, is compiled when it is called.
"""

from __future__ import annotations

import atexit
import functools
import gc
import hashlib
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from . import child, jit

RECORD = Path(__file__).with_name("kernels.json")
#: Less than this is compiled when it is called [s]: starting processes takes a second.
LITTLE = 3.0
#: Processes at most; more have too little to do.
MOST = 8

#: What a process runs.
_CHILD = f"""{child.IMPORTS}
name, root, folder, sys.path[:], listed = json.loads(sys.stdin.read())
make_known(name, root)
importlib.import_module(name + ".device.jit").set_cache_folder(folder)
importlib.import_module(name + ".device.ahead").compile_listed(listed)
"""


@dataclass(frozen=True)
class Listed:
    """A kernel of the list. module, name: where it stands in the solver. made_for: of one that is made for an energy (see
    `per_energy`) its module, then "module:name" of the visit or "", then "name=other" of names that are replaced.
    signature: see `signatures`. features: the scenes that need it have these.
    seconds: it took to compile after those before it in the list."""

    module: str
    name: str
    made_for: list[str]
    signature: list[Any]
    features: frozenset[str]
    seconds: float

    @functools.cached_property
    def key(self) -> str:
        """Changes with the kernel's sources."""
        modules = [self.module, *(part.partition(":")[0] for part in self.made_for[:2] if part)]
        sources = jit.import_hash(frozenset(f"{jit.PACKAGE}.{module}" for module in modules))
        text = json.dumps([self.module, self.name, self.made_for, self.signature, sources, sys.version])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Compiling:
    """Processes that compile, or none. note: the file that lists what is kept already. earlier: what other scenes of this
    process have begun, which this one needs too."""

    def __init__(
        self, processes: list[subprocess.Popen], listed: list[Listed], note: Path | None, earlier: list[Compiling]
    ) -> None:
        self._processes, self._listed, self._note, self._earlier = processes, listed, note, earlier

    @property
    def unfinished(self) -> frozenset[str]:
        """Keys of the kernels that are being compiled."""
        return frozenset(kernel.key for kernel in self._listed) if self._processes else frozenset()

    def stop(self) -> None:
        """Ends the processes, when nobody can wait for them any more."""
        for process in self._processes:
            process.kill()

    def wait(self) -> list[str]:
        """Returns when all is compiled, with what went wrong, in words."""
        problems = [problem for other in self._earlier for problem in other.wait()]
        for process in self._processes:
            _, errors = process.communicate()
            if process.returncode:
                last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
                problems.append(f"Kernels could not be compiled ahead, so this start takes longer: {last[0]}")
        if self._processes and self._note is not None and not problems:
            with self._note.open("a", encoding="ascii") as note:
                note.writelines(f"{kernel.key}\n" for kernel in self._listed)
        self._processes, self._earlier = [], []
        return problems


#: What scenes of this process have begun to compile.
_begun: list[Compiling] = []


@atexit.register
def _stop() -> None:
    for compiling in _begun:
        compiling.stop()


def start(features: frozenset[str]) -> Compiling:
    """Begins to compile, on all cores, what a scene with these features needs and nothing has kept or begun to compile."""
    _begun[:] = [compiling for compiling in _begun if compiling.unfinished]
    begun = frozenset[str]().union(*(compiling.unfinished for compiling in _begun))
    folder, note = jit.cache_folder(), None
    missing: list[Listed] = []
    if folder is not None and sys.executable and "NUMBA_DISABLE_JIT" not in os.environ:
        note = folder / f"{jit.PACKAGE.replace('.', '_')}-ahead.txt"
        kept = set(note.read_text(encoding="ascii").split()) if note.is_file() else set()
        kept |= begun
        missing = [kernel for kernel in record() if kernel.features <= features and kernel.key not in kept]
    if folder is None or sum(kernel.seconds for kernel in missing) < LITTLE:
        return Compiling([], [], None, list(_begun))
    count = min(MOST, os.cpu_count() or 1)
    compiling = Compiling([_child(part, folder) for part in _shares(missing, count) if part], missing, note, list(_begun))
    _begun.append(compiling)
    return compiling


@functools.cache
def record() -> list[Listed]:
    """All that are listed."""
    if not RECORD.is_file():
        return []
    listed = json.loads(RECORD.read_text(encoding="utf-8"))
    return [Listed(**{**entry, "features": frozenset(entry["features"])}) for entry in listed]


def compile_listed(listed: Iterable[list[Any]]) -> None:
    """Compiles kernels; what the other processes do. listed: module, name, made_for and signature of each."""
    from .signatures import read

    gc.disable()  # a compiler allocates much and frees little: looking for what is free takes a twentieth of the time
    for module, name, made_for, signature in listed:
        kernel_of(module, name, made_for).compile(tuple(read(part) for part in signature))


def kernel_of(module: str, name: str, made_for: list[str]) -> Any:
    """The kernel of a `Listed`. Raises: ImportError or AttributeError if there is none."""
    found = getattr(_module(module), name)
    if not made_for:
        return found
    energy, visit, *instead = made_for
    first = []
    if visit:
        of_visit, _, own = visit.partition(":")
        first.append(getattr(_module(of_visit), own))
    return found(*first, _module(energy), **dict(pair.split("=") for pair in instead))


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{jit.PACKAGE}.{name}")


def _shares(listed: list[Listed], count: int) -> list[list[Listed]]:
    """Parts that take about the same time, in the order of the list, which is that of rooms: kernels that stand near one
    another call the same functions, which each process compiles for itself."""
    total, done = sum(kernel.seconds for kernel in listed), 0.0
    shares: list[list[Listed]] = [[] for _ in range(count)]
    for kernel in listed:
        shares[min(int(done * count / total), count - 1)].append(kernel)
        done += kernel.seconds
    return shares


def _child(listed: list[Listed], folder: Path) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        creationflags=child.FLAGS,
    )
    assert process.stdin is not None
    wanted = [[kernel.module, kernel.name, kernel.made_for, kernel.signature] for kernel in listed]
    process.stdin.write(json.dumps([jit.PACKAGE, str(child.ROOT), str(folder), sys.path, wanted]).encode())
    process.stdin.close()
    process.stdin = None
    return process
