"""Colliders that keep more distance than there is room at the first frame, with a button each."""

from __future__ import annotations

from typing import Any

import bpy

from ..read import clearance
from .message import draw_message


def draw(layout: Any, context: bpy.types.Context) -> None:
    """As the last bake or check found them."""
    for padding in clearance.too_thick(context.scene):
        box = layout.box()
        draw_message(box, context, str(padding), "ERROR")
        button = box.operator("gpbd.set_outer_thickness", text=f"Set to {1e3 * padding.fits:.3g} mm", icon="CHECKMARK")
        button.collider = padding.collider.name_full
