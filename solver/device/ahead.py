"""Kernels that a scene needs, compiled before it asks for them, by several processes.

Numba compiles one kernel at a time in a process, when it is first called: half a minute for cloth in contact. Which kernels
that will be, and for what types, follows from what a scene has (`scene.features`), and is written down in `kernels.json`
(made by `tools/record_kernels.py`). So processes beside this one compile them into the folder of compiled kernels, while
the scene is built. A kernel that is not in that list, or that its process failed to compile, is compiled when it is called.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import WorkerError
from . import jit
from .worker import Worker

RECORD = Path(__file__).with_name("kernels.json")
#: Less than this is compiled when it is called [s]: starting processes takes a second.
LITTLE = 3.0
#: Processes at most; more have too little to do.
MOST = 8
#: It is waited for one so long at a time [s].
LOOK = 60.0

#: What a worker tells when it has compiled a kernel.
COMPILED = "compiled"


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


class Compiler:
    """What a worker makes of this."""

    def __init__(self, tell: Callable[[str, Any], None]) -> None:
        self._tell = tell

    def compile(self, listed: list[list[Any]]) -> None:
        """See `compile_listed`."""
        compile_listed(listed, lambda name: self._tell(COMPILED, name))

    def close(self) -> None:
        """There is nothing to let go of."""


class Compiling:
    """Workers that compile, or none. note: the file that lists what is kept already. earlier: what other scenes of this
    process have begun, which this one needs too."""

    def __init__(self, workers: list[Worker], listed: list[Listed], note: Path | None, earlier: list[Compiling]) -> None:
        self._workers, self._listed, self._note, self._earlier = workers, listed, note, earlier

    @property
    def unfinished(self) -> frozenset[str]:
        """Keys of the kernels that are being compiled."""
        return frozenset(kernel.key for kernel in self._listed) if self._workers else frozenset()

    @property
    def progress(self) -> tuple[int, int]:
        """How many kernels are compiled, and of how many, its own."""
        return sum(len(worker.told) for worker in self._workers), len(self._listed)

    def finished(self, seconds: float) -> bool:
        """Whether all is compiled, after waiting at most so long."""
        return all(worker.answered(seconds) for worker in self._workers)

    def wait(self) -> list[str]:
        """Returns when all is compiled, with what went wrong, in words."""
        problems = [problem for other in self._earlier for problem in other.wait()]
        for worker in self._workers:
            while not worker.answered(LOOK):
                continue
            try:
                worker.answer()
            except WorkerError as error:
                why = str(error).partition(". ")[0]
                problems.append(f"Kernels could not be compiled ahead, so this start takes longer: {why}. Wait for it.")
            worker.close()
        if self._workers and self._note is not None and not problems:
            with self._note.open("a", encoding="ascii") as note:
                note.writelines(f"{kernel.key}\n" for kernel in self._listed)
        self._workers, self._earlier = [], []
        return problems


#: What scenes of this process have begun to compile.
_begun: list[Compiling] = []


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
    compiling = Compiling([_worker(part) for part in _shares(missing, count) if part], missing, note, list(_begun))
    _begun.append(compiling)
    return compiling


@functools.cache
def record() -> list[Listed]:
    """All that are listed."""
    if not RECORD.is_file():
        return []
    listed = json.loads(RECORD.read_text(encoding="utf-8"))
    return [Listed(**{**entry, "features": frozenset(entry["features"])}) for entry in listed]


def compile_listed(listed: Iterable[list[Any]], tell: Callable[[str], Any] = str) -> None:
    """Compiles kernels. listed: module, name, made_for and signature of each. tell: called with the name of each that is."""
    from .signatures import read

    gc.disable()  # a compiler allocates much and frees little: looking for what is free takes a twentieth of the time
    for module, name, made_for, signature in listed:
        kernel_of(module, name, made_for).compile(tuple(read(part) for part in signature))
        tell(name)


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


def _worker(listed: list[Listed]) -> Worker:
    worker = Worker("device.ahead:Compiler")
    worker.ask("compile", [[kernel.module, kernel.name, kernel.made_for, kernel.signature] for kernel in listed])
    return worker
