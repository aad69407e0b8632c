"""The versions of the caches of bodies: what there is of each, which one plays, which one a bake continues with."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import bpy

from ...solver.cache import pc2
from ...solver.cache.atomic_write import write_atomically
from ...solver.cache.bake_writer import REPORTS
from ...solver.cache.checkpoints import Checkpoints
from ...solver.cache.lock import holder
from ...solver.cache.manifest import Change, Manifest
from ...solver.cache.values_writer import PLASTIC_SUFFIX, values_path
from ...solver.counted import counted
from ...solver.errors import CacheError, LockedError
from ..read import scene_input
from . import attributes, cache_path, curve_playback, playback
from .differences import shown
from .report import duration

KIBIBYTE = 1024
#: Key of the manifest of a cache that live play has written (`live/files.py`).
LIVE: Final = "live"


@dataclass(frozen=True)
class Baked:
    """Extent and origin of a cache, or of those of a version together.

    frames: from `start` on, of `wanted`; of several the fewest. begun: date and time, "" where not known. seconds: of
    computing. size: of all files [bytes]. made_from: see `made_from.read`. changes: [frame, what], see `files.py`. name,
    note: as somebody gave them, "" without. live: whether live play has written it.
    """

    start: int
    frames: int
    wanted: int
    begun: str
    quality: str
    seconds: float
    size: int
    made_from: Mapping[str, Any]
    changes: tuple[tuple[int, str], ...]
    name: str
    note: str
    live: bool


@dataclass(frozen=True)
class _Cache(Baked):
    """One file and its manifest. bake: name of the checkpoints of its bake, "" where not known."""

    bake: str


@dataclass(frozen=True)
class Version(Baked):
    """Version of a folder, of all requested bodies that have it. number: 0 for files from before there were versions.

    paths: object's name -> cache. checkpoints: scene frames after which it can be continued. playing: names of the bodies
    that play it.
    """

    number: int
    folder: Path
    paths: Mapping[str, Path]
    checkpoints: tuple[int, ...]
    playing: frozenset[str]

    @property
    def plays(self) -> bool:
        """Return whether all bodies that have it play it."""
        return self.playing == frozenset(self.paths)

    @property
    def complete(self) -> bool:
        return self.frames >= self.wanted

    @property
    def label(self) -> str:
        """Return its name in panels and messages."""
        return f"v{self.number}, live" if self.live else f"v{self.number}"

    @property
    def title(self) -> str:
        """The same with its name."""
        return f"{self.label} {self.name}".rstrip()

    def lines(self) -> tuple[str, str]:
        """Return two lines of a list: its extent, and its properties."""
        frames = counted(self.wanted, "frame", "frames")
        frames = frames if self.complete else f"{self.frames} of {frames}"
        date = self.begun[5:16].replace("T", " ")
        much = [frames, duration(self.seconds) if self.seconds else ""]
        return ", ".join(filter(None, much)), ", ".join(filter(None, [self.quality, of_bytes(self.size), date]))

    def sentence(self) -> str:
        """The same in one line."""
        return ", ".join(self.lines())


def of_bytes(size: float) -> str:
    """ "4.2 MB": in the unit in which it has few digits."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < KIBIBYTE or unit == "GB":
            break
        size /= KIBIBYTE
    return f"{size:.3g} {unit}"


def find(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object] | None = None, out: str | None = None) -> list[Version]:
    """Return the versions of bodies, default all of the scene, in a folder, default the scene's; the newest first."""
    wanted = list(bodies) if bodies is not None else [ob for ob in scene.objects if ob.gpbd.body_type != "NONE"]
    into = cache_path.folder(scene, out)
    there = cache_path.present(into, [ob.gpbd.uuid for ob in wanted if ob.gpbd.uuid])
    numbers = sorted({number for by_version in there.values() for number in by_version}, reverse=True)
    all_versions = []
    for number in numbers:
        paths = {ob.name: there[ob.gpbd.uuid][number] for ob in wanted if number in there.get(ob.gpbd.uuid, {})}
        playing = frozenset(ob.name for ob in wanted if ob.name in paths and cache_path.of(ob) == paths[ob.name])
        all_versions.append(_version(number, into, paths, playing))
    return all_versions


def _version(number: int, folder: Path, paths: Mapping[str, Path], playing: frozenset[str]) -> Version:
    known = [_read(path) for path in paths.values()]
    first = known[0]
    bakes = {cache.bake for cache in known if cache.bake}
    states = [(bake, frames) for bake in bakes for frames in Checkpoints(folder, bake).frames()]
    return Version(
        first.start,
        min(cache.frames for cache in known),
        max(cache.wanted for cache in known),
        first.begun,
        first.quality,
        max(cache.seconds for cache in known),
        sum(cache.size for cache in known) + sum(_size(Checkpoints(folder, bake).path(at)) for bake, at in states),
        {name: what for cache in known for name, what in cache.made_from.items()},
        first.changes,
        next((cache.name for cache in known if cache.name), ""),
        next((cache.note for cache in known if cache.note), ""),
        first.live,
        number,
        folder,
        paths,
        tuple(sorted(first.start + frames - 1 for _, frames in states)),
        playing,
    )


def is_live(path: Path) -> bool:
    """Return whether live play has written a cache."""
    return _read(path).live


def _read(path: Path) -> _Cache:
    """Cheap to call again: the files are read when they have changed."""
    return _read_files(path, _stamp(path), _stamp(pc2.manifest_path(path)))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


@functools.lru_cache(maxsize=256)
def _read_files(path: Path, cache: tuple[int, int], manifest: tuple[int, int]) -> _Cache:
    try:
        header = pc2.read_header(path)
        start, frames = int(header.start), header.n_frames
    except CacheError:
        start, frames = 1, 0
    try:
        known: Manifest = pc2.read_manifest(path)
    except CacheError:
        known = {}
    reports = known.get(REPORTS, [])
    return _Cache(
        start,
        frames,
        known.get("end", start + frames - 1) - start + 1,
        known.get("begun", ""),
        known.get("quality", ""),
        sum(numbers.get("seconds", 0.0) for numbers in reports),
        cache[1]
        + manifest[1]
        + sum(map(_size, (values_path(path), values_path(path, PLASTIC_SUFFIX), cache_path.curve(path)))),
        known.get("made_from", {}),
        tuple(_change(one, start) for one in known.get("changes", [])),
        known.get("name", ""),
        known.get("note", ""),
        known.get(LIVE) is True,
        known.get("checkpoints", ""),
    )


def _change(one: Change, start: int) -> tuple[int, str]:
    """From which frame on, and what."""
    frame, changed = one.get("frame"), one.get("changed")
    return (frame if isinstance(frame, int) else start), shown(map(str, changed)) if isinstance(changed, list) else ""


def _size(path: Path) -> int:
    return _stamp(path)[1]


def quality_of(scene: bpy.types.Scene) -> str:
    """Return the panel's name of the quality."""
    return scene.gpbd.bl_rna.properties["quality"].enum_items[scene.gpbd.quality].name


def to_resume(there: Mapping[str, Mapping[int, Path]], playing: Iterable[Path | None], left: int | None) -> int | None:
    """The version that a bake continues with: the one that was cut off, else the one that plays, else the newest.

    there: identity -> version -> path. left: version that a process left locked as it was killed. None where no version has
    all bodies.
    """
    shared = set.intersection(*(set(by_version) for by_version in there.values())) if there else set()
    if left in shared:
        return left
    seen = set(playing)
    played = [number for number in shared if all(by_version[number] in seen for by_version in there.values())]
    return played[0] if played else max(shared, default=None)


def play(
    ob: bpy.types.Object, path: Path, start: int, frames: int, n_vertices: int, stretching: float = 1.0, wanted: int = 0,
    with_attributes: bool = True,
) -> None:  # fmt: skip
    """Make a body play a cache and show its properties. stretching: see `playback.play`. wanted: final number of frames of a
    cache that is still being written. with_attributes: also create those of `attributes.py`."""
    stored = cache_path.stored(path)
    playback.play(ob, stored, start, pc2.read_header(path).samples, stretching)
    ob.gpbd.cache_file = stored
    if with_attributes:
        attributes.follow(ob, wanted)
    curve_playback.follow(ob)
    ob.gpbd.cache_info = extent(path, pc2.Header(n_vertices, start, frames))


def extent(path: Path, header: pc2.Header) -> str:
    """Return the version, frames and vertices of a cache as words."""
    version, first, last = cache_path.version_of(path), int(header.start), int(header.start) + header.n_frames - 1
    cache_info = f"v{version}: frames {first} to {last}, {header.n_vertices} vertices"
    if header.n_frames == 1:
        cache_info = f"v{version}: frame {first}, {header.n_vertices} vertices"
    return cache_info


def choose(scene: bpy.types.Scene, number: int) -> list[str]:
    """Make the bodies that have a version play it; return their names. Raises: CacheError if it cannot be read."""
    bodies = {ob.name: ob for ob in scene_input.bodies_of(scene)}
    chosen = next((version for version in find(scene) if version.number == number), None)
    if chosen is None:
        raise _missing(scene, number)
    headers = {name: pc2.read_header(path) for name, path in chosen.paths.items()}
    for name, header in headers.items():
        if bodies[name].is_editable:
            stretching = chosen.made_from.get("stretching", 1.0)
            play(bodies[name], chosen.paths[name], int(header.start), header.n_frames, header.n_vertices, stretching)
    return list(headers)


def describe(scene: bpy.types.Scene, number: int, name: str, note: str) -> Version:
    """Give a version a name and a note, in the manifests of all of its caches; return it as it was.

    Raises: CacheError where there is none, or a manifest cannot be read or written; LockedError where one is being written.
    """
    bodies = [ob for ob in scene.objects if ob.gpbd.body_type != "NONE" and ob.gpbd.uuid]
    described = next((version for version in find(scene, bodies) if version.number == number), None)
    if described is None:
        raise _missing(scene, number)
    for ob in bodies:
        if ob.name in described.paths:
            check_free(cache_path.lock(described.folder, ob.gpbd.uuid))
    for path in described.paths.values():
        manifest: Manifest = {**pc2.read_manifest(path), "name": name.strip(), "note": note.strip()}
        write_atomically(pc2.manifest_path(path), json.dumps(manifest, indent=1).encode(), durable=True)
    return described


def check_free(lock: Path) -> None:
    """Check that a lock is free. Raises: LockedError where another process writes under it."""
    held = holder(lock)
    if held is not None and held.living is not False:
        raise LockedError(f"Cache {lock}: is being written by {held}. Wait for that bake or end it, then try again.")


def _missing(scene: bpy.types.Scene, number: int) -> CacheError:
    return CacheError(f"Cache v{number}: is not in {cache_path.folder(scene)}. Choose another version, or bake.")
