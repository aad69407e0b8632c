"""Caches of a file that are in another folder than its own, and how they come there: those of an unsaved file when it is
saved, others when *Collect Caches* is pressed.

Everything is there before anything plays it, and plays before anything is deleted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import bpy

from ...solver.cache import pc2, relocation
from ...solver.cache.checkpoints import Checkpoints
from ...solver.cache.lock import Lock
from ...solver.cache.relocation import Piece, numbered
from ...solver.cache.values_writer import values_path
from ...solver.errors import CacheError
from ..read import modifier
from . import attributes, cache_path, trash

#: Where caches went in this session, as undo brings their old paths back.
_moved: dict[Path, Path] = {}


@dataclass(frozen=True)
class Plan:
    """From one folder to another. caches: where each cache is -> where it goes. pieces: all files, a cache after what
    belongs to it. shift: by which versions are higher there. keep: whether the sources stay and go on being played."""

    source: Path
    into: Path
    identities: tuple[str, ...]
    caches: dict[Path, Path]
    pieces: list[Piece]
    shift: int
    keep: bool

    @property
    def locks(self) -> list[Path]:
        """Of both folders."""
        return [cache_path.lock(folder, one) for folder in (self.source, self.into) for one in self.identities]

    @property
    def sources(self) -> list[Path]:
        """All files of the caches, those among them that were brought before."""
        beside = [path for own in self.caches for path in (pc2.manifest_path(own), values_path(own))]
        known = [*self.caches, *beside, *(source for source, _ in self.pieces)]
        return list(dict.fromkeys(known))


def plans(file: str | None = None, keep: bool = False, everything: bool = False) -> list[Plan]:
    """What is to be brought to the cache folders of the scenes of a .blend file, default the open one, from folders of
    unsaved bakes. keep: copied, what plays alone. everything: what plays from folders of other files is copied too.
    """
    groups: dict[tuple[Path, Path], list[bpy.types.Object]] = {}
    for ob, scene in _bodies():
        into, played = cache_path.folder(scene, file=file), cache_path.of(ob)
        sources = {cache_path.unsaved_folder()}
        if played is not None and (everything or cache_path.is_unsaved(played)):
            sources.add(played.parent)
        for source in sources - {into}:
            groups.setdefault((source, into), []).append(ob)
    made = [_plan(source, into, own, keep) for (source, into), own in groups.items()]
    return [one for one in made if one.caches]


def _bodies() -> Iterator[tuple[bpy.types.Object, bpy.types.Scene]]:
    """Those that can be changed, each with its first scene."""
    seen = set()
    for scene in bpy.data.scenes:
        for ob in scene.objects:
            if ob.gpbd.uuid and ob.is_editable and ob not in seen:
                seen.add(ob)
                yield ob, scene


def _plan(source: Path, into: Path, bodies: list[bpy.types.Object], keep: bool) -> Plan:
    identities = [ob.gpbd.uuid for ob in bodies]
    found, taken = cache_path.present(source, identities), cache_path.present(into, identities)
    keep |= not source.name.endswith(cache_path.UNSAVED)
    if keep:
        played = {cache_path.of(ob) for ob in bodies}
        found = {one: {at: path for at, path in own.items() if path in played} for one, own in found.items()}
    going = [path for own in found.values() for path in own.values()]
    there = {path for path in going if _is_there(path, into / path.name)}
    clash = any(at in taken[one] and path not in there for one, own in found.items() for at, path in own.items())
    shift = max(max(own, default=0) for own in taken.values()) if clash else 0
    caches = {path: into / numbered(path.name, shift) for path in going}
    new = [path for path in going if shift or path not in there]
    return Plan(source, into, tuple(identities), caches, list(_pieces(source, into, identities, new, shift)), shift, keep)


def _is_there(path: Path, target: Path) -> bool:
    return relocation.is_same(path, target, pc2.manifest_path(path), pc2.manifest_path(target))


def _pieces(source: Path, into: Path, identities: list[str], going: list[Path], shift: int) -> Iterator[Piece]:
    """A cache comes last: what belongs to it alone is not seen by anybody."""
    beside = [Checkpoints(source, name) for name in dict.fromkeys(map(cache_path.checkpoints_of, going)) if name]
    files = [own.path(frames) for own in beside for frames in own.frames()]
    if going:
        files += [path for path in (cache_path.tetrahedra(source, one) for one in identities) if path.exists()]
    files += [path for own in going for path in (pc2.manifest_path(own), values_path(own)) if path.exists()]
    for path in files + going:
        yield path, into / numbered(path.name, shift)


def at_once(plan: Plan) -> bool:
    """Brings it where that takes no time, on one disk; whether it did."""
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
        return False  # a job tries again, by copying, and says what is wrong
    finally:
        for lock in locks:
            lock.release()
    return True


def finish(plan: Plan) -> None:
    """Everything is there: makes the bodies play it, then deletes where it came from. Raises: CacheError if that stays."""
    if plan.keep and plan.source.name.endswith(cache_path.UNSAVED):
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
    """Makes a body play the same cache from another place."""
    stored = cache_path.stored(path)
    found = modifier.find(ob)
    if found is not None and found.filepath != stored:
        found.filepath = stored
    ob.gpbd.cache_file = stored
    attributes.point(ob)
    ob.gpbd.cache_info = re.sub(r"^v\d+", f"v{cache_path.version_of(path)}", ob.gpbd.cache_info)


def relink() -> list[str]:
    """Bodies whose cache is no longer where it was play it from where it went, or from a folder of unsaved bakes; returns
    their names."""
    told = []
    for ob, scene in _bodies():
        path = cache_path.of(ob)
        if path is None or path.exists():
            continue
        places = _places(path, cache_path.folder(scene))
        found = next((place for place in places if cache_path.is_of(place, ob.gpbd.uuid) and place.exists()), None)
        if found is not None:
            point(ob, found)
            told.append(ob.name)
    return told


def _places(path: Path, folder: Path) -> Iterator[Path]:
    then = path
    while then in _moved:
        then = _moved[then]
        yield then
    for place in [folder, *cache_path.unsaved_folders()]:
        yield place / path.name


def summary(brought: Iterable[Plan]) -> str:
    """What was done, as a sentence."""
    known = list(brought)
    caches = sum(len(plan.caches) for plan in known)
    folders = ", ".join(dict.fromkeys(str(plan.into) for plan in known))
    return f"{caches} cache{'s' if caches != 1 else ''} brought to {folders}." if known else "There is nothing to collect."
