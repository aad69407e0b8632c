"""Frames of a bake are made again from the checkpoint before them, and take the place of damaged ones."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...solver.cache.checkpoints import Checkpoints
from ...solver.cache.patch import PatchPlan
from ...solver.device.worker import Worker
from ...solver.errors import CacheError, GpbdError
from ..read import scene_input
from . import kept_tetrahedra, renaming
from .differences import differences
from .engine import Engine
from .files import PROGRESS_KEYS, Call
from .frame_reader import FrameReader
from .scene_handle import SceneHandle

Steps = Generator[bool, None, Any]


@dataclass(frozen=True)
class Stretch:
    """Frames to solve, by index: to `last`, from after `keep` frames, of which there is a checkpoint, or none."""

    keep: int
    last: int

    @property
    def solved(self) -> int:
        """Return the number of frames solved for it; the state at the start of the bake is none."""
        return self.last + 1 - max(self.keep, 1)


def stretches(damaged: Sequence[int], checkpoints: Sequence[int]) -> list[Stretch]:
    """Return the frames to solve to restore those of these indices. checkpoints: number of frames before each."""
    damaged_stretches: list[Stretch] = []
    for index in sorted(damaged):
        keep = max((frames for frames in checkpoints if frames <= index), default=0)
        if damaged_stretches and keep <= damaged_stretches[-1].last:
            damaged_stretches[-1] = Stretch(damaged_stretches[-1].keep, index)
        else:
            damaged_stretches.append(Stretch(keep, index))
    return damaged_stretches


@dataclass
class Remaking:
    """Restoration of the caches of one bake. caches: of each body, by its name in the scene. damaged: indices of frames, of
    each."""

    scene: SceneHandle
    worker: Worker
    call: Call
    say: Callable[[str], Any]
    checkpoints: Checkpoints
    caches: Mapping[str, Path]
    damaged: Mapping[str, Sequence[int]]

    def steps(self, one: Stretch) -> Steps:
        """Solve a stretch. Raises: GpbdError, among them CacheError where the scene is not as it was baked; frames that are
        as they were written are never touched."""
        scene = self.scene.now()
        bodies = scene_input.bodies_of(scene, self.caches)
        layer = scene_input.view_layer_of(scene)
        reader = FrameReader(self.scene, [ob.gpbd.uuid for ob in bodies])
        start = scene_input.frame_range(scene)[0]
        with reader.below():
            world = scene_input.gather(scene, layer, bodies, (start, start + one.last), {ob.gpbd.uuid for ob in bodies})
        if one.keep:
            arrays, identity = yield from self.call(
                "take_up", str(self.checkpoints.path(one.keep)), kept_tetrahedra.TETRAHEDRA
            )
            identity = renaming.as_now(identity, world.identity())
            renaming.order(world, identity)
            then = {key: value for key, value in identity.items() if key not in (*PROGRESS_KEYS, "solver")}
            changed = differences(then, world.identity())
            if changed:
                raise _changed(self.caches, changed)
            kept_tetrahedra.assign(world, arrays)
            world.resumed = reader.at(world, start + one.keep - 1).changed
        else:
            yield from kept_tetrahedra.taking(self.call, self.checkpoints.folder, world)
        paths = {name: str(path) for name, path in self.caches.items()}
        damaged = {name: list(frames) for name, frames in self.damaged.items()}
        yield from self.call("open_patch", PatchPlan(paths, damaged, one.keep))
        try:
            yield from self._solve(Engine(world, self.worker), reader, one)
        except GpbdError:
            yield from self.call("close_patch")
            raise
        yield from self.call("close_patch")

    def _solve(self, engine: Engine, reader: FrameReader, one: Stretch) -> Iterator[bool]:
        world = engine.world
        reader.begin(world.start + max(one.keep, 1))
        yield from engine.build(self.checkpoints.folder, False, self.say)
        yield from self._waiting(engine)
        while not reader.is_done(world):
            data = reader.take(world)
            if isinstance(data, GpbdError):
                raise data
            if data is None:
                yield False  # a render looks at the scene
                continue
            self.say(f"Frame {data.number} again")
            engine.advance(data)
            yield from self._waiting(engine)

    def _waiting(self, engine: Engine) -> Iterator[bool]:
        while not self.worker.is_ready():
            yield False
        engine.next_frame()


def _changed(caches: Mapping[str, Path], changed: Sequence[str]) -> CacheError:
    return CacheError(
        f"Cache {next(iter(caches.values()))}: damaged frames cannot be made again, as the scene is not as it was baked. "
        f"Change back {'; '.join(changed)} and repair again, choose another version, or bake again."
    )
