"""A scene and its view layer, as a job keeps them: found again under other names, without a reference to Blender's data."""

from __future__ import annotations

import bpy

from ...solver.errors import SceneError
from ..read import scene_input


class SceneHandle:
    """name: of the scene when the job was made, for messages. layer: of the view layer then."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        self.name, self.layer = scene.name, scene_input.view_layer_of(scene)
        self._identity = scene.session_uid
        self._layers = [layer.name for layer in scene.view_layers]

    def is_of(self, scene: bpy.types.Scene) -> bool:
        return bool(scene.session_uid == self._identity)

    def get(self) -> bpy.types.Scene | None:
        """None where it is gone."""
        return next(filter(self.is_of, bpy.data.scenes), None)

    def now(self) -> bpy.types.Scene:
        """Raises: SceneError where it is gone."""
        scene = self.get()
        if scene is None:
            raise SceneError(f"Scene '{self.name}' is gone. Undo that, then begin again.")
        return scene

    def layer_now(self, scene: bpy.types.Scene) -> str | None:
        """The name of the view layer; where that is no more, of the one in its place, if none came or went. None where it is
        gone."""
        names = [layer.name for layer in scene.view_layers]
        if self.layer in names:
            return self.layer
        return names[self._layers.index(self.layer)] if len(names) == len(self._layers) else None
