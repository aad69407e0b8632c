"""GPUs of this computer: a worker detects them once, after a panel has requested them; kept until Blender ends or packages
change. Drawing never waits for it."""

from __future__ import annotations

import bpy

from ...solver.device.cuda.probe import DetectedDevices
from ...solver.device.worker import Worker
from ...solver.errors import GpbdError
from . import idle_solver
from .redraw import redraw

#: Interval between polls of the worker's result [s].
LOOK = 0.1

_detected: DetectedDevices | None = None
_query: Worker | None = None


def detected() -> DetectedDevices | None:
    """Return the detected GPUs; None where not known yet: then a query starts in a moment, where there is a window."""
    if _detected is None and not bpy.app.background and not bpy.app.timers.is_registered(_detect):
        bpy.app.timers.register(_detect, first_interval=0.0)
    return _detected


def take(devices: DetectedDevices) -> None:
    """Keep a result, and show it."""
    global _detected
    _detected = devices
    redraw()


def end() -> None:
    """Forget everything: the next query detects the GPUs again."""
    global _detected, _query
    _detected = None
    if bpy.app.timers.is_registered(_detect):
        bpy.app.timers.unregister(_detect)
    if _query is not None:
        _query.close()
        _query = None


def _detect() -> float | None:
    global _query
    if _query is None:
        idle_solver.set_folders()
        _query = Worker(idle_solver.SESSION)
        _query.submit("devices")
    if not _query.is_ready():
        return LOOK
    worker, _query = _query, None
    try:
        take(worker.result())
    except GpbdError as error:
        take(DetectedDevices(why=str(error)))
    finally:
        worker.release()
    return None
