"""Text of more than one line; Blender's labels do not wrap."""

from __future__ import annotations

import textwrap
from typing import Any

import bpy

CHARACTER_WIDTH = 5.6  # pixels of an average character at scale 1 of the interface
MARGIN = 66  # pixels of panel borders, box borders and the icon


def draw_paragraph(layout: Any, context: bpy.types.Context, text: str, icon: str = "NONE", width: float = 0.0) -> None:
    """Draws `text` in as many lines as its width needs; the icon stands before the first.

    width: of a popover [pixels at scale 1 of the interface]; 0 is that of the region.
    """
    scale = context.preferences.system.ui_scale
    width = width or (context.region.width / scale if context.region else 400)
    characters = max(20, int((width - MARGIN) / CHARACTER_WIDTH))
    column = layout.column(align=True)
    column.scale_y = 0.8
    for k, line in enumerate(textwrap.wrap(text, characters, break_long_words=False)):
        column.label(text=line, icon="BLANK1" if k and icon != "NONE" else icon if not k else "NONE")
