"""Folder of compiled kernels: in the extension's own user folder, which a reinstall preserves."""

from __future__ import annotations

import os

import bpy

from ...solver.device import jit
from ..identifiers import ADDON_ID

BUILDING = "Preparing the simulation"


def prepare() -> None:
    """Set the folder, before the first simulation is built. NUMBA_CACHE_DIR, where someone has set it, is obeyed."""
    if not os.environ.get("NUMBA_CACHE_DIR"):
        jit.set_cache_folder(_user_folder())


def _user_folder() -> str:
    if ADDON_ID.startswith("bl_ext."):
        return bpy.utils.extension_path_user(ADDON_ID, path="cache", create=True)
    return bpy.utils.user_resource("CONFIG", path="gpbd/cache", create=True)  # a clone, run with Blender as a module
