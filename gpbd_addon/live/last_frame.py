"""Last frame of the timeline, at which playback stops where its return to the first one would discard grabs."""

from __future__ import annotations

import bpy

_frame = 0  # of the scene, after its last change


def note(scene: bpy.types.Scene) -> None:
    """Remember the frame of the scene."""
    global _frame
    _frame = scene.frame_current


def is_left(scene: bpy.types.Scene) -> bool:
    """Return whether the scene goes from the last frame of the timeline to its first one."""
    preview = scene.use_preview_range
    first = scene.frame_preview_start if preview else scene.frame_start
    last = scene.frame_preview_end if preview else scene.frame_end
    return scene.frame_current == first < last == _frame


def stop_there(scene: bpy.types.Scene) -> None:
    """Go back to the last frame, and stop playback once Blender is between frames."""
    scene.frame_current = _frame
    bpy.app.timers.register(stop_playback, first_interval=0.0)


def stop_playback() -> None:
    """Stop the timeline of all windows where it is."""
    for window in bpy.context.window_manager.windows:
        if window.screen.is_animation_playing:
            with bpy.context.temp_override(window=window):
                bpy.ops.screen.animation_cancel(restore_frame=False)
