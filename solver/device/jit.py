"""Folder of compiled kernels: in the user's folder of caches, unless `set_cache_folder`, called before the first
simulation, or the environment variable NUMBA_CACHE_DIR names another."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .compiled_function import Compiled, Parameters, Result

#: Held while a function is decorated: Numba takes the folder of its kernels from a variable of its own module, which other
#: users of Numba in this process share, and which is theirs again afterwards.
_lock = threading.Lock()

_ROOT = Path(__file__).resolve().parent.parent
PACKAGE = __name__.removesuffix(".device.jit")
#: Where the environment wants kernels kept; empty where it does not say.
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


def cache_folder() -> Path | None:
    """Return the folder of compiled kernels, None for nowhere: then no folder of the user's can be written."""
    return _folder or (Path(_GIVEN) if _GIVEN else _folder_of_user())


@functools.cache
def _folder_of_user() -> Path | None:
    home = Path("~").expanduser()
    if sys.platform == "win32":
        caches = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        caches = home / "Library" / "Caches"
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    folder = caches / "gpbd" / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def sources_hash() -> str:
    """Sixteen hexadecimal digits that change with any edit of the solver."""
    digest = hashlib.sha256()
    for path in sorted(_ROOT.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def load_numba() -> ModuleType:
    """The numba module. Importing it costs most of a second, so nothing imports it before a simulation is built."""
    import numba
    from llvmlite import binding
    from numba.core.registry import cpu_target

    config, features = numba.config, binding.get_host_cpu_features()
    if config.CPU_FEATURES is None and config.ENABLE_AVX and wants_gathers(features):
        config.CPU_FEATURES = f"{features.flatten()},+fast-gather"
        try:
            cpu_target.target_context.codegen()  # reads it, unless another user of Numba has compiled before
        finally:
            config.CPU_FEATURES = None
    return numba


def wants_gathers(features: Mapping[str, bool]) -> bool:
    """Return whether LLVM shall use a processor's gathers, by the features that it finds: of AVX2. It underrates
    them on processors of AMD; without them loops that look up in tables are three times as long, and take twice as long to
    compile and to run. Bits are the same."""
    return bool(features.get("avx2")) and not features.get("avx512f")


def compile_cached(function: Callable[Parameters, Result], **options: object) -> Compiled[Parameters, Result]:
    """The function as a kernel that releases the GIL, kept in a folder of its package and of its sources.

    The solver may be loaded under two names in one process (`solver`, and as part of an extension); a cached kernel names
    the package that it was compiled in, and cannot be loaded where only the other one exists. Numba notices an edit only in
    the file that it compiles, not in the files that this one imports; a folder for each version of them all can never serve
    a stale kernel, and an edit elsewhere leaves it as it is.
    """
    numba, base = load_numba(), cache_folder()
    with _lock:
        others = numba.config.CACHE_DIR
        try:
            if base is not None:
                modules = getattr(function, "modules", None) or frozenset({function.__module__})
                numba.config.CACHE_DIR = str(base / PACKAGE.replace(".", "_") / import_hash(modules))
            options |= {"nogil": True, "cache": base is not None, "no_cfunc_wrapper": True}  # no C calls it
            return numba.njit(error_model="numpy", boundscheck=False, **options)(function)
        finally:
            numba.config.CACHE_DIR = others


@functools.cache
def import_hash(modules: frozenset[str]) -> str:
    """Sixteen hexadecimal digits that change with any edit of these modules, or of a file of the solver that they import.

    A module from elsewhere depends on all of the solver, on its own file, and on files beside it that it imports by a
    relative name.
    """
    left, seen = [path for name in sorted(modules) if (path := _source(name))], set[str]()
    while left:
        path = left.pop()
        if path not in seen:
            seen.add(path)
            left += _imports(path)
    digest = hashlib.sha256()
    if len(modules) > len([name for name in modules if _is_own(_source(name))]):
        digest.update(sources_hash().encode())
    for path in sorted(seen):
        digest.update(_digest(path))
    return digest.hexdigest()[:16]


def _source(module: str) -> str:
    """The file of a module, by its name where it is one of the solver's; empty if it has none."""
    own_file = _file(module.removeprefix(f"{PACKAGE}.").replace(".", "/")) if module.startswith(f"{PACKAGE}.") else ""
    file = own_file if os.path.isfile(own_file) else getattr(sys.modules.get(module), "__file__", None) or ""
    return file if os.path.isfile(file) else ""


def _is_own(path: str) -> bool:
    return Path(path).is_relative_to(_ROOT) if path else False


@functools.cache
def _digest(path: str) -> bytes:
    """Return the digest of a file's place in the solver, or its name elsewhere, and its contents."""
    place = Path(path).relative_to(_ROOT).as_posix() if _is_own(path) else Path(path).name
    return hashlib.sha256(place.encode() + b"\0" + Path(path).read_bytes()).digest()


@functools.cache
def _imports(path: str) -> list[str]:
    """Files that a file imports by relative names."""
    files = []
    for dots, module, listed, plain in _IMPORT.findall(Path(path).read_text(encoding="utf-8")):
        if len(dots) > len(Path(path).parents):
            continue
        folder = Path(path).parents[len(dots) - 1].joinpath(*module.split("."))
        files.append(_file(str(folder)))
        files += [_file(str(folder / name.split(" as ")[0].strip())) for name in (listed or plain).split(",")]
    return [file for file in files if os.path.isfile(file)]


def _file(module: str) -> str:
    """The file of a module that is named by its path in the solver, without ending."""
    path = _ROOT / module
    return str(path / "__init__.py" if path.is_dir() else path.with_suffix(".py"))
