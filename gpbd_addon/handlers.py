"""What has to happen when a file has been loaded."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from .maps import contact_map, heat_map
from .properties import scene_properties


@persistent
def forget_bake(*_: Any) -> None:
    """A file that was saved during a bake would show its progress for ever."""
    for manager in bpy.data.window_managers:
        manager.gpbd_status = ""
        manager.gpbd_progress = 0.0


@persistent
def follow_maps(*_: Any) -> None:
    """A file may have been saved with a heat map or a contact map on; the one before it may have had one."""
    heat_map.follow()
    contact_map.follow()


def register() -> None:
    scene_properties.range_watchers.append(heat_map.show_frame)
    bpy.app.handlers.load_post.append(forget_bake)
    bpy.app.handlers.load_post.append(follow_maps)


def unregister() -> None:
    heat_map.unfollow()
    contact_map.unfollow()
    bpy.app.handlers.load_post.remove(follow_maps)
    bpy.app.handlers.load_post.remove(forget_bake)
    scene_properties.range_watchers.remove(heat_map.show_frame)
