"""The files of a bake: a cache for each body, checkpoints and locks, and the modifiers that play the caches.

Each bake writes a version beside those that are there; the bodies play it as soon as its first frame stands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...solver.cache import checkpoint, pc2
from ...solver.cache.atomic_write import write_error
from ...solver.cache.checkpoints import Checkpoints
from ...solver.cache.lock import Lock
from ...solver.cache.pc2_writer import Pc2Writer
from ...solver.errors import CacheError
from ..read import body_input
from ..read.scene_input import FrameData, World
from . import cache_path, extension_version, frame_reports, kept_tetrahedra, made_from, mesh_out, rest_lengths, versions
from .differences import WAS, differences, unchangeable

#: Kept with a checkpoint, but not compared with the scene.
PROGRESS_KEYS = ("frames", "written", "manifests")
#: Of a manifest, what grows with each frame.
GROWING = ("hashes", "frames", frame_reports.KEY)


class BakeFiles:
    """Opened for a new bake or for one that goes on."""

    def __init__(
        self, world: World, scene: bpy.types.Scene, bodies: list[bpy.types.Object], out: str | None, take_over: bool = False
    ):
        """bodies: those of the world, in its order. out: folder, default the scene's. take_over: from another machine."""
        self.world = world
        self.folder = cache_path.folder(scene, out)
        self.paths: dict[str, Path] = {}  # of each body, once opened
        self.version = 0
        self.frames = 0
        self.checkpoint_frames = 0  # of the newest checkpoint, 0 without one
        self.reports: list[frame_reports.Numbers] = []  # of each frame, kept in every manifest
        self._scene_name, self._take_over = scene.name, take_over
        self._identities = [body.uuid for body in world.bodies]
        self._names = dict(zip(self._identities, (body.name for body in world.bodies), strict=True))
        self._target: Callable[[int], dict[str, Path]] = lambda number: {
            body.name: cache_path.target(ob, self.folder, number) for body, ob in zip(world.bodies, bodies, strict=True)
        }
        self._space = scene.gpbd.checkpoint_space << 20
        self._playing = {cache_path.of(ob) for ob in bodies}
        self._head = {
            "begun": time.strftime("%Y-%m-%dT%H:%M:%S"),
            "end": world.end,
            "quality": versions.quality_of(scene),
            "solver": extension_version.version(),
            "blender": bpy.app.version_string,
            "settings": asdict(world.settings),
            "made_from": made_from.read(scene, bodies),
        }
        self._locks: list[Lock] = []
        self._writers: dict[str, Pc2Writer] = {}
        self._kept = 0  # frames that it began with
        self._source: Checkpoints | None = None  # of the version whose frames a new one begins with
        self._filled = False  # whether tetrahedra are kept
        self.changed: list[str] = []  # of the settings, since the checkpoint that it goes on from
        self.began = False  # whether this bake has written a frame

    @property
    def beginning(self) -> str:
        """Of a version that begins with the frames of another, which ones, as a sentence; else nothing."""
        if self._source is None:
            return ""
        last, source = self.world.start + self._kept - 1, self._source.name.rpartition(".")[2]
        return f" v{self.version} has the frames to {last} of {source}, to its nearest checkpoint."

    @property
    def checkpoints(self) -> Checkpoints:
        """Of the version that is being baked."""
        return self._checkpoints(self.version)

    def open_new(self) -> None:
        """Older versions stay. Raises: CacheError if the folder cannot be made; LockedError."""
        self._lock()
        self._number_new()
        kept_tetrahedra.take(self.folder, self.world)
        for body in self.world.bodies:
            start = self.world.start
            self._writers[body.name] = Pc2Writer(
                self.paths[body.name], len(body.vertices), start, self._manifest(body, self.version, [])
            )

    def open_again(self, from_frame: int | None = None) -> dict[str, np.ndarray]:
        """Goes on from the newest checkpoint that can be read; returns its arrays. The first new frame drops what follows.

        from_frame: instead from the nearest one at or before this frame of the scene, into a new version, with settings
        that may have changed. Raises: LockedError; CacheError if the scene has changed otherwise, or if a frame is not as it
        was written; then no file is touched.
        """
        left = self._lock()
        if left is not None and not self._checkpoints(left).frames():
            left = None  # it was cut off before its first checkpoint
        there = cache_path.present(self.folder, self._identities)
        source = versions.to_resume(there, self._playing, left)
        if source is None:
            raise CacheError(_nothing([], self.world.start))
        at_most = None if from_frame is None else from_frame - self.world.start + 1
        arrays, identity = self._read_checkpoint(source, at_most)
        self.frames, written, manifests = (identity.pop(key) for key in PROGRESS_KEYS)
        now = self._identity()
        self.changed = differences(identity, now)
        refused = self.changed if from_frame is None else unchangeable(identity, now)
        if refused:
            remedy = "Press Bake to begin anew" if from_frame is not None else "Use Bake from Here, press Bake"
            raise CacheError(f"Resume: the scene is not as it was baked. {remedy}, or change back {'; '.join(refused)}.")
        kept = {name: (there[identity][source]) for identity, name in self._names.items()}
        if from_frame is None:
            self._number(source)
            self.paths = kept
        else:
            self._source = self._checkpoints(source)
            self._number_new()
        for body in self.world.bodies:
            count, digits = len(body.vertices), written[body.name]
            if from_frame is None:
                writer = Pc2Writer.resume(kept[body.name], count, body.topology, self.frames, digits)
                writer.manifest["end"] = self.world.end
            else:
                change = {
                    "frame": self.world.start + self.frames,
                    "from_version": source,
                    "changed": differences(identity, now, WAS),
                }
                manifest = self._manifest(body, self.version, [*manifests[body.name].get("changes", []), change])
                writer = Pc2Writer.branch(self.paths[body.name], kept[body.name], count, self.frames, manifest, digits)
            self._writers[body.name] = writer
        self.checkpoint_frames = self._kept = self.frames
        told = _reports(kept[self.world.bodies[0].name])[: self.frames]
        self.reports = [*told, *[{}] * (self.frames - len(told))]
        for writer in self._writers.values():
            writer.manifest[frame_reports.KEY] = self.reports
        return arrays

    def write(self, surfaces: dict[str, np.ndarray], data: FrameData, report: Any) -> None:
        """Adds a frame. surfaces: body -> (n, 3) [m], world space; data, report: of the same frame. Raises: CacheError."""
        if not self.began:
            if self._source is not None:
                self.checkpoints.inherit(self._source, self.frames)
            self.checkpoints.remove(after=self.frames)  # of frames that are made again now
        self.reports.append(frame_reports.numbers(report))
        for name, writer in self._writers.items():
            writer.append(mesh_out.local_positions(surfaces[name], data.inverses[name]))
        self.began = True
        self.frames += 1
        for lock in self._locks:
            lock.touch()

    def write_checkpoint(self, arrays: dict[str, np.ndarray], frames: int) -> None:
        """The state after so many frames, all of them written. Raises: CacheError."""
        if not self.began:
            return  # it is the one that was gone on from
        for writer in self._writers.values():
            writer.sync()
        if not self._filled:
            kept_tetrahedra.keep(self.folder, self.world, arrays)
            self._filled = True
        progress = {
            "frames": frames,
            "written": {name: pc2.hash_of_all(writer.hashes[:frames]) for name, writer in self._writers.items()},
            "manifests": {
                name: {key: value for key, value in writer.manifest.items() if key not in GROWING}
                for name, writer in self._writers.items()
            },
        }
        self.checkpoints.write(frames, arrays, {**self._identity(), **progress}, self._space)
        self.checkpoint_frames = frames

    def close(self) -> None:
        """Raises: CacheError if a manifest cannot be written."""
        try:
            for writer in self._writers.values():
                writer.close()
        finally:
            self._let_go(as_found=not self.frames)

    def abandon(self) -> None:
        """Closes the files as they are, after an error."""
        self._let_go(as_found=not self.began)

    def _let_go(self, as_found: bool) -> None:
        for writer in self._writers.values():
            writer.abandon()
        while self._locks:
            self._locks.pop().release(as_found)

    def play(self) -> None:
        """Makes the modifiers play what there is. Finds the objects by identity: references may be gone."""
        by_identity = {ob.gpbd.uuid: ob for ob in bpy.data.objects if ob.gpbd.body_type != "NONE" and ob.is_editable}
        for body in self.world.bodies:
            ob = by_identity.get(body.uuid)
            if ob is not None and self.frames and self.paths[body.name].exists():
                versions.play(ob, self.paths[body.name], self.world.start, self.frames, len(body.vertices))
                if ob.gpbd.heat_map and ob.data.users == 1 and len(ob.data.vertices) == len(body.vertices):
                    rest_lengths.write(ob, body.vertices if body.rest is None else body.rest)

    def _lock(self) -> int | None:
        """Takes the locks of all bodies; returns the version of a bake that was killed and left one. Raises: LockedError."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(self.folder, error) from error
        left = []
        for identity in self._identities:
            lock = Lock(cache_path.lock(self.folder, identity))
            left.append(lock.take(self._take_over))
            self._locks.append(lock)
        return max((found.version for found in left if found is not None), default=None)

    def _number_new(self) -> None:
        there = cache_path.present(self.folder, self._identities)
        self._number(1 + max((number for own in there.values() for number in own), default=0))
        self.paths = self._target(self.version)

    def _number(self, number: int) -> None:
        self.version = number
        for lock in self._locks:
            lock.name_version(number)

    def _checkpoints(self, number: int) -> Checkpoints:
        return Checkpoints(self.folder, cache_path.bake_name(self._scene_name, self._identities, number))

    def _manifest(self, body: body_input.BodyInput, number: int, changes: list[Mapping[str, Any]]) -> dict[str, Any]:
        return {
            "object": body.name,
            "uuid": body.uuid,
            "version": number,
            "checkpoints": self._checkpoints(number).name,
            **self._head,
            "material": None if body.material is None else body_input.material_fields(body.material),
            "topology": body.topology,
            "changes": changes,
            frame_reports.KEY: self.reports,
        }

    def _read_checkpoint(self, number: int, at_most: int | None) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The newest that can be read, of so many frames at most. Raises: CacheError."""
        found = self._checkpoints(number).frames()
        usable = [frames for frames in found if at_most is None or frames <= at_most]
        if not usable:
            raise CacheError(_nothing(found, self.world.start))
        damaged: CacheError | None = None
        for frames in reversed(usable):
            path = self._checkpoints(number).path(frames)
            try:
                arrays, identity = checkpoint.read(path)
            except CacheError as error:
                damaged = damaged or error
                self.world.warnings.append(f"{path.name}: is damaged. An older checkpoint is used.")
                continue
            if not self._is_progress(identity, frames):
                raise CacheError(f"Checkpoint {path}: is not of a bake of these bodies. Bake again.")
            return arrays, identity
        assert damaged is not None
        raise damaged

    def _is_progress(self, identity: Mapping[str, Any], frames: int) -> bool:
        """Whether what is kept beside the identity is what `write_checkpoint` keeps."""
        written, manifests = identity.get("written"), identity.get("manifests")
        if identity.get("frames") != frames or not isinstance(written, dict) or not isinstance(manifests, dict):
            return False
        heads = [manifests.get(name) for name in self._names.values()]
        digits = [written.get(name) for name in self._names.values()]
        whole = all(isinstance(head, dict) and pc2.wrong_key({**head, "hashes": []}) is None for head in heads)
        return whole and all(isinstance(one, str) for one in digits)

    def _identity(self) -> dict[str, Any]:
        return {"solver": extension_version.version(), **self.world.identity()}


def _nothing(found: list[int], start: int) -> str:
    if found:
        first = start + found[0] - 1
        return f"Checkpoint: the first one is after frame {first}. Go to that frame or a later one, or press Bake."
    return "Checkpoint: there is none of these bodies, so there is nothing to resume. Bake from the start."


def _reports(path: Path) -> list[frame_reports.Numbers]:
    known = frame_reports.read(path)
    return [] if known is None else known.frames
