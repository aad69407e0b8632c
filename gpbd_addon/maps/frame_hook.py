"""Handlers that Blender calls at each frame only while a map is on."""

from __future__ import annotations

from typing import Any


def put(hooks: Any, handler: Any, wanted: bool) -> None:
    """Has a handler among `hooks` (a list of `bpy.app.handlers`) once, or not at all."""
    if wanted and handler not in hooks:
        hooks.append(handler)
    elif not wanted and handler in hooks:
        hooks.remove(handler)
