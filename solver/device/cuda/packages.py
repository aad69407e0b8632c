"""Location of the packages for CUDA, and the check of their versions.

They are either those of the Python that runs the solver (`pip install ".[cuda]"`), or in a folder of the extension, laid out
as the prefix of a Python installation, because NVIDIA's packages look for their libraries in the folders of `site`. Only
worker processes use that folder: a process without CUDA, such as Blender's, never sees it.
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
    """Set the folder for workers that start from now on, which `enter` it."""
    global _folder
    _folder = None if folder is None else Path(folder)


def folder() -> Path | None:
    return _folder


def modules_folder(folder: Path) -> Path:
    """Return the folder of modules in such a folder."""
    return Path(site.getsitepackages([str(folder)])[-1])


def enter(folder: str | None) -> None:
    """Find packages there from now on, in this process."""
    set_folder(folder)
    if folder is not None and folder not in site.PREFIXES:
        site.PREFIXES.append(folder)
        sys.path.append(str(modules_folder(Path(folder))))


def problem() -> str:
    """Return the reason why the compiler's package cannot be used, as two sentences; "" if it can."""
    wanted = pinned()
    try:
        version = importlib.metadata.version(wanted.package)
    except importlib.metadata.PackageNotFoundError:
        return f"CUDA: the package {wanted.package} is missing; wanted version {wanted.version}. {INSTALL}"
    if version != wanted.version:
        return f"CUDA: the package {wanted.package} is version {version}; wanted {wanted.version}. {INSTALL}"
    return ""
