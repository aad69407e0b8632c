"""Progress display of a modal operator: the panels' progress bar and the line at the window's foot."""

from __future__ import annotations

from typing import Any

import bpy

from ..bake.redraw import redraw
from ..translations import tr

_timers: list[Any] = []


def begin(context: bpy.types.Context, seconds: float) -> bpy.types.Timer:
    """A timer of the window for an operator."""
    timer = context.window_manager.event_timer_add(seconds, window=context.window)
    _timers.append(timer)
    return timer


def show(context: bpy.types.Context, job: Any, keys: str) -> None:
    """Show the progress of a job.

    job: has `progress`, 0 to 1, and `status`; of a bake the report's numbers are shown too. keys: text on the keys' actions.

    Blender draws the whole window: not too often.
    """
    manager = context.window_manager
    good, wrong = job.report.now() if hasattr(job, "report") else ([], [])
    status = tr(job.status)
    manager.gpbd_progress, manager.gpbd_status = job.progress, status
    manager.gpbd_numbers, manager.gpbd_problems = "\n".join(map(tr, good)), "\n".join(map(tr, wrong))
    context.workspace.status_text_set(f"GPBD: {status}    {tr(keys)}")
    for area in context.screen.areas:
        if area.type in ("PROPERTIES", "PREFERENCES"):
            area.tag_redraw()


def end(context: bpy.types.Context, timer: Any) -> None:
    """End the operator's timer and remove its progress display; also when Blender closes and has no workspace left."""
    manager = context.window_manager
    if timer in _timers:
        _timers.remove(timer)
        manager.event_timer_remove(timer)
    manager.gpbd_progress = 0.0
    manager.gpbd_status = manager.gpbd_numbers = manager.gpbd_problems = ""
    redraw()  # Blender draws the area where the operator began, which may be a 3D view
    if context.workspace is not None:
        context.workspace.status_text_set(None)


def end_all() -> None:
    """The same of every operator: Blender forgets operators of a class that is unregistered, without a call."""
    for timer in list(_timers):
        end(bpy.context, timer)
