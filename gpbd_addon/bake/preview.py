"""Shapes that a job has come to, seen in the window before they are kept: bodies play a file of one frame meanwhile."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...solver.cache.pc2 import Header
from ..read import modifier
from . import playback
from .scene_handle import SceneHandle

Array = np.ndarray

#: Properties of our modifier that are restored at the end, beside its cache.
KEPT = (*playback.PLAYBACK, "frame_start", "filepath", "show_viewport")


class Preview:
    """Preview of bodies by their identity. Holds no reference to Blender's data; `end` it."""

    _open: list[Preview] = []

    def __init__(self, scene: SceneHandle) -> None:
        self._scene = scene
        self._folder: Path | None = None
        self._before: dict[str, dict[str, Any]] = {}  # of the modifiers

    def show(self, shapes: Mapping[str, Array]) -> None:
        """identity -> positions of its mesh, (n, 3), object space."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="gpbd-preview-"))
            self._open.append(self)
        for identity, ob in self._bodies().items():
            if identity not in shapes:
                continue
            path, x = self._folder / f"{identity}{modifier.CACHE_SUFFIX}", np.asarray(shapes[identity], "<f4")
            path.write_bytes(Header(len(x), 1.0, 1).packed + x.tobytes())
            if identity not in self._before:
                cache_modifier = playback.ensure(ob)
                self._before[identity] = {name: _plain(getattr(cache_modifier, name)) for name in KEPT}
                playback.play(ob, str(path), 1)
                cache_modifier.show_viewport = True
            ob.update_tag(refresh={"DATA"})

    def end(self) -> None:
        """Let the bodies play their former caches again."""
        for identity, ob in self._bodies().items():
            cache_modifier = modifier.find(ob)
            before = self._before.get(identity, {})
            for name, value in before.items() if cache_modifier is not None else ():
                setattr(cache_modifier, name, value)
        self._before.clear()
        if self._folder is not None:
            self._open.remove(self)
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _bodies(self) -> dict[str, Any]:
        scene = self._scene.get()
        objects = () if scene is None else scene.objects
        return {ob.gpbd.uuid: ob for ob in objects if ob.gpbd.body_type != "NONE" and ob.is_editable}


def end_all() -> None:
    """End all previews before a file is saved: it must not name a file that is deleted. The next frame begins them again."""
    for preview in list(Preview._open):
        preview.end()


def _plain(value: Any) -> Any:
    """A copy, where it is of several numbers, which go with the modifier."""
    return list(value) if hasattr(value, "foreach_get") else value
