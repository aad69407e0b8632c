"""Colliders that keep more distance than there is room at the first frame, with a button each."""

from __future__ import annotations

import bpy

from ..bake import overview
from .paragraph import draw_paragraph


def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """As the last bake or check found them."""
    for padding in overview.of(context.scene).too_thick:
        box = layout.box()
        keeps, room, fits = (1e3 * length for length in (padding.thickness, padding.clearance, padding.fits))
        draw_paragraph(
            box,
            context,
            f"{padding.collider} keeps {keeps:.3g} mm, a body starts {room:.3g} mm away: {fits:.3g} mm fits",
            "ERROR",
        )
        box.operator("gpbd.set_outer_thickness", text=f"Set {padding.setting}").collider = padding.collider
