"""Colliders that keep more distance than there is room at the first frame, with a button each."""

from __future__ import annotations

from typing import Any

import bpy

from ..read import clearance
from .paragraph import draw_paragraph


def draw(layout: Any, context: bpy.types.Context) -> None:
    """As the last bake or check found them."""
    for padding in clearance.too_thick(context.scene):
        box = layout.box()
        room = f"{padding.collider.name}: {1e3 * padding.thickness:.3g} mm, room: {1e3 * padding.clearance:.3g} mm"
        draw_paragraph(box, context, room, "ERROR")
        button = box.operator("gpbd.set_outer_thickness", text=f"Set Thickness Outer to {1e3 * padding.fits:.3g} mm")
        button.collider = padding.collider.name_full
