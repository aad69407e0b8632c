"""Overlay of live play in windows: its speed, beside the playhead and in 3D views, and the grabs."""

from __future__ import annotations

from typing import Any

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ..bake import hands
from ..messages import two_lines
from ..read import taking_part
from ..translations import tr
from . import player, shown, state

#: [pixels at a resolution scale of 1]
SIZE, LINE, LEFT, BELOW_TOP, BESIDE = 12.0, 18.0, 9.0, 110.0, 6.0
COLOUR = (1.0, 0.75, 0.2, 1.0)
DRAWN, HELD, POINT, WIDTH = (1.0, 0.75, 0.2, 1.0), (0.3, 0.9, 1.0, 1.0), 6.0, 2.0
_handles: list[tuple[Any, Any]] = []


def _write(text: str, x: float, y: float) -> None:
    scale = bpy.context.preferences.system.ui_scale
    blf.size(0, SIZE * scale)
    blf.color(0, *COLOUR)
    blf.position(0, x, y, 0)
    blf.draw(0, text)


def _draw_in_view() -> None:
    context: Any = bpy.context
    written = lines(context.scene, state.of(context.scene)) if context.space_data.overlay.show_overlays else []
    scale = context.preferences.system.ui_scale
    tools = sum(region.width for region in context.area.regions if region.type == "TOOLS" and region.alignment == "LEFT")
    for k, text in enumerate(written):
        _write(text, tools + LEFT * scale, context.region.height - (BELOW_TOP + LINE * k) * scale)


def lines(scene: bpy.types.Scene, now: state.LiveState) -> list[str]:
    """Return the text of 3D views: the current work, else the problem that prevents it; none where a bake plays."""
    if now.sentence():
        return [f"GPBD: {tr(now.sentence())}"]
    if not now.problem or not player.is_on(scene):
        return []
    return [f"GPBD: {line}" for line in two_lines(tr(now.problem))]


def _draw_beside_play_head() -> None:
    context: Any = bpy.context
    now = state.of(context.scene)
    if now.rate:
        x, _ = context.region.view2d.view_to_region(context.scene.frame_current, 0.0, clip=False)
        scale = context.preferences.system.ui_scale
        _write(tr(now.rate_words()), x + 4 * BESIDE * scale, BESIDE * scale)


def _draw_holds() -> None:
    """Draw a point at each hand with a line to the vertices that it pulls, and points at held vertices."""
    context: Any = bpy.context
    scene, holds = context.scene, list(hands.all_of())
    if not holds or not context.space_data.overlay.show_overlays:
        return
    bodies = {ob.gpbd.uuid: ob for ob in taking_part.simulated(scene)}
    for hold in holds:
        body = bodies.get(hold.body)
        if body is None:
            continue
        x = shown.world_positions(scene, body)
        if hold.vertices.max() >= len(x):
            continue
        there = x[hold.vertices]
        if hold.is_held:
            _draw("POINTS", there, HELD)
        else:
            middle = hold.shares @ there / hold.shares.sum()
            _draw("LINES", np.array([middle, hold.place]), DRAWN)
            _draw("POINTS", np.array([hold.place]), DRAWN)


def _draw(kind: str, places: np.ndarray, colour: tuple[float, ...]) -> None:
    lines = kind == "LINES"
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR" if lines else "UNIFORM_COLOR")
    batch = batch_for_shader(shader, kind, {"pos": places.astype(np.float32)})  # type: ignore[dict-item]
    if lines:
        shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
        shader.uniform_float("lineWidth", WIDTH)
    else:
        gpu.state.point_size_set(POINT)
    shader.uniform_float("color", colour)
    batch.draw(shader)


def register() -> None:
    if bpy.app.background:
        return
    for space, draw, kind in (
        (bpy.types.SpaceView3D, _draw_holds, "POST_VIEW"),
        (bpy.types.SpaceView3D, _draw_in_view, "POST_PIXEL"),
        (bpy.types.SpaceDopeSheetEditor, _draw_beside_play_head, "POST_PIXEL"),
    ):
        _handles.append((space, space.draw_handler_add(draw, (), "WINDOW", kind)))


def unregister() -> None:
    while _handles:
        space, handle = _handles.pop()
        space.draw_handler_remove(handle, "WINDOW")
