"""Simulation of a bake, in a worker: requests complete in their order, while Blender continues."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from ...solver import session
from ...solver.device import ahead
from ...solver.device.plain import Plain
from ...solver.device.worker import Worker
from ...solver.scene.features import features
from ...solver.scene.keyed import MAP
from ..read.scene_input import FrameData, World
from . import kept_tetrahedra

#: A checkpoint is written after every so many frames, and after a frame that ends so long after the last one [s].
CHECKPOINT_FRAMES, CHECKPOINT_SECONDS = 10, 60.0


class Engine:
    """Simulation of a world, which writes its frames. `build` and `advance` request a frame, `answer` takes the oldest
    request's. awaited: kernels that the first frame waits for, once the start is requested."""

    awaited: ahead.Awaited | None = None

    def __init__(self, world: World, worker: Worker):
        self.world = world
        self._worker = worker

    def build(self, folder: Path, changed: bool, tell: Callable[[str], Any]) -> Generator[bool, None, None]:
        """Request the start, once soft bodies are filled; yields False until then. tell: called with the current work.

        folder: of the caches, which are open. changed: whether the scene differs from that of the checkpoint. The result
        is None where it continues from a checkpoint. Raises: GpbdError.
        """
        scene = yield from self.world.building(self._worker, tell)
        beside = kept_tetrahedra.of_world(self.world)
        filled = kept_tetrahedra.files(folder, self.world)
        inverses = self.world.first.inverses
        self.awaited = ahead.Awaited(features(scene, self.world.settings))
        self._worker.submit("build", scene, self.world.settings, changed, inverses, beside, filled)

    def advance(self, data: FrameData) -> None:
        """Request the next frame, with the prescribed motion of `data` at its end, and a checkpoint where one is due."""
        pins = {
            body.name: body.targets(data.poses[body.name], data.attached.get(body.name))
            for body in self.world.bodies
            if body.has_pins
        }
        tenth = not (data.number - self.world.start + 1) % CHECKPOINT_FRAMES
        seconds = 0.0 if tenth else CHECKPOINT_SECONDS
        inputs, values = data.numbers, {name: dict(numbers) for name, numbers in data.numbers.objects.items()}
        for body in self.world.bodies:
            if body.name in inputs.weights:
                values.setdefault(body.name, {})["pin_weight"] = body.pin_weights(inputs.weights[body.name])
            if body.name in inputs.goals:
                values.setdefault(body.name, {})["goal_weight"] = body.goal_weights(inputs.goals[body.name])
            if body.name in inputs.radii:
                values.setdefault(body.name, {})["radius"] = inputs.radii[body.name]
            for name, weights in inputs.maps.get(body.name, {}).items():
                values.setdefault(body.name, {})[f"{MAP}.{name}"] = body.map_weights(weights)
        numbers: dict[str, Plain] = {"values": values, "speed": inputs.speed, **inputs.air}
        moving = pins, data.colliders, data.wind, data.gravity, data.number, seconds, data.inverses
        self._worker.submit(
            "advance", *moving, data.fields, data.responses, data.shapes, numbers, data.changed, data.references, data.grabs
        )

    def next_frame(self) -> session.Written | None:
        """A frame that is written; once `Worker.answered`.

        Raises: UnstableError; CacheError; StoppedError where it was dropped; WorkerError where the worker is gone.
        """
        written: session.Written | None = self._worker.result()
        return written

    def compiled(self) -> tuple[int, int] | None:
        """Return the number of compiled kernels, and of all that later frames may need; None without news since the last
        call."""
        news = [value for kind, value in self._worker.messages if kind == session.COMPILED]
        if not news:
            return None
        others = [one for one in self._worker.messages if one[0] != session.COMPILED]
        self._worker.messages.clear()
        self._worker.messages.extend(others)
        return int(news[-1][0]), int(news[-1][1])

    def late_warnings(self) -> list[str]:
        """Return the warnings of the simulation since the last call."""
        warnings = [value for kind, value in self._worker.messages if kind == session.WARNING]
        self._worker.messages.clear()
        return warnings
