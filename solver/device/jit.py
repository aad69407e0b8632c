"""Where compiled kernels are kept, and how Numba is set up. Call `set_cache_folder` before the first simulation."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import threading
from pathlib import Path

#: Held around parallel kernels: Numba's fallback threading layer must not be entered by two threads at once.
lock = threading.RLock()

_ROOT = Path(__file__).resolve().parent.parent
PACKAGE = __name__.removesuffix(".device.jit")
#: Where the environment wants kernels kept; empty for nowhere. Numba reads it too, and forgets it when told another folder.
_GIVEN = os.environ.get("NUMBA_CACHE_DIR", "")
#: `from ..package.module import names`: dots, package.module, names in parentheses, names on the line.
_IMPORT = re.compile(r"^ *from (\.+)([\w.]*) import (?:\(([^)]*)\)|([^#\n]*))", re.MULTILINE)
_folder: Path | None = None


def set_cache_folder(folder: str | Path) -> Path:
    """Keep compiled kernels below `folder`, in subfolders named after their sources; returns `folder`.

    Has no effect on kernels that are already loaded.
    """
    global _folder
    _folder = Path(folder)
    _folder.mkdir(parents=True, exist_ok=True)
    return _folder


def sources_hash() -> str:
    """Sixteen hexadecimal digits that change with any edit of the solver."""
    digest = hashlib.sha256()
    for path in sorted(_ROOT.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def load_numba():
    """The numba module, set up. Importing it costs most of a second, so nothing imports it before a simulation is built."""
    # libgomp threads that wait for the next region spin; with other work on the machine that costs 10 ms a region.
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")
    import numba

    # Inside Blender the layer "tbb" would share Blender's own task scheduler with the evaluation of the scene, which goes on
    # in the main thread while a bake runs in a worker: OpenMP keeps the two apart.
    numba.config.THREADING_LAYER_PRIORITY = ["omp", "tbb", "workqueue"]
    return numba


def use_cache_folder(numba, function) -> None:
    """Lets a kernel that is decorated next be kept in a folder of its package and of its sources.

    The solver may be loaded under two names in one process (`solver`, and as part of an extension); a cached kernel names
    the package that it was compiled in, and cannot be loaded where only the other one exists. Numba notices an edit only in
    the file that it compiles, not in the files that this one imports; a folder for each version of them all can never serve
    a stale kernel, and an edit elsewhere leaves it as it is.
    """
    base = str(_folder) if _folder is not None else _GIVEN
    if base:
        modules = frozenset({function.__module__, function.__globals__["__name__"]})
        numba.config.CACHE_DIR = os.path.join(base, PACKAGE.replace(".", "_"), import_hash(modules))


@functools.cache
def import_hash(modules: frozenset[str]) -> str:
    """Sixteen hexadecimal digits that change with any edit of these modules of the solver, or of one that they import.

    Modules from elsewhere depend on all of the solver.
    """
    own = f"{PACKAGE}."
    names = [name.removeprefix(own).replace(".", "/") for name in modules if name.startswith(own)]
    if len(names) < len(modules):
        return sources_hash()
    left, seen = [_file(name) for name in names], set[str]()
    while left:
        path = left.pop()
        if path not in seen:
            seen.add(path)
            left += _imports(path)
    digest = hashlib.sha256()
    for path in sorted(seen):
        digest.update(_digest(path))
    return digest.hexdigest()[:16]


def is_kept(module: str) -> bool:
    """Whether any kernel of a module of the solver, named from the solver on, was kept in this version by an earlier run."""
    base = _folder or Path(_GIVEN)
    return (base / PACKAGE.replace(".", "_") / import_hash(frozenset({f"{PACKAGE}.{module}"}))).is_dir()


@functools.cache
def _digest(path: str) -> bytes:
    """Of a file's place in the solver and its contents."""
    place = Path(path).relative_to(_ROOT).as_posix()
    return hashlib.sha256(place.encode() + b"\0" + Path(path).read_bytes()).digest()


@functools.cache
def _imports(path: str) -> list[str]:
    """Files of the solver that a file imports."""
    found = []
    for dots, module, listed, plain in _IMPORT.findall(Path(path).read_text(encoding="utf-8")):
        folder = Path(path).parents[len(dots) - 1].joinpath(*module.split("."))
        found.append(_file(str(folder)))
        found += [_file(str(folder / name.split(" as ")[0].strip())) for name in (listed or plain).split(",")]
    return [file for file in found if os.path.isfile(file)]


def _file(module: str) -> str:
    """The file of a module that is named by its path in the solver, without ending."""
    path = _ROOT / module
    return str(path / "__init__.py" if path.is_dir() else path.with_suffix(".py"))
