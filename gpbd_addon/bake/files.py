"""The files of a bake as Blender knows them: which version, what a checkpoint belongs to, and the modifiers that play the
caches. The worker locks and writes them (`solver/cache/bake_writer.py`).

Each bake writes a version beside those that are there; the bodies play it as soon as its first frame stands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import bpy

from ...solver import session
from ...solver.cache import lock, pc2
from ...solver.cache.atomic_write import remove_parts, write_error
from ...solver.cache.bake_writer import BakePlan, CachePlan
from ...solver.cache.checkpoints import Checkpoints
from ...solver.cache.manifest import Change, Manifest
from ...solver.cache.pc2_writer import complete
from ...solver.errors import CacheError
from ...solver.report.numbers import numbers
from ..read import body_input, body_material
from ..read.scene_input import World
from . import cache_path, extension_version, frame_reports, kept_tetrahedra, made_from, renaming, rest_lengths, versions
from .differences import WAS, differences, unchangeable
from .scene_handle import SceneHandle

#: Kept with a checkpoint, but not compared with the scene.
PROGRESS_KEYS = ("frames", "written", "manifests")

#: Calls a method of the worker with arguments; yields False until there is a result, and returns it.
Call = Callable[..., Generator[bool, None, Any]]
Steps = Generator[bool, None, None]


class BakeFiles:
    """Opened for a new bake or for one that continues. frames, reports, checkpoint_frames: from the worker."""

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
        self._scene, self._take_over = SceneHandle(scene), take_over
        by_name = {body.name: ob for body, ob in zip(world.bodies, bodies, strict=True)}
        self._identities = [body.uuid for body in world.bodies]
        self._in_scene = {*self._identities, *(ob.gpbd.uuid for ob in scene.objects if ob.gpbd.uuid)}
        self._names = dict(zip(self._identities, (body.name for body in world.bodies), strict=True))
        self._target: Callable[[int], dict[str, Path]] = lambda number: {
            name: cache_path.target(ob, self.folder, number) for name, ob in by_name.items()
        }
        self._space = scene.gpbd.checkpoint_space << 20
        self._playing = {cache_path.of(ob) for ob in bodies}
        self._left_locked = {path for path in self._lock_paths if path.exists()}  # by a process that was killed
        self._head: Manifest = {
            "begun": time.strftime("%Y-%m-%dT%H:%M:%S"),
            "end": world.end,
            "quality": versions.quality_of(scene),
            "solver": extension_version.version(),
            "blender": bpy.app.version_string,
            "settings": asdict(world.settings),
            "made_from": made_from.read(scene, bodies),
        }
        self._kept = 0  # frames that it began with
        self._source: Checkpoints | None = None  # of the version whose frames a new one begins with
        self.changed: list[str] = []  # of the settings, since the checkpoint that it continues from
        self.is_open = False  # whether the worker writes

    @property
    def beginning(self) -> str:
        """Return a sentence on the frames that the version shares with another at its start; "" without."""
        if self._source is None:
            return ""
        last, source = self.world.start + self._kept - 1, self._source.name.rpartition(".")[2]
        return f" v{self.version} has the frames to {last} of {source}, to its nearest checkpoint."

    @property
    def checkpoints(self) -> Checkpoints:
        """Return the checkpoints of the version that is being baked."""
        return self._checkpoints(self.version)

    @property
    def _lock_paths(self) -> list[Path]:
        return [cache_path.lock(self.folder, identity) for identity in self._identities]

    def opening_new(self, call: Call) -> Steps:
        """Older versions stay. Raises: CacheError if the folder cannot be made; LockedError."""
        yield from self._locking(call)
        yield from self._numbering_new(call)
        yield from kept_tetrahedra.taking(call, self.folder, self.world)
        yield from self._opening(call, [self._plan(body, self._manifest(body, [])) for body in self.world.bodies])

    def opening_again(self, call: Call, from_frame: int | None = None) -> Steps:
        """Continue from the newest readable checkpoint, which the worker takes up. The first new frame drops what
        follows.

        from_frame: instead from the nearest one at or before this frame of the scene, into a new version, with settings
        that may have changed. Raises: LockedError; CacheError if the scene has changed otherwise, or if a frame is not as it
        was written; then no file is touched.
        """
        left = yield from self._locking(call)
        if left is not None and not self._checkpoints(left).frames():
            left = None  # it was cut off before its first checkpoint
        there = cache_path.present(self.folder, self._identities)
        source = versions.to_resume(there, self._playing, left)
        if source is None:
            raise CacheError(_nothing([], self.world.start, self.folder))
        at_most = None if from_frame is None else from_frame - self.world.start + 1
        arrays, identity = yield from self._taking_up(call, source, at_most)
        renaming.order(self.world, identity)
        keep, written, manifests = (identity.pop(key) for key in PROGRESS_KEYS)
        now = self._identity()
        self.changed = differences(identity, now)
        refused = self._refused(identity, now) if from_frame is None else unchangeable(identity, now)
        if refused:
            remedy = "Press Bake to begin anew" if from_frame is not None else "Use Bake from Here, press Bake"
            raise CacheError(f"Resume: the scene is not as it was baked. {remedy}, or change back {'; '.join(refused)}.")
        kept_tetrahedra.assign(self.world, arrays)
        kept = {name: (there[identity][source]) for identity, name in self._names.items()}
        if from_frame is None:
            yield from self._numbering(call, source)
            self.paths = kept
        else:
            self._source = self._checkpoints(source)
            yield from self._numbering_new(call)
        change: Change = {
            "frame": self.world.start + keep, "from_version": source, "changed": differences(identity, now, WAS),
        }  # fmt: skip
        plans = []
        for body in self.world.bodies:
            if from_frame is None:
                manifest: Manifest = {"end": self.world.end, "topology": body.topology, "object": body.name}
            else:
                manifest = self._manifest(body, [*_before(manifests[body.name].get("changes", []), change), change])
            plans.append(self._plan(body, manifest, kept[body.name], written[body.name]))
        self._kept = keep
        yield from self._opening(call, plans)

    def _refused(self, identity: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
        """Return the `differences` of two identities that keep a version from being continued."""
        return differences(identity, now)

    def _locking(self, call: Call) -> Generator[bool, None, int | None]:
        """Return the version of a bake that was killed and left a lock. Raises: LockedError."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(self.folder, error) from error
        return (yield from call("lock", [str(path) for path in self._lock_paths], self._take_over))

    def _numbering_new(self, call: Call) -> Steps:
        there = cache_path.present(self.folder, self._in_scene)
        yield from self._numbering(
            call, 1 + max((number for by_version in there.values() for number in by_version), default=0)
        )
        self.paths = self._target(self.version)

    def _numbering(self, call: Call, number: int) -> Steps:
        self.version = number
        yield from call("name_version", number)

    def _opening(self, call: Call, plans: list[CachePlan]) -> Steps:
        self.reports = list((yield from call("open_caches", self._bake_plan(plans))))
        self.frames = self.checkpoint_frames = self._kept
        self.is_open = True

    def _bake_plan(self, plans: list[CachePlan]) -> BakePlan:
        source = "" if self._source is None else self._source.name
        return BakePlan(
            str(self.folder),
            self.checkpoints.name,
            self.world.start,
            plans,
            self._identity(),
            self._space,
            self._kept,
            source,
        )

    def _plan(self, body: body_input.BodyInput, manifest: Manifest, source: Path | str = "", written: str = "") -> CachePlan:
        return CachePlan(
            body.name, str(self.paths[body.name]), len(body.vertices), manifest, str(source), written, body.measured
        )

    def take(self, frame: session.Written) -> None:
        """The worker has written the next frame."""
        self.reports.append(numbers(frame.report))
        self.frames += 1
        self.checkpoint_frames = frame.checkpoint

    def keeping(self, call: Call) -> Steps:
        """Write a checkpoint of the last frame. Raises: CacheError."""
        self.checkpoint_frames = yield from call("keep")

    def closing(self, call: Call) -> Steps:
        """Raises: CacheError if a manifest cannot be written."""
        self.frames = max((yield from call("close_caches")), self.frames)
        self.is_open = False

    def recover(self) -> None:
        """Finish the files of a worker that was ended, and remove its locks. Raises: CacheError."""
        try:
            if self.is_open:
                self.is_open = False
                self._finish()
                self._left_locked.clear()  # this bake wrote since
        finally:
            for path in self._lock_paths:
                if path not in self._left_locked:
                    lock.clear(path)

    def _finish(self) -> None:
        """Describe all frames that were written, and remove files that were not finished. Raises: CacheError."""
        for name in (*(path.stem for path in self.paths.values()), self.checkpoints.name):
            remove_parts(self.folder, name)
        absent = [path for path in self.paths.values() if not path.exists()]
        for path in absent:
            pc2.manifest_path(path).unlink(missing_ok=True)
        if not absent:
            self.frames = min(complete(path, self.reports) for path in self.paths.values())

    def play(self, attributes: bool = True) -> None:
        """Make the modifiers play the existing frames, and their attributes. Finds the objects by identity: references may
        be gone."""
        by_identity = {ob.gpbd.uuid: ob for ob in bpy.data.objects if ob.gpbd.body_type != "NONE" and ob.is_editable}
        for body in self.world.bodies:
            ob = by_identity.get(body.uuid)
            if ob is not None and self.frames and self.paths[body.name].exists():
                path, start, n = self.paths[body.name], self.world.start, len(body.vertices)
                wanted = self.world.end - start + 1 if self.is_open else 0
                versions.play(ob, path, start, self.frames, n, self.world.stretching, wanted, attributes)
                if ob.gpbd.heat_map and ob.data.users == 1 and len(ob.data.vertices) == len(body.vertices):
                    rest_lengths.write(ob, body.vertices if body.rest is None else body.rest)

    def _checkpoints(self, number: int) -> Checkpoints:
        """Return the checkpoints of a version, with the name in its caches; in the first bake with that of the scene."""
        there = cache_path.present(self.folder, self._identities).values()
        known = next((by_version[number] for by_version in there if number in by_version), None)
        name = cache_path.bake_name(self._scene.name, self._identities, number)
        return Checkpoints(self.folder, name if known is None else cache_path.checkpoints_of(known) or name)

    def _manifest(self, body: body_input.BodyInput, changes: list[Change]) -> Manifest:
        return {
            "object": body.name,
            "uuid": body.uuid,
            "version": self.version,
            "checkpoints": self.checkpoints.name,
            **self._head,
            "material": None if body.material is None else body_material.fields(body.material),
            "topology": body.topology,
            "samples": self.world.settings.samples,
            "changes": changes,
        }

    def _taking_up(
        self, call: Call, number: int, at_most: int | None
    ) -> Generator[bool, None, tuple[dict[str, Any], dict[str, Any]]]:
        """Return the newest readable checkpoint of at most so many frames: arrays other than the solver's, and its identity.
        Raises: CacheError."""
        checkpoints = self._checkpoints(number).frames()
        usable = [frames for frames in checkpoints if at_most is None or frames <= at_most]
        if not usable:
            raise CacheError(_nothing(checkpoints, self.world.start, self.folder))
        damaged: CacheError | None = None
        for frames in reversed(usable):
            path = self._checkpoints(number).path(frames)
            try:
                arrays, identity = yield from call("take_up", str(path), kept_tetrahedra.TETRAHEDRA)
            except CacheError as error:
                damaged = damaged or error
                self.world.warnings.append(f"{path.name}: is damaged. An older checkpoint is used.")
                continue
            identity = renaming.as_now(identity, self._identity())
            if not self._is_progress(identity, frames):
                raise CacheError(f"Checkpoint {path}: is not of a bake of these bodies. Bake again.")
            return arrays, identity
        assert damaged is not None
        raise damaged

    def _is_progress(self, identity: Mapping[str, Any], frames: int) -> bool:
        """Return whether the entries beside the identity are those that `write_checkpoint` writes."""
        written, manifests = identity.get("written"), identity.get("manifests")
        if identity.get("frames") != frames or not isinstance(written, dict) or not isinstance(manifests, dict):
            return False
        heads = [manifests.get(name) for name in self._names.values()]
        digits = [written.get(name) for name in self._names.values()]
        whole = all(isinstance(head, dict) and pc2.wrong_key({**head, "hashes": []}) is None for head in heads)
        return whole and all(isinstance(one, str) for one in digits)

    def _identity(self) -> dict[str, Any]:
        return {"solver": extension_version.version(), **self.world.identity()}


def _before(changes: list[Change], change: Change) -> list[Change]:
    """Return the changes of the frames that a bake takes over; one without a difference has none of these frames left."""
    return [one for one in changes if one.get("changed") or one.get("frame", 0) < change["frame"]]


def _nothing(checkpoints: list[int], start: int, folder: Path) -> str:
    if checkpoints:
        first = start + checkpoints[0] - 1
        return f"Checkpoint: the first one is after frame {first}. Go to that frame or a later one, or press Bake."
    return (
        f"Checkpoint: there is none of these bodies in {folder}, so there is nothing to resume. Bake from the start, or "
        "choose the folder of their cache."
    )
