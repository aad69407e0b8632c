"""Text of more than one line; Blender's labels do not wrap."""

from __future__ import annotations

import textwrap
from typing import Any

import bpy

from ..translations import tr

CHARACTER_WIDTH = 5.6  # pixels of an average character at scale 1 of the interface
MARGIN = 66  # pixels of panel borders, box borders and the icon


#: From this character on they are twice as wide, and a line may end after any of them.
WIDE = "\u2e80"


def wrapped(text: str, characters: int) -> list[str]:
    """Its lines, of so many characters."""
    if any(one >= WIDE for one in text):
        return textwrap.wrap(text, max(characters // 2, 1))
    return textwrap.wrap(text, characters, break_long_words=False)


def draw_paragraph(layout: Any, context: bpy.types.Context, text: str, icon: str = "NONE", width: float = 0.0) -> None:
    """Draws `text`, translated, in as many lines as its width needs; the icon stands before the first.

    width: of a popover [pixels at scale 1 of the interface]; 0 is that of the region.
    """
    text = tr(text)
    scale = context.preferences.system.ui_scale
    width = width or (context.region.width / scale if context.region else 400)
    characters = max(20, int((width - MARGIN) / CHARACTER_WIDTH))
    column = layout.column(align=True)
    column.scale_y = 0.8
    for k, line in enumerate(wrapped(text, characters)):
        column.label(text=line, icon="BLANK1" if k and icon != "NONE" else icon if not k else "NONE")
