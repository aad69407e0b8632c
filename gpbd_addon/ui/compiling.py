"""Progress of compiling kernels ahead of a bake."""

from __future__ import annotations

import bpy

from ..bake import compile_ahead
from .bake_progress import draw_bar


def draw_compiling(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw nothing where nothing is compiled."""
    progress = compile_ahead.progress()
    if progress is not None:
        done, count = progress
        draw_bar(layout, context, done / max(count, 1), f"Compiling kernels {done} of {count}")
