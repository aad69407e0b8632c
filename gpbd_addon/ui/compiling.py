"""How far kernels are compiled that are compiled before a bake asks for them."""

from __future__ import annotations

from typing import Any

from ..bake import compile_ahead
from ..translations import tr


def draw_compiling(layout: Any) -> None:
    """Draws nothing where nothing is compiled."""
    progress = compile_ahead.progress()
    if progress is not None:
        done, count = progress
        layout.progress(factor=done / max(count, 1), text=tr(f"Compiling kernels {done} of {count}"))
