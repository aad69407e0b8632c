"""Progress of a job: a bar, and the status of a running bake, check or drape."""

from __future__ import annotations

import bpy

from ..translations import tr
from .paragraph import lines

#: Of the region: pixels of panel borders and the rounded ends of a bar.
BAR_MARGIN = 40


def draw_progress(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the progress of a running job; nothing where none runs."""
    manager = context.window_manager
    if not manager.gpbd_status:
        return
    draw_bar(layout, context, manager.gpbd_progress, manager.gpbd_status)
    column = layout.column(align=True)
    column.scale_y = 0.8
    for line in manager.gpbd_numbers.splitlines():
        column.label(text=line, icon="BLANK1")
    for line in manager.gpbd_problems.splitlines():
        column.label(text=line, icon="ERROR")
    column.label(text="Esc stops", icon="INFO")


def draw_bar(layout: bpy.types.UILayout, context: bpy.types.Context, share: float, text: str) -> None:
    """share: 0 to 1. Of a text that is too long for the bar the rest stands under it."""
    first, *others = lines(context, tr(text), margin=BAR_MARGIN) or [""]
    layout.progress(factor=share, text=first)
    for line in others:
        layout.label(text=line, icon="BLANK1")
