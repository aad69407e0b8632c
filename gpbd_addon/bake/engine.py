"""The simulation of a bake, in a worker: what it is asked is answered in the order asked, while Blender goes on."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from ...solver import session
from ...solver.device.worker import Worker
from ..read.scene_input import FrameData, World
from . import kept_tetrahedra

#: A snapshot is taken after every so many frames, and after a frame that ends so long after the last one [s].
CHECKPOINT_FRAMES, CHECKPOINT_SECONDS = 10, 60.0

Snapshot = dict[str, np.ndarray]


class Engine:
    """A world's simulation. `build`, `advance` and `snapshot` ask for something, `answer` takes what was asked for first."""

    def __init__(self, world: World, worker: Worker, state: Snapshot | None = None, changed: bool = False):
        """state: the arrays of a checkpoint to go on from; changed: of a scene that may have changed since."""
        self.world, self.state, self.changed = world, state, changed
        self._worker = worker

    def build(self, tell: Callable[[str], Any]) -> Generator[bool, None, None]:
        """Asks for the start, once soft bodies are filled; yields False until then. tell: called with what is being done.

        The answer is the start and None, or None twice where it goes on from a checkpoint. Raises: GpbdError.
        """
        own = None
        if self.state is not None:
            for k, body in enumerate(self.world.bodies):
                if kept := kept_tetrahedra.of_body(k, self.state):
                    body.tetrahedra = kept_tetrahedra.of_arrays(kept)
            own = {key: value for key, value in self.state.items() if not key.startswith(kept_tetrahedra.TETRAHEDRA)}
        scene = yield from self.world.building(self._worker, tell)
        self._worker.ask("build", scene, self.world.settings, own, self.changed)

    def advance(self, data: FrameData) -> None:
        """Asks for the next frame, at whose end everything is where `data` says, and a snapshot where one is due."""
        pins = {
            body.name: body.targets(data.poses[body.name], data.attached.get(body.name))
            for body in self.world.bodies
            if body.has_pins
        }
        tenth = not (data.number - self.world.start + 1) % CHECKPOINT_FRAMES
        seconds = 0.0 if tenth else CHECKPOINT_SECONDS
        self._worker.ask("advance", pins, data.colliders, data.wind, data.gravity, data.number, seconds, data.shapes)

    def snapshot(self) -> None:
        """Asks for None and a snapshot."""
        self._worker.ask("snapshot")

    def answer(self) -> tuple[session.Drawn | None, Snapshot | None]:
        """A frame and a snapshot, or None in their places; once `Worker.answered`.

        Raises: UnstableError; StoppedError where it was dropped; WorkerError where the worker is gone.
        """
        frame, arrays = self._worker.answer()
        return frame, None if arrays is None else {**arrays, **kept_tetrahedra.of_world(self.world)}

    def late_warnings(self) -> list[str]:
        """What the simulation has warned of since this was last called."""
        told = [value for kind, value in self._worker.told if kind == session.WARNING]
        self._worker.told.clear()
        return told
