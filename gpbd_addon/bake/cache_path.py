"""Paths of the caches of a body, present or future: each bake writes a version of its own, `<body>-<id>.v2.pc2`."""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections.abc import Iterable
from pathlib import Path

import bpy

from ...solver.cache.checkpoints import SUFFIX
from ...solver.cache.pc2 import read_manifest
from ...solver.errors import CacheError
from ..read import modifier
from . import playback


def safe(name: str) -> str:
    """A name that every file system takes."""
    return re.sub(r"[^\w.-]", "_", name)[:40] or "_"


def folder(scene: bpy.types.Scene, out: str | None = None, file: str | None = None) -> Path:
    """The cache folder of a scene; `out` overrides it. Of an unsaved file it is a temporary one.

    file: a .blend file that the scene is about to be saved as, default the open one.
    """
    chosen = out or scene.gpbd.cache_folder or "//gpbd_cache"
    if not chosen.startswith("//"):
        return Path(os.path.abspath(bpy.path.abspath(chosen)))
    home = file or (bpy.data.filepath if bpy.data.is_saved else "")
    return Path(os.path.abspath(bpy.path.abspath(chosen, start=os.path.dirname(home)))) if home else unsaved_folder()


#: What the names of folders of unsaved bakes end with.
UNSAVED = "_gpbd_bakes"


def unsaved_folder() -> Path:
    """Return the folder of this session's bakes of never saved files: beside Blender's temporary folder, not in it,
    as Blender deletes that when it ends, and a recovered session still needs the bakes."""
    session = Path(bpy.app.tempdir)
    return session.with_name(session.name + UNSAVED)


def unsaved_folders() -> list[Path]:
    """Return the folders of unsaved bakes of all sessions that left one, including this one; the youngest first."""
    try:
        folders = [path for path in Path(bpy.app.tempdir).parent.glob(f"*{UNSAVED}") if os.access(path, os.R_OK | os.W_OK)]
        return sorted(folders, key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return []  # one has gone meanwhile


def is_unsaved(path: Path) -> bool:
    """Return whether a cache is in a folder of unsaved bakes."""
    return path.parent.name.endswith(UNSAVED)


def is_recovered() -> bool:
    """Return whether the open file is one that Blender itself has saved among its temporary files: an auto-saved one, or the
    last session."""
    return bool(bpy.data.filepath) and Path(bpy.data.filepath).parent == Path(bpy.app.tempdir).parent


def of(ob: bpy.types.Object) -> Path | None:
    """The file that the object plays, whether it exists or not; None before the first bake.

    The modifier's path is the truth: Blender rewrites it when the file is saved elsewhere, our property it does not.
    """
    stored = modifier.filepath(ob) or ob.gpbd.cache_file
    return Path(os.path.abspath(bpy.path.abspath(stored, library=ob.library))) if stored else None


#: Name of a cache: of the body when it was baked, the first digits of its identity, and the version.
NAME = re.compile(r".*-([0-9a-f]{8})(?:\.v(\d{1,6}))?\.pc2", re.DOTALL)


def short(identity: str) -> str:
    """Return the part of an identity that file names contain."""
    return identity[:8]


def target(ob: bpy.types.Object, into: Path, version: int) -> Path:
    """The cache of a body in a folder, of a version that is not there yet."""
    return into / f"{safe(ob.name)}-{short(ob.gpbd.uuid)}.v{version}.pc2"


def version_of(path: Path) -> int:
    """Return the version of a cache, by its name; 0 where the name has none."""
    match = NAME.fullmatch(path.name)
    return int(match[2] or 0) if match else 0


def is_of(path: Path, identity: str) -> bool:
    """Return whether the name of a file is that of a cache of a body."""
    match = NAME.fullmatch(path.name)
    return match is not None and match[1] == short(identity)


def present(into: Path, identities: Iterable[str]) -> dict[str, dict[int, Path]]:
    """The caches of bodies in a folder: identity -> version -> path. Empty where there is no folder."""
    by_short: dict[str, dict[int, Path]] = {short(identity): {} for identity in identities}
    try:
        entries = sorted(into.iterdir())
    except OSError:
        entries = []  # a bake reports the fault of the folder
    for path in entries:
        match = NAME.fullmatch(path.name)
        if match and match[1] in by_short:
            by_short[match[1]][int(match[2] or 0)] = path
    return {identity: by_short[short(identity)] for identity in identities}


#: Ending of the control points beside the cache of a rope, which its curve plays.
CURVE_SUFFIX = ".curve.pc2"


def curve(path: Path) -> Path:
    """The control points beside a cache of a rope."""
    return path.with_name(f"{path.stem}{CURVE_SUFFIX}")


def lock(into: Path, identity: str) -> Path:
    """The lock file of a body's caches in a folder."""
    return into / f"gpbd-{short(identity)}.lock"


def tetrahedra(into: Path, identity: str) -> Path:
    """The file that keeps what a soft body was filled with."""
    return into / f"gpbd-{short(identity)}.tetrahedra.npz"


def stored(path: Path) -> str:
    """The path as it is kept in the .blend file: relative ("//") where it is in or below the file's folder."""
    if bpy.data.is_saved:
        home = Path(bpy.data.filepath).parent
        if path.is_relative_to(home):
            return "//" + path.relative_to(home).as_posix()
    return str(path)


def written(path: Path, file: str) -> tuple[str, str]:
    """The path for Blender while it writes a file, and the path in that file: relative ("//") in or below its folder.
    Blender rebases relative paths of a file that is saved elsewhere."""
    home = Path(os.path.abspath(file)).parent
    if not bpy.data.is_saved or not path.is_relative_to(home):
        return str(path), str(path)
    try:
        return bpy.path.relpath(str(path)), "//" + path.relative_to(home).as_posix()
    except ValueError:  # another drive of Windows
        return str(path), str(path)


def bake_name(scene_name: str, identities: Iterable[str], version: int) -> str:
    """Return the name of the checkpoints of a bake of these bodies, see `Checkpoints`."""
    digest = hashlib.sha1("".join(sorted(identities)).encode(), usedforsecurity=False).hexdigest()
    return f"{safe(scene_name)}-{digest[:8]}.v{version}"


def checkpoints_of(path: Path) -> str:
    """Return the name of the checkpoints of the bake that wrote a cache; "" where its manifest cannot be read."""
    try:
        return str(read_manifest(path).get("checkpoints", ""))
    except CacheError:
        return ""


def version_of_checkpoint(path: Path) -> int:
    """By its name; 0 of one whose name has none."""
    match = re.fullmatch(rf".*\.v(\d{{1,6}})\.f\d+{re.escape(SUFFIX)}", path.name, re.DOTALL)
    return int(match[1]) if match else 0


def make_unique(bodies: Iterable[bpy.types.Object]) -> list[str]:
    """Give each body an identity of its own; return the changes, as sentences.

    Blender copies the identity, and the path of the cache, with an object: the copy would play and overwrite the cache of
    the original. The object that the manifest names keeps them, else the one that Blender made first.
    """
    wanted = list(bodies)
    others = [ob for ob in bpy.data.objects if ob.gpbd.body_type != "NONE" and ob not in wanted]
    sentences = []
    owners: dict[str, list[bpy.types.Object]] = {}
    for ob in wanted + others:
        if ob.gpbd.uuid:
            owners.setdefault(ob.gpbd.uuid, []).append(ob)
        elif ob in wanted:
            ob.gpbd.uuid = uuid.uuid4().hex
    for sharing in owners.values():
        if len(sharing) > 1:
            original, *copies = _original_first(sharing)
            for copy in copies:
                if copy.is_editable:
                    _separate(copy)
                    sentences.append(
                        f"{copy.name}: was a copy of '{original.name}' and shared its cache; it has its own now."
                    )
    return sentences


def originals(bodies: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Bodies without copies, to which a bake will give an identity of their own."""
    owners: dict[str, list[bpy.types.Object]] = {}
    for ob in bodies:
        owners.setdefault(ob.gpbd.uuid, []).append(ob)
    return [sharing[0] if len(sharing) == 1 else _original_first(sharing)[0] for sharing in owners.values()]


def _original_first(sharing: list[bpy.types.Object]) -> list[bpy.types.Object]:
    baked = _baked_name(sharing[0])
    return sorted(sharing, key=lambda ob: (ob.library is None, ob.name != baked, ob.session_uid))


def _baked_name(ob: bpy.types.Object) -> str:
    path = of(ob)
    try:
        return read_manifest(path)["object"] if path is not None else ""
    except (CacheError, KeyError):
        return ""  # no manifest: then the first object keeps the cache


def _separate(ob: bpy.types.Object) -> None:
    ob.gpbd.uuid = uuid.uuid4().hex
    ob.gpbd.cache_file = ""
    ob.gpbd.cache_info = ""
    cache_modifier = modifier.find(ob)
    if cache_modifier is not None:
        playback.forget(cache_modifier)
