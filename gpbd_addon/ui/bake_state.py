"""State of the bake, under *Bake*: its frames, its faults and its notes."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..bake import cache_path, overview, versions, watch
from ..bake.differences import shown
from ..live import player
from .cache_state import is_elsewhere, notes, problems
from .findings import draw_findings
from .intersections_left import draw_intersections
from .message import draw_message
from .paragraph import draw_paragraph


def draw(layout: bpy.types.UILayout, context: bpy.types.Context, ob: bpy.types.Object) -> None:
    """ob: a body."""
    _draw_box(layout, context, ob)
    draw_findings(layout, context)


def _draw_box(layout: bpy.types.UILayout, context: bpy.types.Context, ob: bpy.types.Object) -> None:
    """None where there is nothing in it: it would be a dark bar."""
    manager = context.window_manager
    path = cache_path.of(ob)
    is_busy = bool(manager.gpbd_status) or watch.is_draping()  # and plays or collects something else meanwhile
    problem_texts, note_texts = problems(ob, path), [] if is_busy else notes(ob)
    reports = overview.of(context.scene).reports.get(path)
    says_simulate = path is None and context.scene.gpbd.live  # see `live.py`
    at_rest = not manager.gpbd_status and player.running(context.scene) is None and not says_simulate
    crossing = reports is not None and bool(reports.intersections_left()[1])
    if not (at_rest or problem_texts or note_texts or crossing):
        return
    box = layout.box()
    if at_rest:
        draw_paragraph(box, context, _extent(context, ob, path) or "Not baked yet", "FILE_CACHE")
        _draw_outdated(box, context)
        if path is not None:
            _draw_play(box, context.scene, manager.gpbd_baked_to)
    for problem in problem_texts:
        draw_message(box, context, problem, "ERROR")
    draw_intersections(box, ob, reports)
    for note in note_texts:
        draw_message(box, context, note, "INFO")
    if cache_path.is_saved() and is_elsewhere(ob, path) and not is_busy:
        box.operator("gpbd.collect_caches", icon="FILE_FOLDER")


def _extent(context: bpy.types.Context, ob: bpy.types.Object, path: Path | None) -> str:
    """Return the extent of the cache that a body plays, as last seen; "" of one that cannot be read."""
    header = overview.of(context.scene).headers.get(path)
    if path is None or header is None:
        return str(ob.gpbd.cache_info)
    return "" if isinstance(header, str) else versions.extent(path, header)


def _draw_play(box: bpy.types.UILayout, scene: bpy.types.Scene, baked_to: int) -> None:
    """Right after a bake, while the window is at its first or last frame. baked_to: the frame that it ended at."""
    first, at = scene.gpbd.range_owner.frame_start, scene.frame_current
    if at not in (first, baked_to) or baked_to < first:
        return
    box.label(text="Press Space to play", icon="PLAY")
    end = scene.frame_preview_end if scene.use_preview_range else scene.frame_end
    if first < at == baked_to < end:  # playing continues to frames that are not baked
        box.operator("screen.frame_jump", text="To the First Frame", icon="REW").end = False


def _draw_outdated(box: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the differences between the scene and the bake that plays."""
    known = overview.of(context.scene)
    if known.changed and not (known.playing and known.playing.live):
        draw_paragraph(box, context, f"Outdated: {shown(known.changed)}", "FILE_REFRESH")
    cut_off = known.resumable
    if cut_off is not None and cut_off is not known.playing and known.locks:
        draw_message(box, context, f"Bake: {cut_off.label} was cut off. Press Resume to go on with it.", "INFO")
