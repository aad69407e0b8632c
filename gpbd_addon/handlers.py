"""What has to happen when a file has been loaded."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent


@persistent
def forget_bake(*_: Any) -> None:
    """A file that was saved during a bake would show its progress for ever."""
    for manager in bpy.data.window_managers:
        manager.gpbd_status = ""
        manager.gpbd_progress = 0.0


def register() -> None:
    bpy.app.handlers.load_post.append(forget_bake)


def unregister() -> None:
    bpy.app.handlers.load_post.remove(forget_bake)
