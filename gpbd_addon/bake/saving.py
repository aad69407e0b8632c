"""Caches of a saved file: caches of an unsaved file move into its folder; *Save As* copies those of the former file.

The written file names their future paths, where a render machine reads them. Here they play from their present paths until
they have moved: at once on the same disk, else after a worker has copied them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...solver.errors import GpbdError
from ..read import modifier
from . import attributes, cache_path, collecting, curve_playback, overview, watch
from .collect_job import CollectJob

#: Interval of attempts to begin while another job runs [s].
AGAIN = 0.5

#: Files whose caches are pending, their former files, "" if unsaved, and whether the session continues to play its own.
_waiting: list[tuple[str, str, bool]] = []
#: Name of an object -> its former paths and the name of its modifier, while the file is written, and the absolute path of
#: its cache: relative paths are relative to another file afterwards.
_played: dict[str, tuple[tuple[str, str, str], str, str]] = {}
#: File that was open before writing, "" if it was never saved.
_open = ""
#: Whether the next file is written without its caches.
_alone = False


@contextmanager
def caches_stay() -> Iterator[None]:
    """Context in which a copy of the file plays the caches at their present paths."""
    global _alone
    _alone = True
    try:
        yield
    finally:
        _alone = False


@persistent
def before_save(file: str = "", *_: object) -> None:
    """Handle `save_pre`."""
    global _open
    _restore()
    attributes.follow_scene()
    if not _takes_caches(file):
        return
    _open = bpy.data.filepath
    for plan in collecting.plans(file, _open):
        for ob in bpy.data.objects:
            played = cache_path.of(ob)
            cache_modifier = modifier.find(ob)
            if ob.is_editable and cache_modifier is not None and played in plan.caches:
                former = cache_modifier.filepath, ob.gpbd.cache_file, ob.gpbd.cache_origin
                _played[ob.name] = former, cache_modifier.name, str(played)
                collecting.write_as_brought(plan, ob, file)


@persistent
def after_save(file: str = "", *_: object) -> None:
    """Handle `save_post`."""
    is_copy = not bpy.data.filepath or os.path.abspath(bpy.data.filepath) != os.path.abspath(file)
    _restore(is_copy)
    if _takes_caches(file) and collecting.plans(file, _open, is_copy):
        _waiting.append((file, _open, is_copy))
        watch.when_idle(_go_on)


@persistent
def after_failed_save(*_: object) -> None:
    """Handle `save_post_fail`."""
    _restore()


@persistent
def before_load(*_: object) -> None:
    """Handle `load_pre`: a file that is opened again finds its unmoved caches at their old paths."""
    _waiting.clear()
    _played.clear()


@persistent
def find_caches(*_: object) -> None:
    """Handle `load_post`, `undo_post` and `redo_post`."""
    collecting.relink()


def _takes_caches(file: str) -> bool:
    """Return whether caches follow a file that is written: a startup file has no folder, a temporary one none that stays."""
    return bool(file) and not _alone and not cache_path.is_temporary(file)


def _restore(same_file: bool = True) -> None:
    """same_file: whether the file is the one that was open before."""
    for ob in bpy.data.objects:
        if ob.name not in _played or not ob.is_editable:
            continue
        (path, cache_file, origin), name, whole = _played[ob.name]
        cache_modifier: Any = ob.modifiers.get(name)
        if cache_modifier is not None:
            cache_modifier.filepath, ob.gpbd.cache_file = (path, cache_file) if same_file else (whole, whole)
            ob.gpbd.cache_origin = origin
            attributes.point(ob)
            curve_playback.point(ob)
    _played.clear()


def _go_on() -> None:
    for one in list(_waiting):
        left = [plan for plan in collecting.plans(*one) if not collecting.at_once(plan)]
        if not left:
            _waiting.remove(one)
    overview.soon()
    if _waiting and not bpy.app.background:
        if not bpy.app.timers.is_registered(_begin):
            bpy.app.timers.register(_begin, first_interval=0.0)
        return
    while _waiting:
        try:
            CollectJob(bpy.context.scene, *_waiting.pop(0)).run()
        except GpbdError as error:
            print(f"GPBD: {error}")


def _begin() -> float | None:
    """Begin the operator that shows its progress, once no other job runs."""
    window = next(iter(bpy.context.window_manager.windows), None)
    if window is None or not _waiting:
        return None
    operators: Any = bpy.ops
    with bpy.context.temp_override(window=window):
        if not operators.gpbd.collect_caches.poll():
            return AGAIN
        file, before, is_copy = _waiting.pop(0)
        operators.gpbd.collect_caches("INVOKE_DEFAULT", file=file, before=before, is_copy=is_copy)
    return AGAIN if _waiting else None


def end() -> None:
    """Stop waiting."""
    _waiting.clear()
    if bpy.app.timers.is_registered(_begin):
        bpy.app.timers.unregister(_begin)
