"""Looks through the caches of bodies frame by frame, and mends them so that a bake can be resumed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from ...solver.cache import checkpoint, pc2
from ...solver.cache import repair as mending
from ...solver.cache.checkpoints import Checkpoints
from ...solver.cache.lock import Lock
from ...solver.errors import CacheError
from ..read import scene_input
from . import cache_path


@dataclass
class Checked:
    """Of one body. cache: what was looked at, None where there is none. frames: that are there and whole, from the first on.
    damaged: frames of the scene that are not as they were written. problems, done: sentences."""

    object: str
    cache: Path | None
    version: int = 0
    frames: int = 0
    damaged: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)


def verify(scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> list[Checked]:
    """Compares each frame of the caches that bodies play with how it was written, and reads the checkpoints.

    names: of bodies, default all. out: folder in which the newest version is looked at instead. Raises: SceneError.
    """
    found = [_verified(one) for one in chosen(scene, names, out)]
    for path, told in checkpoints_of(found):
        try:
            checkpoint.read(path)
        except CacheError as error:
            told.problems.append(str(error))
    return found


def repair(scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> list[Checked]:
    """Mends what `verify` finds: what is lost beside the frames is made again, and a cache ends before its first damaged
    frame, with all others of the same bake, so that *Resume* goes on from there. Raises: LockedError; SceneError."""
    found = chosen(scene, names, out)
    locks = []
    try:
        for one in found:
            if one.cache is not None:
                lock = Lock(cache_path.lock(one.cache.parent, _identity(scene, one.object)))
                lock.take()
                locks.append(lock)
        for one in found:
            _mend(one)
        for folder, name, _ in _bakes(found):
            _agree(folder, name, [one for one in found if one.cache is not None and _bake_of(one.cache) == name])
    finally:
        for lock in locks:
            lock.release(as_found=True)
    for one in found:
        after = _verified(one)
        one.frames, one.damaged, one.problems = after.frames, after.damaged, after.problems
    return found


def chosen(scene: bpy.types.Scene, names: Iterable[str] | None = None, out: str | None = None) -> list[Checked]:
    """What there is to look at, see `verify`. Raises: SceneError."""
    found = []
    for ob in scene_input.bodies_of(scene, names):
        path = cache_path.of(ob) if out is None else None
        if path is None:
            into = cache_path.folder(scene, out)
            own = cache_path.present(into, [ob.gpbd.uuid])[ob.gpbd.uuid] if ob.gpbd.uuid else {}
            path = own[max(own)] if own else None
        found.append(Checked(ob.name, path, cache_path.version_of(path) if path is not None else 0))
    return found


def _verified(one: Checked) -> Checked:
    told = Checked(one.object, one.cache, one.version, done=one.done)
    if one.cache is None:
        told.problems.append(missing(one))
        return told
    try:
        tell(told, pc2.look_through(one.cache))
    except CacheError as error:
        told.problems.append(str(error))
    return told


def tell(one: Checked, found: pc2.Verified) -> None:
    """What was found in its cache."""
    one.problems += found.problems
    one.damaged, one.frames = found.damaged, found.frames


def missing(one: Checked) -> str:
    """What is wrong with a body that has no cache."""
    return f"{one.object}: has no cache. Bake it."


def checkpoints_of(found: Iterable[Checked]) -> list[tuple[Path, Checked]]:
    """The checkpoints of the bakes that wrote these caches, each with the first body of its bake."""
    bakes = [(Checkpoints(folder, name), told) for folder, name, told in _bakes(found)]
    return [(own.path(frames), told) for own, told in bakes for frames in own.frames()]


def _mend(one: Checked) -> None:
    if one.cache is None:
        return
    try:
        one.done += mending.mend(one.cache, _head(one))
    except CacheError as error:
        one.problems.append(str(error))


def _head(one: Checked) -> dict[str, Any] | None:
    """The manifest of a cache as a checkpoint beside it keeps it; None where none does. Those that cannot be read go."""
    assert one.cache is not None
    if _is_readable(one.cache):
        return None
    for path in sorted(one.cache.parent.glob("*.state.npz"), key=lambda path: path.stat().st_mtime, reverse=True):
        try:
            _, identity = checkpoint.read(path)
        except CacheError:
            continue
        heads = identity.get("manifests")
        for head in heads.values() if isinstance(heads, dict) else ():
            whole = isinstance(head, dict) and pc2.wrong_key({**head, "hashes": []}) is None
            if whole and cache_path.is_of(one.cache, head.get("uuid", "")) and head.get("version") == one.version:
                return head
    return None


def _is_readable(path: Path) -> bool:
    try:
        pc2.read_manifest(path)
    except CacheError:
        return False
    return True


def _bake_of(path: Path) -> str | None:
    try:
        return pc2.read_manifest(path).get("checkpoints")
    except CacheError:
        return None


def _bakes(found: Iterable[Checked]) -> list[tuple[Path, str, Checked]]:
    """Folder and name of each bake that wrote these caches, and its first body."""
    known: dict[tuple[Path, str], Checked] = {}
    for one in found:
        name = None if one.cache is None else _bake_of(one.cache)
        if one.cache is not None and name is not None:
            known.setdefault((one.cache.parent, name), one)
    return [(folder, name, one) for (folder, name), one in known.items()]


def _agree(folder: Path, name: str, caches: list[Checked]) -> None:
    """Bodies of one bake have as many frames, and no checkpoint is of more or damaged."""
    paths = [one.cache for one in caches if one.cache is not None]
    frames = min(pc2.read_header(path).n_frames for path in paths)
    for one in caches:
        if one.cache is not None and mending.cut(one.cache, frames):
            one.done.append(f"{one.cache.name}: ends after {frames} frames now, as the other bodies of its bake.")
    own = Checkpoints(folder, name)
    gone = own.remove(after=frames)
    for at in own.frames():
        try:
            checkpoint.read(own.path(at))
        except CacheError:
            gone += [own.remove_one(at)]
    caches[0].done += [f"{path.name}: was deleted; it was damaged, or of frames that are gone." for path in gone]


def _identity(scene: bpy.types.Scene, name: str) -> str:
    return scene.objects[name].gpbd.uuid
