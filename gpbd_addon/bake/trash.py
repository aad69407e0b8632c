"""Deleting versions of caches, with all that belongs to them and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import bpy

from ...solver.cache import checkpoint, pc2
from ...solver.cache.checkpoints import SUFFIX, Checkpoints
from ...solver.cache.values_writer import PLASTIC_SUFFIX, values_path
from ...solver.counted import counted
from ...solver.errors import CacheError
from ..read import modifier
from . import attributes, cache_path, curve_playback, playback, versions, watch
from .report import duration
from .versions import Version, of_bytes


def summary(versions: Iterable[Version]) -> str:
    """Return the extent of the versions to delete, as one sentence."""
    gone = list(versions)
    names = sorted({name for version in gone for name in version.paths})
    frames = sum(version.frames * len(version.paths) for version in gone)
    seconds = sum(version.seconds for version in gone)
    labels = ", ".join(version.label for version in gone)
    much = counted(frames, "frame", "frames")
    time = f", {duration(seconds)} of computing" if seconds else ""
    return f"{labels} of {', '.join(names)}: {much}, {of_bytes(sum(v.size for v in gone))}{time}"


def superseded(versions: Iterable[Version]) -> list[Version]:
    """Return the versions that can be deleted with each body keeping a cache: the one that it plays, or else its newest.

    versions: the newest first.
    """
    known = list(versions)
    kept: dict[str, int] = {}  # body -> version
    for version in reversed(known):
        kept |= dict.fromkeys(version.paths, version.number)
    for version in known:
        kept |= dict.fromkeys(version.playing, version.number)
    return [version for version in known if version.number not in kept.values()]


def delete(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object], numbers: Collection[int] | None = None) -> list[Path]:
    """Delete versions of the caches of bodies, default all, with manifests and checkpoints; return the deleted files.

    Raises: LockedError where one is being written; CacheError.
    """
    watch.make_room()
    gone: list[Path] = []
    everything = numbers is None
    for ob in bodies:
        modifier.check_editable(ob)
        playing = cache_path.of(ob)
        folders = {cache_path.folder(scene)}
        if playing is not None and cache_path.is_of(playing, ob.gpbd.uuid):  # never that of another body
            folders.add(playing.parent)
        for folder in folders:
            versions.check_free(cache_path.lock(folder, ob.gpbd.uuid))
            for number, path in cache_path.present(folder, [ob.gpbd.uuid])[ob.gpbd.uuid].items():
                if numbers is None or number in numbers:
                    gone += delete_version(path, ob.gpbd.uuid)
            if everything:
                gone += delete_files([cache_path.lock(folder, ob.gpbd.uuid), cache_path.tetrahedra(folder, ob.gpbd.uuid)])
        if everything or playing in gone:
            forget(ob)
    return gone


def of_cache(path: Path) -> list[Path]:
    """A cache, and the files that belong to it alone."""
    return [path, pc2.manifest_path(path), values_path(path), values_path(path, PLASTIC_SUFFIX), cache_path.curve(path)]


def delete_version(path: Path, identity: str) -> list[Path]:
    """Delete one version of the cache of a body, with its manifest and checkpoints; return the deleted files.
    Raises: CacheError."""
    return delete_files([*_checkpoints(path, identity), *of_cache(path)])


def forget(ob: bpy.types.Object) -> None:
    """It plays nothing any more."""
    attributes.remove(ob)
    curve_playback.forget(ob)
    ob.gpbd.cache_file = ob.gpbd.cache_info = ""
    cache_modifier = modifier.find(ob)
    if cache_modifier is not None:
        playback.forget(cache_modifier)


def _checkpoints(path: Path, identity: str) -> list[Path]:
    """Return the checkpoints of the bake that wrote a cache; they are useless without it. Where its manifest cannot be read:
    those of the same version that are of this body too."""
    try:
        name = pc2.read_manifest(path).get("checkpoints")
    except CacheError:
        name = None
    if name is not None:
        checkpoints = Checkpoints(path.parent, name)
        return [checkpoints.path(frames) for frames in checkpoints.frames()]
    version = cache_path.version_of(path)
    same = [
        checkpoint
        for checkpoint in path.parent.glob(f"*{SUFFIX}")
        if cache_path.version_of_checkpoint(checkpoint) == version
    ]
    return [checkpoint for checkpoint in same if identity in _bodies_of(checkpoint)]


def _bodies_of(path: Path) -> set[str]:
    try:
        _, identity = checkpoint.read(path)
    except CacheError:
        return set()  # not ours, or damaged: it stays
    bodies = identity.get("bodies")
    known = [body.get("uuid") for body in bodies.values() if isinstance(body, dict)] if isinstance(bodies, dict) else []
    return {str(one) for one in known}


def delete_files(paths: Iterable[Path]) -> list[Path]:
    """Delete those that are there, and return them. Raises: CacheError."""
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
