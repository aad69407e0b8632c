"""What a running bake, check or drape shows of itself."""

from __future__ import annotations

from typing import Any

import bpy


def draw_progress(layout: Any, context: bpy.types.Context) -> None:
    """Draws nothing where nothing runs."""
    manager: Any = context.window_manager
    if not manager.gpbd_status:
        return
    layout.progress(factor=manager.gpbd_progress, text=manager.gpbd_status)
    column = layout.column(align=True)
    column.scale_y = 0.8
    for line in manager.gpbd_numbers.splitlines():
        column.label(text=line, icon="BLANK1")
    for line in manager.gpbd_problems.splitlines():
        column.label(text=line, icon="ERROR")
    column.label(text="Esc stops", icon="INFO")
