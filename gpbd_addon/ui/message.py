"""Message in a panel: the remedy, and under it the finding."""

from __future__ import annotations

import bpy

from ..messages import two_lines
from ..translations import tr
from .paragraph import draw_paragraph


def draw_message(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: str) -> None:
    """text: see `messages`. Wraps where the panel is narrower than its lines."""
    column = layout.column(align=True)
    for k, line in enumerate(two_lines(tr(text))):
        part = column.column(align=True)
        part.active = not k
        draw_paragraph(part, context, line, "BLANK1" if k else icon)
