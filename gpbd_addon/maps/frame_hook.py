"""Handlers that Blender calls at each frame only while a map is on."""

from __future__ import annotations

from typing import Any

import bpy

from ..bake import frame_reader, live_view


def put(hooks: Any, handler: Any, wanted: bool) -> None:
    """Register a handler among `hooks` (a list of `bpy.app.handlers`) once, or not at all."""
    if wanted and handler not in hooks:
        hooks.append(handler)
    elif not wanted and handler in hooks:
        hooks.remove(handler)


def may_write(scene: bpy.types.Scene) -> bool:
    """Return whether meshes may be changed for this frame.

    Not while a bake reads the frame, because the user sees another one; not while a render and the window evaluate meshes in
    two threads, which crashes Blender, unless the window is locked meanwhile.
    """
    return not frame_reader.is_reading() and (scene.render.use_lock_interface or not live_view.is_rendering())
