"""GPUs of this computer: a worker detects them once, after a panel has requested them; kept until Blender ends or packages
change. Drawing never waits for it."""

from __future__ import annotations

import bpy

from ...solver.device.cuda import packages
from ...solver.device.cuda.probe import Found
from ...solver.device.worker import Worker
from ...solver.errors import GpbdError
from .. import user_folder
from . import kernel_cache
from .redraw import redraw

#: Interval between polls of the worker's result [s].
LOOK = 0.1

_found: Found | None = None
_asked: Worker | None = None


def found() -> Found | None:
    """Return the detected GPUs; None where not known yet: then a query starts in a moment, where there is a window."""
    if _found is None and not bpy.app.background and not bpy.app.timers.is_registered(_ask):
        bpy.app.timers.register(_ask, first_interval=0.0)
    return _found


def take(answer: Found) -> None:
    """Keep a result, and show it."""
    global _found
    _found = answer
    redraw()


def end() -> None:
    """Forget everything: the next query detects the GPUs again."""
    global _found, _asked
    _found = None
    if bpy.app.timers.is_registered(_ask):
        bpy.app.timers.unregister(_ask)
    if _asked is not None:
        _asked.close()
        _asked = None


def _ask() -> float | None:
    global _asked
    if _asked is None:
        kernel_cache.prepare()
        packages.set_folder(user_folder.cuda_folder())
        _asked = Worker("session:Session")
        _asked.ask("devices")
    if not _asked.answered():
        return LOOK
    worker, _asked = _asked, None
    try:
        take(worker.answer())
    except GpbdError as error:
        take(Found(why=str(error)))
    finally:
        worker.release()
    return None
