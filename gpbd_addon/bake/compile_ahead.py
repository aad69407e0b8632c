"""Kernels of the first scenes of a user, compiled by a process of low priority once the extension is enabled, so that the
first bake finds them. It stops while a job runs, which has all cores then, and continues after it: compiled kernels are
kept. Two Blenders do not compile at once; the later one polls whether it is needed.
"""

from __future__ import annotations

import bpy

from ...solver.cache.lock import Lock
from ...solver.device import ahead, jit
from ...solver.errors import GpbdError, LockedError
from ..identifiers import ADDON_ID
from ..read import taking_part
from . import idle_solver, kernel_cache
from .redraw import redraw

#: It begins so long after Blender has time, or after a job; it is looked so often how far it is, and whether another Blender
#: has ended [s].
BEGIN, LOOK, LOOK_OTHER = 2.0, 0.5, 30.0
LOCK = "ahead.lock"

#: What went wrong, as sentences.
problems: list[str] = []
_compiling: ahead.Compiling | None = None
_lock: Lock | None = None
_waits = False  # for another Blender


def begin() -> None:
    """In a moment, where Blender has a window and the user's own settings, and nothing went wrong before; does nothing where
    all is compiled."""
    if bpy.app.background or bpy.app.factory_startup or problems:
        return
    if not bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.register(_go_on, first_interval=BEGIN, persistent=True)


def end() -> None:
    """Stop compiling; `begin` continues it."""
    if bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.unregister(_go_on)
    _stop()


def progress() -> tuple[int, int] | None:
    """Return the number of compiled kernels, and of all; None where none is being compiled."""
    return None if _compiling is None else _compiling.progress


def waits() -> bool:
    """Return whether another Blender compiles them."""
    return _waits


def _go_on() -> float | None:
    """Begin, or look how far it is; return when to look again [s]."""
    try:
        if _compiling is None and _is_wanted():
            _start()
        before = progress()
        if _compiling is not None and not _compiling.finished(0.0):
            if progress() != before or before is None:
                redraw()
            return LOOK
        if _compiling is not None:
            problems[:] = _compiling.wait()
            if taking_part.simulated(bpy.context.scene):
                idle_solver.prepare()
    except LockedError:
        _show_waiting()
        return LOOK_OTHER
    except GpbdError as error:
        problems[:] = [str(error)]
    _stop()
    redraw()
    return None


def _start() -> None:
    """Raises: LockedError where another Blender compiles; GpbdError where no process or file can be made."""
    global _compiling, _lock, _waits
    kernel_cache.prepare()
    folder, _waits = jit.cache_folder(), False
    if folder is None or not ahead.lacks(ahead.COMMON):
        return
    lock = Lock(folder / LOCK)
    lock.take()
    _lock = lock
    _compiling = ahead.start(ahead.COMMON, gently=True)


def _stop() -> None:
    global _compiling, _lock, _waits
    if _compiling is not None:
        _compiling.stop()
    if _lock is not None:
        _lock.release()
    _compiling, _lock, _waits = None, None, False


def _show_waiting() -> None:
    global _waits
    _waits = True
    redraw()


def _is_wanted() -> bool:
    """Return whether Preferences want kernels compiled; a clone that Blender runs as a script has no preferences."""
    addon = bpy.context.preferences.addons.get(ADDON_ID)
    return addon is None or addon.preferences is None or addon.preferences.compile_ahead
