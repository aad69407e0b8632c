"""Saving a file takes the caches along that it baked while it was unsaved.

The file that is written names them where they will be: it is asked for them by the machine that renders it. Here they play
from where they are until they are there, at once on the same disk, else when a worker has copied them.
"""

from __future__ import annotations

import os
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...solver.errors import GpbdError
from ..read import modifier
from . import attributes, cache_path, collecting, overview, watch
from .collect_job import CollectJob

#: How soon it is tried again to begin where something else is going on [s].
AGAIN = 0.5

#: Files whose caches are still to be brought, and whether the session goes on playing its own.
_waiting: list[tuple[str, bool]] = []
#: Identity -> what the body plays, while the file is written.
_before: dict[str, str] = {}


@persistent
def before_save(file: str = "", *_: Any) -> None:
    """Of `save_pre`."""
    _restore()
    attributes.follow_scene()
    if not file:
        return  # a startup file has no folder
    for plan in collecting.plans(file):
        for ob in bpy.data.objects:
            found, played = modifier.find(ob), cache_path.of(ob)
            if ob.is_editable and found is not None and played in plan.caches:
                _before[ob.gpbd.uuid] = str(played)  # whole: what is relative is so to another file afterwards
                found.filepath = ob.gpbd.cache_file = str(plan.caches[played])
                attributes.point(ob)


@persistent
def after_save(file: str = "", *_: Any) -> None:
    """Of `save_post`."""
    _restore()
    is_copy = not bpy.data.filepath or os.path.abspath(bpy.data.filepath) != os.path.abspath(file)
    if file and collecting.plans(file, is_copy):
        _waiting.append((file, is_copy))
        watch.when_idle(_go_on)


@persistent
def after_failed_save(*_: Any) -> None:
    """Of `save_post_fail`."""
    _restore()


@persistent
def before_load(*_: Any) -> None:
    """Of `load_pre`: what was not brought yet is found where it is when its file is opened again."""
    _waiting.clear()
    _before.clear()


@persistent
def find_caches(*_: Any) -> None:
    """Of `load_post`, `undo_post` and `redo_post`."""
    collecting.relink()


def _restore() -> None:
    for ob in bpy.data.objects:
        found = modifier.find(ob)
        if found is not None and ob.gpbd.uuid in _before:
            found.filepath = ob.gpbd.cache_file = _before[ob.gpbd.uuid]
            attributes.point(ob)
    _before.clear()


def _go_on() -> None:
    for file, is_copy in list(_waiting):
        left = [plan for plan in collecting.plans(file, is_copy) if not collecting.at_once(plan)]
        if not left:
            _waiting.remove((file, is_copy))
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
    """Begins the operator that shows how far it is, once nothing else is going on."""
    window = next(iter(bpy.context.window_manager.windows), None)
    if window is None or not _waiting:
        return None
    operators: Any = bpy.ops
    with bpy.context.temp_override(window=window):
        if not operators.gpbd.collect_caches.poll():
            return AGAIN
        file, is_copy = _waiting.pop(0)
        operators.gpbd.collect_caches("INVOKE_DEFAULT", file=file, keep=is_copy)
    return AGAIN if _waiting else None


def end() -> None:
    """Waits no more."""
    _waiting.clear()
    if bpy.app.timers.is_registered(_begin):
        bpy.app.timers.unregister(_begin)
