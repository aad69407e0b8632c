"""Overview of the caches of a scene for panels: kept in memory, and updated from the disk only after an event, so that
drawing a window reads no file and walks no objects.

In a window an update follows an edit after a moment, unless an animation plays or a job runs; without a window nothing is
drawn, and each call updates.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...solver.cache import pc2
from ...solver.cache.lock import Holder, holder
from ...solver.errors import CacheError
from ..read import clearance
from . import cache_path, frame_reports, made_from, renaming, versions
from .differences import WAS, differences
from .versions import Version

#: After an edit, how long nothing more is to happen before the disk is looked at [s].
QUIET_SECONDS = 0.5


@dataclass(frozen=True)
class Overview:
    """versions: of the scene's bodies, the newest first. playing: the one that plays. changed: what differs from what that
    was made from, in the words of the panels. locks: lock files and who has, or has left, them. headers: of what each body
    plays, or why it cannot be read. reports: of those that have some. twins: body -> another object with its identity.
    too_thick: colliders that keep more distance than there is room. bake_plays: whether a body plays a bake, of any folder.
    Objects by full name: undo makes references invalid."""

    versions: list[Version] = field(default_factory=list)
    playing: Version | None = None
    changed: list[str] = field(default_factory=list)
    locks: dict[Path, Holder] = field(default_factory=dict)
    headers: dict[Path | None, pc2.Header | str] = field(default_factory=dict)
    reports: dict[Path | None, frame_reports.Reports] = field(default_factory=dict)
    twins: dict[str, str] = field(default_factory=dict)
    too_thick: list[clearance.Padding] = field(default_factory=list)
    bake_plays: bool = False

    @property
    def resumable(self) -> Version | None:
        """Return the version that Resume continues."""
        left = {held.version for held in self.locks.values()}
        cut_off = (one for one in self.versions if one.number in left and one.checkpoints)
        version = next(cut_off, self.playing or next(iter(self.versions), None))
        return version if version is not None and version.checkpoints and not version.live else None

    @property
    def of_other_machines(self) -> dict[Path, Holder]:
        """Locks of other machines, of which only a person can know whether they are still written."""
        return {path: held for path, held in self.locks.items() if held.living is None}


_known: dict[int, Overview] = {}
_due = 0.0


def of(scene: bpy.types.Scene) -> Overview:
    """Return the last overview; an empty one of a scene whose update is due."""
    if bpy.app.background:
        return look(scene)
    if scene.session_uid not in _known:
        soon()
    return _known.get(scene.session_uid, Overview())


def last_of(scene: bpy.types.Scene) -> Overview:
    """Return the last overview, an empty one of a scene without an update; updates nothing."""
    return _known.get(scene.session_uid, Overview())


def look(scene: bpy.types.Scene) -> Overview:
    """Read the folder and compare the scene with the caches that it plays."""
    bodies = [ob for ob in scene.objects if ob.gpbd.body_type != "NONE" and ob.gpbd.uuid]
    originals = cache_path.originals(bodies)
    all_versions = versions.find(scene, originals)
    playing = next((one for one in all_versions if one.plays), None)
    into = cache_path.folder(scene)
    locks = {path: held for ob in bodies if (held := holder(path := cache_path.lock(into, ob.gpbd.uuid))) is not None}
    played = [file for ob in bodies if (file := cache_path.of(ob)) is not None]
    seen = Overview(
        all_versions,
        playing,
        _changed(scene, originals, playing),
        locks,
        {path: _header(path) for path in played},
        {path: reports for path in played if (reports := frame_reports.read(path)) is not None},
        _twins(bodies),
        clearance.too_thick(scene),
        any(path.exists() and not versions.is_live(path) for path in played),
    )
    _known[scene.session_uid] = seen
    return seen


def _header(path: Path) -> pc2.Header | str:
    try:
        return pc2.read_header(path)
    except CacheError as error:
        return str(error)


def _twins(bodies: list[Any]) -> dict[str, str]:
    owners: dict[str, list[Any]] = {}
    for ob in bpy.data.objects:
        owners.setdefault(ob.gpbd.uuid, []).append(ob)
    return {ob.name_full: other.name for ob in bodies for other in owners[ob.gpbd.uuid] if other != ob}


def _changed(scene: bpy.types.Scene, bodies: list[Any], playing: Version | None) -> list[str]:
    if playing is None or not playing.made_from:
        return []
    if any(ob.mode == "EDIT" for ob in scene.objects):  # meshes are not up to date then
        return _known.get(scene.session_uid, Overview()).changed
    baked = [ob for ob in bodies if ob.name in playing.paths]
    now = made_from.read(scene, baked)
    now = {**now, "bodies": {ob.name: now["bodies"][ob.name] for ob in baked}}
    return differences(renaming.as_now(playing.made_from, now), now, WAS)


def busy() -> bool:
    """Return whether an update would delay playback or a job, or see the scene amid it."""
    manager = bpy.context.window_manager
    return bool(manager.gpbd_status) or any(window.screen.is_animation_playing for window in manager.windows)


def _look_when_quiet() -> float | None:
    left = _due - time.monotonic()
    if left > 0 or busy():
        return max(left, QUIET_SECONDS)
    for window in bpy.context.window_manager.windows:
        before = _known.get(window.scene.session_uid)
        if look(window.scene) != before:
            for area in window.screen.areas:
                if area.type == "PROPERTIES":
                    area.tag_redraw()
    return None


def soon() -> None:
    """Update once edits pause. Without a window nothing waits for it."""
    global _due
    _due = time.monotonic() + QUIET_SECONDS
    if not bpy.app.background and not bpy.app.timers.is_registered(_look_when_quiet):
        bpy.app.timers.register(_look_when_quiet, first_interval=QUIET_SECONDS)


@persistent
def after_edit(scene: bpy.types.Scene, depsgraph: Any = None) -> None:
    """Handle `depsgraph_update_post`, which a render calls too, in a thread of its own: it edits nothing."""
    if threading.current_thread() is not threading.main_thread():
        return
    if depsgraph is not None:
        edited = (update.id.original for update in depsgraph.updates)
        made_from.forget([block for block in edited if isinstance(block, bpy.types.Mesh)])
    soon()


@persistent
def after_load(*_: object) -> None:
    """Handle `load_post`: everything is another. Differences follow a little later: nothing is evaluated yet, so no object
    is in its place."""
    _known.clear()
    if not bpy.app.background:
        for scene in {window.scene for window in bpy.context.window_manager.windows}:
            _known[scene.session_uid] = replace(look(scene), changed=[])
    after_undo()


@persistent
def after_undo(*_: object) -> None:
    """Handle `undo_post` and `redo_post`: any mesh may be another."""
    made_from.forget()
    soon()


def end() -> None:
    """Forget everything, and stop updates."""
    _known.clear()
    made_from.forget()
    if bpy.app.timers.is_registered(_look_when_quiet):
        bpy.app.timers.unregister(_look_when_quiet)
