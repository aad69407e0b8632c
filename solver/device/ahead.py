"""Kernels that a scene needs, compiled before their first call, by several processes.

Numba compiles a kernel at its first call, one at a time in a process: half a minute for cloth in contact. `kernels.json`
(from `tools/record_kernels.py`) lists the kernels and argument types for each feature of a scene (`scene.features`).
Processes beside this one compile them into the folder of compiled kernels while the scene is built: first those of the first
frame, then the rest while frames continue. A kernel outside the list, or one that failed to compile there, compiles at its
call. Each compiled kernel is recorded at once, so a stopped process loses one kernel at most.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import WorkerError
from . import child, jit
from .serving import Tell
from .worker import Worker

if TYPE_CHECKING:
    from .signatures import Written

RECORD = Path(__file__).with_name("kernels.json")
#: Less than this is compiled when it is called [s]: starting processes takes a second.
LITTLE = 3.0
#: Processes at most; more have too little to do.
MOST = 8
#: It is waited for one so long at a time [s].
LOOK = 60.0
#: How often it is looked whether the kernels of the first frame are there [s].
LOOK_FIRST = 0.02

#: Messages of a worker: a kernel compiled, and a kernel that failed.
COMPILED, FAILED = "compiled", "failed"
#: What a kernel raises that is not as it is listed, beside Numba's own errors.
NOT_AS_LISTED = ImportError, AttributeError, TypeError, ValueError, RuntimeError

#: Features of common first scenes: cloth and soft bodies with default materials, in contact.
COMMON = frozenset({
    "cloth", "soft_body", "collider", "plane", "contact", "pairs", "coupled", "only_sheets", "dtype:float32", "method:gpbd",
    "sweeps:gpbd", "global_iterations", "integrator:bdf2", "local_iterations", "warm_start", "energy:attachment",
    "energy:discrete_shell", "energy:stvk_membrane", "energy:stable_neo_hookean",
})  # fmt: skip

#: Module, name, made_for and signature of a `Listed`.
ListedKernel: TypeAlias = "tuple[str, str, list[str], list[Written]]"


@dataclass(frozen=True)
class Listed:
    """A kernel of the list. module, name: its place in the solver. made_for: of one that is made for an energy (see
    `per_energy`) its module, then "module:name" of the visit or "", then "name=other" of names that are replaced.
    signature: see `signatures`. features: of the scenes that need it. seconds: compile time after the ones before it in the
    list. late: needed only after a scene's first frame."""

    module: str
    name: str
    made_for: list[str]
    signature: list[Written]
    features: frozenset[str]
    seconds: float
    late: bool = False

    @property
    def place(self) -> ListedKernel:
        """Return its module, name, made_for and signature."""
        return self.module, self.name, self.made_for, self.signature

    @functools.cached_property
    def key(self) -> str:
        """Key of a compiled kernel; it changes with the kernel's sources, and with their folder, by which Numba keeps it."""
        modules = [self.module, *(part.partition(":")[0] for part in self.made_for[:2] if part)]
        sources = jit.import_hash(frozenset(f"{jit.PACKAGE}.{module}" for module in modules))
        text = json.dumps([self.module, self.name, self.made_for, self.signature, sources, sys.version, str(child.ROOT)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Compiler:
    """Handle of a worker on the compilation."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def compile(self, listed: list[ListedKernel], keys: list[str], note: str | None) -> list[str]:
        """See `compile_listed`; returns kernels that could not be compiled, and why. keys: of the kernels. note: the file
        that lists keys of compiled kernels."""
        gc.disable()  # a compiler allocates much and frees little: the search for free memory takes a twentieth of the time
        problems, expected = [], (*NOT_AS_LISTED, jit.load_numba().core.errors.NumbaError)
        for kernel, key in zip(listed, keys, strict=True):
            try:
                compile_listed([kernel])
            except expected as error:
                problems.append(f"{kernel[0]}.{kernel[1]}, {type(error).__name__}: {_first_line(error)}")
                self._tell(FAILED, kernel[1])
                continue
            if note is not None:
                with open(note, "a", encoding="ascii") as file:
                    file.write(f"{key}\n")
            self._tell(COMPILED, kernel[1])
        return problems

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class Compiling:
    """Compiling workers, or none. parts: kernels of each, in order. kept: number of needed kernels that are already
    compiled. earlier: compilations of other scenes of this process that this one needs too."""

    def __init__(self, workers: list[Worker], parts: list[list[Listed]], kept: int, earlier: list[Compiling]) -> None:
        self._workers, self._parts, self._kept, self._earlier = workers, parts, kept, earlier

    @property
    def unfinished(self) -> frozenset[str]:
        """Keys of the kernels that are being compiled."""
        return frozenset(kernel.key for part in self._parts for kernel in part) if self._workers else frozenset()

    @property
    def progress(self) -> tuple[int, int]:
        """Return the number of kernels that are compiled, or cannot be, and the total."""
        count = self._kept + sum(map(len, self._parts))
        return self._kept + sum(len(worker.messages) for worker in self._workers) if self._workers else count, count

    def finished(self, seconds: float) -> bool:
        """Return whether all is compiled, after waiting at most so long. Raises: WorkerError where a process of low priority
        could not be started."""
        return all(worker.is_ready(seconds) for worker in self._workers)

    def wait_for_first(self, tell: Callable[[int, int], object] = lambda done, count: None) -> list[str]:
        """Wait for the kernels of first frames; return the problems, in words, once all are compiled. tell: called with the
        number of compiled ones and the total."""
        problems = [problem for other in self._earlier for problem in other.wait_for_first(tell)]
        needed = [sum(not kernel.late for kernel in part) for part in self._parts]
        for worker, first in zip(self._workers, needed, strict=True):
            while not worker.is_ready(LOOK_FIRST) and len(worker.messages) < first:
                done = (
                    min(len(one.messages), needed_count) for one, needed_count in zip(self._workers, needed, strict=True)
                )
                tell(sum(done), sum(needed))
        return problems + self.wait() if self._workers and self.finished(0.0) else problems

    def wait(self) -> list[str]:
        """Wait until all is compiled; return the problems, in words."""
        problems = [problem for other in self._earlier for problem in other.wait()]
        for worker in self._workers:
            while not worker.is_ready(LOOK):
                continue
            try:
                wrong = worker.result()
            except WorkerError as error:
                wrong = [str(error).partition(". ")[0]]
            if wrong:
                why = wrong[0] + (f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else "")
                problems.append(f"Kernels could not be compiled ahead, so the first bake takes longer: {why}. Wait for it.")
            worker.close()
        self._kept, self._workers, self._parts, self._earlier = self.progress[1], [], [], []
        return problems

    def stop(self) -> None:
        """End the processes, even in the middle of a kernel; compiled kernels are kept."""
        for worker in self._workers:
            worker.close()
        self._workers, self._parts, self._earlier = [], [], []


#: What scenes of this process have begun to compile.
_begun: list[Compiling] = []


def lacks(features: frozenset[str]) -> bool:
    """Return whether `start` would begin to compile anything."""
    return bool(_worthwhile(_wanted(features)[1]))


class Awaited:
    """Kernels that the first frame of a scene waits for, counted beside the process that compiles them: by their note."""

    def __init__(self, features: frozenset[str]) -> None:
        self._keys = frozenset(kernel.key for kernel in _worthwhile(_wanted(features)[1]) if not kernel.late)

    @property
    def progress(self) -> tuple[int, int]:
        """Return the number of missing kernels that are compiled, and the total."""
        return len(self._keys & _kept()) if self._keys else 0, len(self._keys)


def start(features: frozenset[str], gently: bool = False) -> Compiling:
    """Begin to compile the missing kernels of a scene with these features: on all cores, or gently, by one process of low
    priority. Raises: WorkerError if no process can be started."""
    wanted, lacking = _wanted(features)
    missing = _worthwhile(lacking)
    if not missing:
        return Compiling([], [], len(wanted), list(_begun))
    count = 1 if gently else min(MOST, os.cpu_count() or 1)
    first, late = ([kernel for kernel in missing if kernel.late == is_late] for is_late in (False, True))
    parts = [one + other for one, other in zip(_shares(first, count), _shares(late, count), strict=True) if one + other]
    workers = [_worker(part, _note(), gently) for part in parts]
    compiling = Compiling(workers, parts, len(wanted) - len(missing), list(_begun))
    _begun.append(compiling)
    return compiling


def load(features: frozenset[str]) -> Iterator[None]:
    """Load the compiled kernels that a scene with these features needs into this process, one a step, those of first frames
    first. A kernel that cannot be loaded is compiled when it is called."""
    kept, expected = _kept(), (*NOT_AS_LISTED, jit.load_numba().core.errors.NumbaError)
    compiled = [kernel for kernel in record() if kernel.features <= features and kernel.key in kept]
    for kernel in sorted(compiled, key=lambda one: one.late):
        with suppress(*expected):
            compile_listed([kernel.place])
        yield


def _kept() -> set[str]:
    """Return the keys of compiled kernels."""
    note = _note()
    return set(note.read_text(encoding="ascii").split()) if note is not None and note.is_file() else set()


def _wanted(features: frozenset[str]) -> tuple[list[Listed], list[Listed]]:
    """All that a scene with these features needs, and those of them that nothing has kept or begun to compile."""
    _begun[:] = [compiling for compiling in _begun if compiling.unfinished]
    if _note() is None or not sys.executable or "NUMBA_DISABLE_JIT" in os.environ:
        return [], []
    kept = _kept().union(*(compiling.unfinished for compiling in _begun))
    wanted = [kernel for kernel in record() if kernel.features <= features]
    return wanted, [kernel for kernel in wanted if kernel.key not in kept]


def _worthwhile(missing: list[Listed]) -> list[Listed]:
    """Return the missing kernels where they take long enough for processes of their own, else none."""
    return missing if sum(kernel.seconds for kernel in missing) >= LITTLE else []


def _note() -> Path | None:
    """Return the file that lists the keys of compiled kernels."""
    folder = jit.cache_folder()
    return None if folder is None else folder / f"{jit.PACKAGE.replace('.', '_')}-ahead.txt"


@functools.cache
def record() -> list[Listed]:
    """All that are listed."""
    if not RECORD.is_file():
        return []
    listed = json.loads(RECORD.read_text(encoding="utf-8"))
    return [Listed(**{**entry, "features": frozenset(entry["features"])}) for entry in listed]


def compile_listed(listed: Iterable[ListedKernel]) -> None:
    """Compile kernels. listed: module, name, made_for and signature of each. Raises: errors of Numba; ImportError or
    AttributeError if there is no such kernel."""
    from .signatures import read

    for module, name, made_for, signature in listed:
        kernel_of(module, name, made_for).compile(tuple(read(part) for part in signature))


def kernel_of(module: str, name: str, made_for: list[str]) -> Any:
    """The kernel of a `Listed`. Raises: ImportError or AttributeError if there is none."""
    function = getattr(_module(module), name)
    if not made_for:
        return function
    energy, visit, *instead = made_for
    first = []
    if visit:
        of_visit, _, function_name = visit.partition(":")
        first.append(getattr(_module(of_visit), function_name))
    return function(*first, _module(energy), **dict(pair.split("=") for pair in instead))


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


def _worker(listed: list[Listed], note: Path | None, gently: bool = False) -> Worker:
    worker = Worker("device.ahead:Compiler", gently)
    kernels = [kernel.place for kernel in listed]
    worker.submit("compile", kernels, [kernel.key for kernel in listed], None if note is None else str(note))
    worker.finish()
    return worker


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [""])[0].rstrip(".")
