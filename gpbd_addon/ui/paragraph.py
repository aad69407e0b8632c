"""Text of more than one line; Blender's labels do not wrap."""

from __future__ import annotations

import re
import textwrap

import bpy

from ..translations import tr

CHARACTER_WIDTH = 5.6  # pixels of an average character at scale 1 of the interface
MARGIN = 66  # pixels of panel borders, box borders and the icon
POPOVER_MARGIN = 20  # pixels of a popover's padding


#: From this character on they are twice as wide, and a line may end after any of them but before a closing one.
WIDE = "\u2e80"
#: Closing punctuation, which begins no line.
CLOSING = "、。，．：；！？）」』】"
#: One of them, or a word of others with the space after it.
PIECE = re.compile(f"[{WIDE}-\U0010ffff][{CLOSING}]*|[^{WIDE}-\U0010ffff\\s]+\\s*|\\s+")
#: The spaces inside a quantity such as "1 min 9 s", at which no line ends.
INSIDE = re.compile(r"(?<=\d) (?=(?:s|min|h|mm|cm|m|kB|MB|GB)\b)|(?<=\d min) (?=\d)|(?<=\d h) (?=\d)")
UNBROKEN = "\u00a0"


def wrapped(text: str, characters: int) -> list[str]:
    """Its lines, of so many characters."""
    if all(one < WIDE for one in text):
        whole = INSIDE.sub(UNBROKEN, text)
        return [line.replace(UNBROKEN, " ") for line in textwrap.wrap(whole, characters, break_long_words=False)]
    lines, used = [""], 0
    for piece in PIECE.findall(text):
        size = sum(1 + (one >= WIDE) for one in piece.rstrip())
        if used and used + size > characters:
            lines.append("")
            used = 0
        lines[-1] += piece
        used += size + len(piece) - len(piece.rstrip())
    return [line.strip() for line in lines]


def draw_paragraph(
    layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: str = "NONE", width: float = 0.0
) -> None:
    """Draw `text`, translated, in as many lines as its width needs; the icon stands before the first.

    width: of a popover [pixels at scale 1 of the interface]; 0 is that of the region.
    """
    column = layout.column(align=True)
    column.scale_y = 0.8
    for k, line in enumerate(lines(context, tr(text), width, POPOVER_MARGIN if width else MARGIN)):
        column.label(text=line, icon="BLANK1" if k and icon != "NONE" else icon if not k else "NONE")


def lines(context: bpy.types.Context, text: str, width: float = 0.0, margin: float = MARGIN) -> list[str]:
    """A translated text in lines of this width, see `draw_paragraph`. margin: of it, what text has no part of."""
    scale = context.preferences.system.ui_scale
    width = width or (context.region.width / scale if context.region else 400)
    return wrapped(text, max(20, int((width - margin) / CHARACTER_WIDTH)))
