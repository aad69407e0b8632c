"""What the panel says under *Bake*: what is baked, and what is wrong or worth knowing."""

from __future__ import annotations

from typing import Any

import bpy

from ..bake import cache_path, overview
from .cache_state import notes, problems
from .findings import draw_findings
from .intersections_left import draw_intersections
from .message import draw_message
from .paragraph import draw_paragraph


def draw(layout: Any, context: bpy.types.Context, ob: Any) -> None:
    """ob: a body."""
    box = layout.box()
    manager: Any = context.window_manager
    if not manager.gpbd_status:
        draw_paragraph(box, context, ob.gpbd.cache_info or "Not baked yet", "FILE_CACHE")
        _draw_outdated(box, context)
    for problem in problems(ob, cache_path.of(ob)):
        draw_message(box, context, problem, "ERROR")
    draw_intersections(box, ob, overview.of(context.scene).reports.get(cache_path.of(ob)))
    for note in notes(ob):
        draw_message(box, context, note, "INFO")
    draw_findings(layout, context)


def _draw_outdated(box: Any, context: bpy.types.Context) -> None:
    """What the bake that plays was not made with."""
    known = overview.of(context.scene)
    if known.changed:
        draw_paragraph(box, context, f"Outdated: {', '.join(known.changed)}", "FILE_REFRESH")
    cut_off = known.resumable
    if cut_off is not None and cut_off is not known.playing and known.locks:
        draw_message(box, context, f"Bake: {cut_off.label} was cut off. Press Resume to go on with it.", "INFO")
