"""Where compiled kernels are kept, and how Numba is set up. Call `set_cache_folder` before the first simulation."""

from __future__ import annotations

import functools
import hashlib
import os
import threading
from pathlib import Path

#: Held around parallel kernels: Numba's fallback threading layer must not be entered by two threads at once.
lock = threading.RLock()

_folder: Path | None = None


def set_cache_folder(folder: str | Path) -> Path:
    """Keep compiled kernels in a subfolder of `folder` named after the solver's sources; returns that subfolder.

    Numba notices an edit only in the file that it compiles, not in the files that this one imports; a folder per
    version of the sources can never serve a stale kernel. Has no effect on kernels that are already loaded.
    """
    global _folder
    _folder = Path(folder) / sources_hash()
    _folder.mkdir(parents=True, exist_ok=True)
    return _folder


def sources_hash() -> str:
    """Sixteen hexadecimal digits that change with any edit of the solver."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
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


def use_cache_folder(numba) -> None:
    """Lets the kernel that is decorated next be kept in this package's own folder.

    The solver may be loaded under two names in one process (`solver`, and as part of an extension); a cached kernel names
    the package that it was compiled in, and cannot be loaded where only the other one exists.
    """
    base = str(_folder) if _folder is not None else _given_folder()
    if base:
        numba.config.CACHE_DIR = os.path.join(base, __name__.removesuffix(".device.jit").replace(".", "_"))


@functools.cache
def _given_folder() -> str:
    """Where the environment wants kernels kept, one folder a version of the sources there too; empty for nowhere."""
    given = os.environ.get("NUMBA_CACHE_DIR", "")
    return os.path.join(given, sources_hash()) if given else ""
