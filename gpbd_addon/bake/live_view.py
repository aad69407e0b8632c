"""Window during a bake: it follows the newest frame, until the user looks at another one.

The bodies' modifiers play the frames from the cache files.
"""

from __future__ import annotations

import bpy

from .scene_handle import SceneHandle


def is_rendering() -> bool:
    """Return whether Blender evaluates the scene in the thread of a render: it must not change its frame then."""
    return bpy.app.is_job_running("RENDER")


class LiveView:
    """Begins where the user is."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        self._scene, self._before = SceneHandle(scene), scene.frame_current
        self._shown: int | None = None  # the frame that it went to last

    @property
    def follows(self) -> bool:
        """Return whether the user has left the timeline at the frame that this has set."""
        scene = self._scene.get()
        return scene is not None and scene.frame_current == (self._before if self._shown is None else self._shown)

    def show(self, frame: int, identities: set[str]) -> None:
        """Frames up to this one are in the caches of these bodies."""
        scene = self._scene.get()
        if scene is None or is_rendering():
            return
        if self.follows:
            scene.frame_set(frame)
            self._shown = frame
            return
        for ob in scene.objects:  # Blender reads a cache again only where the frame changes, or after an update tag
            if ob.gpbd.uuid in identities:
                ob.update_tag(refresh={"DATA"})

    def end(self, last: int | None) -> None:
        """To the last frame that was made, where the cloth is worth seeing, unless the user has gone elsewhere since. last:
        None where none was made."""
        scene = self._scene.get()
        if scene is not None and not is_rendering():
            there = self._before if last is None else last
            scene.frame_set(there if self.follows else scene.frame_current)
