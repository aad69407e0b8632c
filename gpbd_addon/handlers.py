"""Handlers that run when a file has been loaded or edited."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from .bake import attributes, compile_ahead, devices, overview, preview, saving, tearing
from .live import player
from .maps import contact_map, heat_map, warp_lines
from .properties import migration, object_properties, scene_properties, tearing_properties


@persistent
def keep_meaning(*_: object) -> None:
    """A file may have been saved by an older version of the extension."""
    migration.migrate()


@persistent
def keep_wind(*_: object) -> None:
    """Migrate wind of a loaded file; a file that is appended to keeps its own."""
    migration.keep_wind()


@persistent
def mark_file(*_: object) -> None:
    """A later version has to know what this one meant."""
    migration.mark()


@persistent
def forget_bake(*_: object) -> None:
    """A file that was saved during a bake would show its progress for ever."""
    for manager in bpy.data.window_managers:
        manager.gpbd_status = manager.gpbd_numbers = manager.gpbd_problems = ""
        manager.gpbd_progress = 0.0
        manager.property_unset("gpbd_baked_to")


@persistent
def follow_maps(*_: object) -> None:
    """A file may have been saved with a heat map, a contact map or warp lines on; the one before it may have had one."""
    heat_map.follow()
    contact_map.follow()
    warp_lines.follow()


@persistent
def drop_previews(*_: object) -> None:
    """A file that is saved names no file of a preview."""
    preview.end_all()


def _hooks() -> list[tuple[list, Any]]:
    on = bpy.app.handlers
    return [
        (on.load_post, keep_meaning),
        (on.blend_import_post, keep_meaning),
        (on.load_post, keep_wind),
        (on.save_pre, mark_file),
        (on.save_pre, player.before_save),
        (on.save_pre, drop_previews),
        (on.save_pre, saving.before_save),
        (on.save_post, saving.after_save),
        (on.save_post_fail, saving.after_failed_save),
        (on.load_pre, player.before_load),
        (on.load_pre, saving.before_load),
        (on.load_post, saving.find_caches),
        (on.undo_post, saving.find_caches),
        (on.redo_post, saving.find_caches),
        (on.load_post, forget_bake),
        (on.load_post, follow_maps),
        (on.load_post, overview.after_load),
        (on.load_post, player.after_load),
        (on.undo_post, overview.after_undo),
        (on.redo_post, overview.after_undo),
        (on.depsgraph_update_post, overview.after_edit),
        (on.depsgraph_update_post, player.after_edit),
        (on.frame_change_pre, player.before_frame),
        (on.frame_change_post, player.after_frame),
    ]


def register() -> None:
    scene_properties.range_watchers.append(heat_map.show_frame)
    object_properties.attribute_watchers.append(attributes.refresh)
    tearing_properties.tearing_watchers.append(tearing.follow)
    for hooks, function in _hooks():
        hooks.append(function)
    if isinstance(bpy.data, bpy.types.BlendData):  # not yet while Blender starts; then it loads a file
        migration.migrate()
        migration.keep_wind()
    compile_ahead.begin()


def unregister() -> None:
    player.end()
    compile_ahead.end()
    compile_ahead.problems.clear()
    saving.end()
    overview.end()
    devices.end()
    heat_map.unfollow()
    contact_map.unfollow()
    warp_lines.unfollow()
    for hooks, function in reversed(_hooks()):
        hooks.remove(function)
    scene_properties.range_watchers.remove(heat_map.show_frame)
    object_properties.attribute_watchers.remove(attributes.refresh)
    tearing_properties.tearing_watchers.remove(tearing.follow)
