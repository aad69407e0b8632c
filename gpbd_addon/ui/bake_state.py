"""State of the bake, under *Bake*: its frames, its faults and its notes."""

from __future__ import annotations

from typing import Any

import bpy

from ..bake import cache_path, overview, watch
from ..live import player
from .cache_state import is_elsewhere, notes, problems
from .findings import draw_findings
from .intersections_left import draw_intersections
from .message import draw_message
from .paragraph import draw_paragraph


def draw(layout: Any, context: bpy.types.Context, ob: Any) -> None:
    """ob: a body."""
    _draw_box(layout, context, ob)
    draw_findings(layout, context)


def _draw_box(layout: Any, context: bpy.types.Context, ob: Any) -> None:
    """None where there is nothing in it: it would be a dark bar."""
    manager: Any = context.window_manager
    path = cache_path.of(ob)
    problem_texts, note_texts = problems(ob, path), notes(ob)
    reports = overview.of(context.scene).reports.get(path)
    at_rest = not manager.gpbd_status and player.running(context.scene) is None
    crossing = reports is not None and bool(reports.intersections_left()[1])
    if not (at_rest or problem_texts or note_texts or crossing):
        return
    box = layout.box()
    if at_rest:
        readable = not isinstance(overview.of(context.scene).headers.get(path), str)
        draw_paragraph(box, context, (ob.gpbd.cache_info if readable else "") or "Not baked yet", "FILE_CACHE")
        _draw_outdated(box, context)
        _draw_play(box, context.scene, manager.gpbd_baked_to)
    for problem in problem_texts:
        draw_message(box, context, problem, "ERROR")
    draw_intersections(box, ob, reports)
    is_preview = watch.is_draping()  # which plays from a folder of its own
    for note in () if is_preview else note_texts:
        draw_message(box, context, note, "INFO")
    if bpy.data.is_saved and is_elsewhere(ob, path) and not is_preview:
        box.operator("gpbd.collect_caches", icon="FILE_FOLDER")


def _draw_play(box: Any, scene: Any, baked_to: int) -> None:
    """Right after a bake, while the window is at its first or last frame. baked_to: the frame that it ended at."""
    first, at = scene.gpbd.range_owner.frame_start, scene.frame_current
    if at not in (first, baked_to) or baked_to < first:
        return
    box.label(text="Press Space to play", icon="PLAY")
    end = scene.frame_preview_end if scene.use_preview_range else scene.frame_end
    if first < at == baked_to < end:  # playing continues to frames that are not baked
        box.operator("screen.frame_jump", text="To the First Frame", icon="REW").end = False


def _draw_outdated(box: Any, context: bpy.types.Context) -> None:
    """Draw the differences between the scene and the bake that plays."""
    known = overview.of(context.scene)
    if known.changed and not (known.playing and known.playing.live):
        draw_paragraph(box, context, f"Outdated: {', '.join(known.changed)}", "FILE_REFRESH")
    cut_off = known.resumable
    if cut_off is not None and cut_off is not known.playing and known.locks:
        draw_message(box, context, f"Bake: {cut_off.label} was cut off. Press Resume to go on with it.", "INFO")
