"""Bakes of files that were never saved, of this session and of those that ended without a save: found, played, deleted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy

from ...solver.cache import pc2
from ...solver.cache.checkpoints import Checkpoints
from ...solver.cache.manifest import Manifest
from ...solver.counted import counted
from ...solver.errors import CacheError, SceneError
from ..read.modifier import check_editable
from . import cache_path, trash, versions
from .versions import of_bytes


@dataclass(frozen=True)
class Left:
    """The caches of a body in a folder of unsaved bakes. object: its name when it was baked. caches: version -> path."""

    identity: str
    object: str
    caches: dict[int, Path]
    begun: str
    frames: int
    n_vertices: int
    size: int

    @property
    def newest(self) -> Path:
        return self.caches[max(self.caches)]

    def __str__(self) -> str:
        date = self.begun[5:16].replace("T", " ")
        much = counted(self.frames, "frame", "frames")
        if len(self.caches) > 1:
            much = f"{len(self.caches)} versions, {much}"
        return ", ".join(filter(None, [f"{self.object}: {much}", f"{self.n_vertices} vertices", of_bytes(self.size), date]))


def left() -> list[Left]:
    """All that can be read, the youngest first."""
    bakes: dict[tuple[Path, str], list[tuple[Path, Manifest, pc2.Header]]] = {}
    for folder in cache_path.unsaved_folders():
        for path in sorted(folder.glob("*.pc2")):
            try:
                manifest, header = pc2.read_manifest(path), pc2.read_header(path)
            except CacheError:
                continue  # nobody knows whose it is
            bakes.setdefault((folder, manifest.get("uuid", "")), []).append((path, manifest, header))
    known = [_left(identity, caches) for (_, identity), caches in bakes.items() if identity]
    return sorted(known, key=lambda one: one.begun, reverse=True)


def _left(identity: str, caches: list[tuple[Path, Manifest, pc2.Header]]) -> Left:
    newest, manifest, header = max(caches, key=lambda one: cache_path.version_of(one[0]))
    return Left(
        identity,
        manifest.get("object", newest.stem),
        {cache_path.version_of(path): path for path, _, _ in caches},
        manifest.get("begun", ""),
        header.n_frames,
        header.n_vertices,
        sum(path.stat().st_size for path, _, _ in caches),
    )


def play(bake: Left, chosen: bpy.types.Object | None) -> bpy.types.Object:
    """Make the body whose bake it is play its newest version; where the file has none, the chosen body, which from then on
    is the one that was baked. Returns it. Raises: SceneError; CacheError."""
    ob = next((ob for ob in bpy.data.objects if ob.gpbd.uuid == bake.identity and ob.is_editable), None) or chosen
    if ob is None or ob.gpbd.body_type == "NONE":
        raise SceneError(
            f"The bake of '{bake.object}': no body of this file is the one that was baked. Select a GPBD body with "
            f"{bake.n_vertices} vertices, then recover it again."
        )
    check_editable(ob)
    if len(ob.data.vertices) != bake.n_vertices:
        raise SceneError(
            f"{ob.name}: has {len(ob.data.vertices)} vertices; wanted {bake.n_vertices}, as '{bake.object}' had. Select the "
            "body that was baked, then recover it again."
        )
    played = cache_path.of(ob)
    if ob.gpbd.uuid != bake.identity and played is not None and played.exists():
        raise SceneError(
            f"{ob.name}: has a bake of its own. Select another body, or delete its caches, then recover it again."
        )
    header = pc2.read_header(bake.newest)
    ob.gpbd.uuid = bake.identity
    versions.play(ob, bake.newest, int(header.start), header.n_frames, header.n_vertices)
    return ob


def delete(bake: Left) -> None:
    """All versions, with checkpoints. Raises: CacheError; LockedError where one is being written."""
    folder = bake.newest.parent
    versions.check_free(cache_path.lock(folder, bake.identity))
    names = {cache_path.checkpoints_of(path) for path in bake.caches.values()}
    states = [
        checkpoints.path(frames)
        for checkpoints in (Checkpoints(folder, name) for name in names if name)
        for frames in checkpoints.frames()
    ]
    beside = [cache_path.lock(folder, bake.identity), cache_path.tetrahedra(folder, bake.identity)]
    trash.delete_files([*states, *(file for path in bake.caches.values() for file in trash.of_cache(path)), *beside])
    for ob in bpy.data.objects:
        if cache_path.of(ob) in bake.caches.values() and ob.is_editable:
            trash.forget(ob)
    if not any(folder.iterdir()):
        folder.rmdir()
