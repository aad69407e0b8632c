"""User folder: a user's own presets, and packages that a user has installed."""

from __future__ import annotations

from pathlib import Path

import bpy

from .identifiers import ADDON_ID


def user_presets_folder() -> Path:
    """The folder of a user's own presets, made if it is not there; an update of the extension leaves it alone."""
    return _own("presets")


def presets_library_folder() -> Path:
    """The folder of the asset library of presets, made if it is not there."""
    return _own("preset_library")


def cuda_folder() -> Path:
    """The folder of the packages that CUDA needs, whether it is there or not."""
    return _own("") / "cuda"


def _own(name: str) -> Path:
    if ADDON_ID.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(ADDON_ID, path=name, create=True))
    return Path(bpy.utils.user_resource("CONFIG", path=f"gpbd/{name}".rstrip("/"), create=True))
