"""The files of a bake: a cache for each body and one checkpoint, and the modifiers that play the caches."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...solver.cache import checkpoint
from ...solver.cache.pc2 import hash_of_all
from ...solver.cache.pc2_writer import Pc2Writer
from ...solver.errors import CacheError
from ..read import body_input, modifier
from ..read.scene_input import FrameData, World
from . import cache_path, frame_reports, mesh_out, playback, rest_lengths
from .differences import differences

#: Kept with a checkpoint, but not compared with the scene.
PROGRESS_KEYS = ("frames", "written")


@functools.cache
def version() -> str:
    """Of the extension, and so of its solver."""
    manifest = Path(__file__).parents[2] / "blender_manifest.toml"
    return tomllib.loads(manifest.read_text(encoding="utf-8"))["version"]


class BakeFiles:
    """Opened for a new bake or for one that goes on."""

    def __init__(self, world: World, scene: bpy.types.Scene, bodies: list[bpy.types.Object], out: str | None):
        """bodies: those of the world, in its order. out: folder, default the scene's."""
        self.world = world
        self.folder = cache_path.folder(scene, out)
        self.paths = {body.name: cache_path.target(ob, self.folder) for body, ob in zip(world.bodies, bodies, strict=True)}
        self.checkpoint = cache_path.checkpoint(scene, self.folder, [body.uuid for body in world.bodies])
        self.frames = 0
        self.checkpoint_frames = 0  # of the checkpoint, 0 without one
        self.reports: list[frame_reports.Numbers] = []  # of each frame, kept in every manifest
        self._writers: dict[str, Pc2Writer] = {}

    def open_new(self) -> None:
        """Older caches stay until the first frame. Raises: CacheError if the folder cannot be made."""
        for body in self.world.bodies:
            manifest = {
                "object": body.name,
                "uuid": body.uuid,
                "solver": version(),
                "blender": bpy.app.version_string,
                "settings": asdict(self.world.settings),
                "material": None if body.material is None else body_input.material_fields(body.material),
                "topology": body.topology,
                frame_reports.KEY: self.reports,
            }
            self._writers[body.name] = Pc2Writer(self.paths[body.name], len(body.vertices), self.world.start, manifest)

    def open_again(self) -> dict[str, np.ndarray]:
        """Drops the frames after the checkpoint; returns its arrays.

        Raises: CacheError if the scene has changed since, or if a frame is not as it was written; then no file is touched.
        """
        arrays, identity = checkpoint.read(self.checkpoint)
        missing = [key for key in PROGRESS_KEYS if key not in identity]
        if missing:
            raise CacheError(f"Checkpoint {self.checkpoint}: has no '{missing[0]}'. Clear the cache and bake again.")
        self.frames, written = (identity.pop(key) for key in PROGRESS_KEYS)
        changed = differences(identity, self._identity())
        if changed:
            raise CacheError(
                f"Resume: the scene is not as it was baked. Press Bake to begin anew, or change back {'; '.join(changed)}."
            )
        for body in self.world.bodies:
            path = self.paths[body.name]
            kept = self.frames, written[body.name]
            self._writers[body.name] = Pc2Writer.resume(path, len(body.vertices), body.topology, *kept)
        for writer in self._writers.values():  # all of them can be gone on from
            writer.cut()
        self.checkpoint_frames = self.frames
        told = next(iter(self._writers.values())).manifest.get(frame_reports.KEY, [])[: self.frames]
        self.reports = [*told, *[{}] * (self.frames - len(told))]
        for writer in self._writers.values():
            writer.manifest[frame_reports.KEY] = self.reports
        return arrays

    def write(self, surfaces: dict[str, np.ndarray], data: FrameData, report: Any) -> None:
        """Adds a frame. surfaces: body -> (n, 3) [m], world space; data, report: of the same frame. Raises: CacheError."""
        self.reports.append(frame_reports.numbers(report))
        for name, writer in self._writers.items():
            writer.append(mesh_out.local_positions(surfaces[name], data.inverses[name]))
        if self.frames == 0:
            self.checkpoint.unlink(missing_ok=True)  # that of the caches which were just replaced
        self.frames += 1

    def write_checkpoint(self, arrays: dict[str, np.ndarray], frames: int) -> None:
        """The state after so many frames, all of them written. Raises: CacheError."""
        written = {name: hash_of_all(writer.hashes[:frames]) for name, writer in self._writers.items()}
        checkpoint.write(self.checkpoint, arrays, {**self._identity(), "frames": frames, "written": written})
        self.checkpoint_frames = frames

    def close(self) -> None:
        """Raises: CacheError if a manifest cannot be written."""
        for writer in self._writers.values():
            writer.close()

    def abandon(self) -> None:
        """Closes the files as they are, after an error."""
        for writer in self._writers.values():
            writer.abandon()

    def play(self) -> None:
        """Makes the modifiers play what there is. Finds the objects by identity: references may be gone."""
        by_identity = {ob.gpbd.uuid: ob for ob in bpy.data.objects if ob.gpbd.body_type != "NONE" and ob.is_editable}
        for body in self.world.bodies:
            ob = by_identity.get(body.uuid)
            if ob is not None and self.frames:
                path = self.paths[body.name]
                playback.play(ob, cache_path.stored(path), self.world.start)
                ob.gpbd.cache_file = cache_path.stored(path)
                last = self.world.start + self.frames - 1
                if ob.gpbd.heat_map and ob.data.users == 1 and len(ob.data.vertices) == len(body.vertices):
                    rest_lengths.write(ob, body.vertices)
                ob.gpbd.cache_info = f"Frames {self.world.start} to {last}, {len(body.vertices)} vertices"

    def _identity(self) -> dict[str, Any]:
        return {"solver": version(), **self.world.identity()}


def clear(bodies: list[bpy.types.Object]) -> list[Path]:
    """Deletes the caches, manifests and checkpoints of bodies; returns what was deleted. Raises: CacheError."""
    gone = []
    identities = {ob.gpbd.uuid for ob in bodies}
    for ob in bodies:
        modifier.check_editable(ob)
        path = cache_path.of(ob)
        ob.gpbd.cache_file = ob.gpbd.cache_info = ""
        found = modifier.find(ob)
        if found is not None:
            playback.forget(found)
        if path is not None and path.stem.endswith(f"-{ob.gpbd.uuid[:8]}"):  # never that of another body
            gone += _delete([path, path.with_suffix(".json")])
            gone += _delete(p for p in path.parent.glob("*.state.npz") if identities & _bodies_of(p))
    return gone


def _delete(paths: Iterable[Path]) -> list[Path]:
    gone = []
    for path in paths:
        try:
            path.unlink()
            gone.append(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise CacheError(f"Cache {path}: cannot be deleted ({error.strerror}). Make its folder writable.") from error
    return gone


def _bodies_of(path: Path) -> set[str]:
    try:
        _, identity = checkpoint.read(path)
    except CacheError:
        return set()  # not ours, or damaged: it stays
    return {body["uuid"] for body in identity.get("bodies", {}).values()}
