"""Where the packages that CUDA needs are found, and whether they are the ones wanted.

They are either those of the Python that runs the solver (`pip install ".[cuda]"`), or in a folder of the extension, laid out
as one that Python is installed in, because NVIDIA's packages look for their libraries in the folders of `site`. Only worker
processes are told of that folder: a process that asks nothing of CUDA, Blender's among them, never sees it.
"""

from __future__ import annotations

import importlib.metadata
import site
import sys
from pathlib import Path

from .pinned import pinned

_folder: Path | None = None

INSTALL = (
    'Press Install CUDA Support in Preferences > Add-ons > GPBD, for scripts run `pip install ".[cuda]"` in the clone, or '
    "set Device to CPU."
)


def set_folder(folder: str | Path | None) -> None:
    """For workers that begin from now on, which `enter` it."""
    global _folder
    _folder = None if folder is None else Path(folder)


def folder() -> Path | None:
    return _folder


def modules_folder(folder: Path) -> Path:
    """Where the modules are in such a folder."""
    return Path(site.getsitepackages([str(folder)])[-1])


def enter(folder: str | None) -> None:
    """Finds packages there from now on, in this process."""
    set_folder(folder)
    if folder is not None and folder not in site.PREFIXES:
        site.PREFIXES.append(folder)
        sys.path.append(str(modules_folder(Path(folder))))


def problem() -> str:
    """Why the package that compiles cannot be used, as two sentences; "" where it can."""
    wanted = pinned()
    try:
        found = importlib.metadata.version(wanted.package)
    except importlib.metadata.PackageNotFoundError:
        return f"CUDA: the package {wanted.package} is missing; wanted version {wanted.version}. {INSTALL}"
    if found != wanted.version:
        return f"CUDA: the package {wanted.package} is version {found}; wanted {wanted.version}. {INSTALL}"
    return ""
