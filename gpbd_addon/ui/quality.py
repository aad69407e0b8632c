"""Choice of quality, and its cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...solver.scene.qualities import QUALITIES
from ..bake import cache_path, overview
from ..translations import tr
from .label_width import row_width, text_width
from .paragraph import draw_paragraph

if TYPE_CHECKING:
    from ..properties.scene_properties import GPBD_PG_scene

BUTTON_PADDING = 9  # by which a button is wider than its text [pixels at scale 1]


def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """A button a quality; none is pressed when the numbers are set by hand."""
    settings: Any = context.scene.gpbd
    names = [tr(item.name) for item in settings.bl_rna.properties["quality"].enum_items if item.identifier in QUALITIES]
    columns = 3 if 3 * (max(map(text_width, names)) + BUTTON_PADDING) <= row_width() else 2
    dial = layout.grid_flow(row_major=True, columns=columns, even_columns=True, align=True)
    for name in QUALITIES:
        dial.prop_enum(settings, "quality", name)


def draw_cost(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the cost of a frame."""
    body: Any = context.object
    reports = overview.of(context.scene).reports.get(cache_path.of(body))
    draw_paragraph(layout, context, cost(context.scene.gpbd, reports.seconds_a_frame if reports else 0.0), "TIME")


def cost(settings: GPBD_PG_scene, seconds: float) -> str:
    """Return the cost of a frame. seconds: its time in the last bake, 0 where there is none."""
    iterations = settings.substeps * settings.iterations
    draft = QUALITIES["DRAFT"]
    share = iterations / (draft[0] * draft[1])
    times = f", {share:.3g} times those of Draft" if share != 1 else ""
    text = f"{iterations} iterations a frame{times}"
    if settings.error_tolerance:
        text = f"At least {iterations} iterations a frame{times}"
    return f"{text}. Last bake: {seconds:.2g} s a frame" if seconds else text
