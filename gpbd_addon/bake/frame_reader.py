"""Reader of a scene at the frames of a bake, a few ahead of the solver; it leaves the window at its frame.

Only while it reads is the scene at another frame, with the bodies' modifiers off; in between the bodies play their caches
and the user looks at any frame.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from ...solver.errors import CacheError, GpbdError
from ..read import modifier, scene_input
from ..read.scene_input import FrameData, World
from . import live_view
from .scene_handle import SceneHandle

#: Most frames read and requested ahead, and longest time that reading may freeze the window [s].
AHEAD, LONGEST = 4, 0.03

_reading = False


def is_reading() -> bool:
    """Return whether a bake has taken the scene to a frame that the user does not look at."""
    return _reading


class FrameReader:
    """Reads the bodies of these identities; keeps no reference to Blender's data."""

    def __init__(self, scene: SceneHandle, identities: list[str]) -> None:
        self._scene, self._identities = scene, set(identities)
        self._read: deque[FrameData | GpbdError] = deque()
        self._next = 0

    @contextmanager
    def below(self) -> Iterator[None]:
        """Inside, bodies come out of the stack below our modifier, and the scene may go to any frame; afterwards both are
        as they were. Within one another only the outermost does anything."""
        global _reading
        scene = self._scene.get()
        if _reading or scene is None:
            yield
            return
        there = scene.frame_current, scene.frame_subframe
        bodies = [ob for ob in scene.objects if ob.gpbd.uuid in self._identities and ob.is_editable]
        _reading = True
        try:
            with modifier.switched_off(bodies):
                yield
        finally:
            _reading = False
            scene = self._scene.get()
            if scene is not None:
                scene.frame_set(there[0], subframe=there[1])

    def begin(self, frame: int) -> None:
        """The next frame to read is this one."""
        self._read.clear()
        self._next = frame

    def at(self, world: World, frame: int) -> FrameData:
        """One frame by itself. Raises: GpbdError."""
        with self.below():
            read = self._at(world, frame)
        if isinstance(read, GpbdError):
            raise read
        return read

    def is_done(self, world: World) -> bool:
        """Return whether the last frame was taken."""
        return not self._read and self._next > world.end

    def take(self, world: World) -> FrameData | GpbdError | None:
        """The next frame, or why it could not be read. None while a render looks at the scene: it must not go elsewhere.

        Reads a few frames at a time, or fewer that take long.
        """
        if not self._read:
            if live_view.is_rendering():
                return None
            self._ahead(world)
        return self._read.popleft()

    def _ahead(self, world: World) -> None:
        until = perf_counter() + LONGEST
        with self.below():
            while len(self._read) < AHEAD and self._next <= world.end:
                self._read.append(self._at(world, self._next))
                self._next += 1
                if isinstance(self._read[-1], GpbdError) or perf_counter() > until:
                    return

    def _at(self, world: World, frame: int) -> FrameData | GpbdError:
        scene = self._scene.get()
        layer = None if scene is None else self._scene.layer_now(scene)
        if scene is None or layer is None:
            return CacheError(
                f"Scene '{self._scene.name}' is gone at frame {frame}. The frames before are kept; bake again."
            )
        try:
            return scene_input.read_frame(scene, layer, world, frame)
        except GpbdError as error:
            return error  # raised once the frames before are written
