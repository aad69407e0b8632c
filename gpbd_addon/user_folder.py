"""Where a user's own presets are kept."""

from __future__ import annotations

from pathlib import Path

import bpy

from .identifiers import ADDON_ID


def user_presets_folder() -> Path:
    """The folder of a user's own presets, made if it is not there; an update of the extension leaves it alone."""
    if ADDON_ID.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(ADDON_ID, path="presets", create=True))
    return Path(bpy.utils.user_resource("CONFIG", path="gpbd/presets", create=True))
