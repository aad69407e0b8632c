"""Caches of a file that are in another folder than its own, and how they come there: when it is saved, those that it baked
unsaved or beside the file that it was until then; others when *Collect Caches* is pressed.

Everything is there before anything plays it, and plays before anything is deleted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import bpy

from ...solver.cache import pc2, relocation
from ...solver.cache.checkpoints import Checkpoints
from ...solver.cache.lock import Lock
from ...solver.cache.relocation import Piece, numbered
from ...solver.cache.values_writer import PLASTIC_SUFFIX, values_path
from ...solver.errors import CacheError
from ..read import modifier
from . import attributes, cache_path, curve_playback, trash

#: Where caches went in this session, as undo brings their old paths back.
_moved: dict[Path, Path] = {}
#: Where those came from that a file was written to play: they may not be there yet, or never come.
_origins: dict[Path, Path] = {}


@dataclass(frozen=True)
class Plan:
    """From one folder to another. caches: where each cache is -> where it goes. pieces: all files, a cache after what
    belongs to it. shift: by which versions are higher there. keep: whether the sources stay. is_copy: whether they continue
    being played."""

    source: Path
    into: Path
    identities: tuple[str, ...]
    caches: dict[Path, Path]
    pieces: list[Piece]
    shift: int
    keep: bool
    is_copy: bool

    @property
    def locks(self) -> list[Path]:
        """Return the locks of both folders; not of one that is only read, and that is not writable."""
        is_read = self.keep and not os.access(self.source, os.W_OK)
        folders = (self.into,) if is_read else (self.source, self.into)
        return [cache_path.lock(folder, one) for folder in folders for one in self.identities]

    @property
    def sources(self) -> list[Path]:
        """All files of the caches, those among them that were brought before."""
        beside = [path for cache in self.caches for path in _beside(cache)]
        known = [*self.caches, *beside, *(source for source, _ in self.pieces)]
        return list(dict.fromkeys(known))


def plans(file: str | None = None, before: str = "", is_copy: bool = False, everything: bool = False) -> list[Plan]:
    """Return the plans that bring caches to the cache folders of the scenes of a .blend file, default the open one, from
    folders of unsaved bakes. before: former path of the file, whose caches are copied. is_copy: only caches that play are
    copied, and the session continues to play its own. everything: caches played from folders of other files are copied too.
    """
    groups: dict[tuple[Path, Path, bool], list[bpy.types.Object]] = {}
    for ob, scene in _bodies():
        into, played = cache_path.folder(scene, file=file), cache_path.of(ob)
        sources = {cache_path.unsaved_folder(): True}
        if played is not None and (everything or cache_path.is_unsaved(played)):
            sources.setdefault(played.parent, cache_path.is_unsaved(played))
        if before:
            sources[cache_path.folder(scene, file=before)] = True
        for source, whole in sources.items():
            if source != into:
                groups.setdefault((source, into, whole and not is_copy), []).append(ob)
    made = [_plan(*folders, bodies, is_copy) for folders, bodies in groups.items()]
    return [one for one in made if one.caches]


def _bodies() -> Iterator[tuple[bpy.types.Object, bpy.types.Scene]]:
    """Yield the editable bodies, each with its first scene."""
    seen = set()
    for scene in bpy.data.scenes:
        for ob in scene.objects:
            if ob.gpbd.uuid and ob.is_editable and ob not in seen:
                seen.add(ob)
                yield ob, scene


def _plan(source: Path, into: Path, whole: bool, bodies: list[bpy.types.Object], is_copy: bool) -> Plan:
    """whole: all versions, not only what plays. The shift is the same for both: which it is is not known before a save."""
    identities = [ob.gpbd.uuid for ob in bodies]
    present_caches, taken = cache_path.present(source, identities), cache_path.present(into, identities)
    there = {
        path for by_version in present_caches.values() for path in by_version.values() if _is_there(path, into / path.name)
    }
    clash = any(
        at in taken[one] and path not in there
        for one, by_version in present_caches.items()
        for at, path in by_version.items()
    )
    shift = max(max(by_version, default=0) for by_version in taken.values()) if clash else 0
    played = {cache_path.of(ob) for ob in bodies}
    going = [path for by_version in present_caches.values() for path in by_version.values() if whole or path in played]
    caches = {path: into / numbered(path.name, shift) for path in going}
    new = [path for path in going if shift or path not in there]
    pieces = list(_pieces(source, into, identities, new, shift))
    keep = is_copy or not source.name.endswith(cache_path.UNSAVED)
    return Plan(source, into, tuple(identities), caches, pieces, shift, keep, is_copy)


def _is_there(path: Path, target: Path) -> bool:
    return relocation.is_same(path, target, pc2.manifest_path(path), pc2.manifest_path(target))


def _pieces(source: Path, into: Path, identities: list[str], going: list[Path], shift: int) -> Iterator[Piece]:
    """A cache comes last: what belongs to it alone is not seen by anybody."""
    beside = [Checkpoints(source, name) for name in dict.fromkeys(map(cache_path.checkpoints_of, going)) if name]
    files = [store.path(frames) for store in beside for frames in store.frames()]
    if going:
        files += [path for path in (cache_path.tetrahedra(source, one) for one in identities) if path.exists()]
    files += [path for cache in going for path in _beside(cache) if path.exists()]
    for path in files + going:
        yield path, into / numbered(path.name, shift)


def _beside(cache: Path) -> list[Path]:
    beside = [values_path(cache), values_path(cache, PLASTIC_SUFFIX), cache_path.curve(cache)]
    return [pc2.manifest_path(cache), *beside]


def at_once(plan: Plan) -> bool:
    """Move the cache where that takes no time, on one disk; return whether it did."""
    if plan.keep or plan.shift:
        return False
    locks = [Lock(path) for path in plan.locks]
    try:
        plan.into.mkdir(parents=True, exist_ok=True)
        for lock in locks:
            lock.take()
        relocation.bring(plan.pieces, link=True)
        for lock in locks:
            lock.release()
        finish(plan)
    except (CacheError, OSError):
        return False  # a job tries again, by copying, and reports the fault
    finally:
        for lock in locks:
            lock.release()
    return True


def finish(plan: Plan) -> None:
    """Everything is there: makes the bodies play it, then deletes where it came from. Raises: CacheError if that stays."""
    if plan.is_copy:
        return
    for ob, _ in _bodies():
        played = cache_path.of(ob)
        if played in plan.caches:
            point(ob, plan.caches[played])
    if plan.keep:
        return
    _moved.update(plan.caches)
    tetrahedra = (cache_path.tetrahedra(plan.source, one) for one in plan.identities)
    trash.delete_files([*plan.sources, *tetrahedra])
    if not any(plan.source.iterdir()):
        plan.source.rmdir()


def point(ob: bpy.types.Object, path: Path) -> None:
    """Make a body play the same cache from another place."""
    stored = cache_path.stored(path)
    cache_modifier = modifier.find(ob)
    if cache_modifier is not None and cache_modifier.filepath != stored:
        cache_modifier.filepath = stored
    ob.gpbd.cache_file = stored
    attributes.point(ob)
    curve_playback.point(ob)
    ob.gpbd.cache_info = re.sub(r"^v\d+", f"v{cache_path.version_of(path)}", ob.gpbd.cache_info)


def write_as_brought(plan: Plan, ob: bpy.types.Object, file: str) -> None:
    """Make a body play from the future path of its cache, and store the present one: for the file that is being written."""
    cache_modifier, played = modifier.find(ob), cache_path.of(ob)
    assert cache_modifier is not None and played is not None
    _origins[plan.caches[played]] = played
    cache_modifier.filepath, stands = cache_path.written(plan.caches[played], file)
    ob.gpbd.cache_file = cache_modifier.filepath  # by which a renamed modifier is found
    attributes.point(ob)
    curve_playback.point(ob)
    ob.gpbd.cache_file, ob.gpbd.cache_origin = stands, str(played)


def relink() -> list[str]:
    """Bodies whose cache is not where it should be play it from where it went, from where it was to be brought from, or from
    a folder of unsaved bakes; returns their names."""
    names = []
    for ob, scene in _bodies():
        path = cache_path.of(ob)
        if path is None or path.exists():
            continue
        places = _places(path, cache_path.folder(scene), ob.gpbd.cache_origin)
        present_file = next((place for place in places if cache_path.is_of(place, ob.gpbd.uuid) and place.exists()), None)
        if present_file is not None:
            point(ob, present_file)
            names.append(ob.name)
    return names


def _places(path: Path, folder: Path, origin: str) -> Iterator[Path]:
    then = path
    while then in _moved:
        then = _moved[then]
        yield then
    if path in _origins:
        yield _origins[path]
    if origin:
        yield Path(origin)
    for place in [folder, *cache_path.unsaved_folders()]:
        yield place / path.name


def summary(brought: Iterable[Plan]) -> str:
    """Return a summary of the plans, as a sentence."""
    known = list(brought)
    caches = sum(len(plan.caches) for plan in known)
    folders = ", ".join(dict.fromkeys(str(plan.into) for plan in known))
    return f"{caches} cache{'s' if caches != 1 else ''} brought to {folders}." if known else "There is nothing to collect."
