"""*Live*: its switch, and how it goes."""

from __future__ import annotations

from typing import Any

import bpy

from ..bake import cache_path, hands, overview
from ..bake.plain_number import PlainNumber
from ..live import player, state
from ..translations import tr
from .bake_progress import draw_bar
from .label_width import row_width, text_width
from .message import draw_message
from .paragraph import draw_paragraph

#: By which a menu is wider than its text; and the button *Keep* [pixels at scale 1].
MENU_PADDING, KEEP = 30, 22


def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the rows of live play; nothing while a bake runs."""
    if context.window_manager.gpbd_status:
        return
    settings: Any = context.scene.gpbd
    row = layout.row(align=True)
    if settings.live and overview.of(context.scene).bake_plays:
        row.operator("gpbd.go_live", text="Live", icon="PLAY")
        return
    halves = row.split(factor=_live_share(settings), align=True)
    halves.prop(settings, "live", toggle=True, icon="PLAY")
    timing = halves.row(align=True)
    timing.enabled = settings.live
    timing.prop(settings, "live_timing", text="")
    if settings.live:
        row.operator("gpbd.keep_live", text="", icon="FILE_TICK")
        now = state.of(context.scene)
        _draw_state(layout, context, now)
        _draw_hands(layout, context, now.grabbed is not None)


def _live_share(settings: bpy.types.bpy_struct) -> float:
    """Return the share of the switch beside the menu: half, or less where an item of the menu needs the room."""
    menu = max(text_width(tr(item.name)) for item in settings.bl_rna.properties["live_timing"].enum_items)
    return max(0.25, min(0.5, 1 - (menu + MENU_PADDING) / (row_width() - KEEP)))


def _draw_state(layout: bpy.types.UILayout, context: bpy.types.Context, now: state.LiveState) -> None:
    body: Any = context.object
    if now.problem:
        draw_message(layout, context, now.problem, "ERROR")
    elif now.compiled is not None:
        draw_bar(layout, context, now.compiled, now.running)
    elif now.running:
        draw_paragraph(layout, context, now.sentence(), "TIME")
        if now.error:
            layout.label(text=tr(f"Solver error {PlainNumber(1e3 * now.error):.2g} mm"), icon="DRIVER_DISTANCE")
    elif cache_path.of(body) is None and not player.is_playing():
        draw_paragraph(layout, context, "Press Space to simulate", "PLAY")
    if now.changes:
        frame, what = now.changes[-1]
        draw_paragraph(layout, context, f"From frame {frame}: {what}. The first frame starts it again", "FILE_REFRESH")
    if now.grabbed is not None:
        draw_paragraph(layout, context, f"Grabbed from frame {now.grabbed} on. The first frame starts it again", "VIEW_PAN")


def _draw_hands(layout: bpy.types.UILayout, context: bpy.types.Context, grabbed: bool) -> None:
    """Draw the actions on grabs, once there are frames."""
    body: Any = context.object
    if cache_path.of(body) is None:
        return
    column = layout.column(align=True)
    row = column.row(align=True)
    row.operator("gpbd.freeze", icon="FREEZE", depress=hands.is_frozen(body.gpbd.uuid))
    if any(hands.all_of()):
        row.operator("gpbd.let_go", icon="X").everything = True
    if grabbed:  # in a row of its own: three words do not fit in every language
        column.operator("gpbd.record_grabs", text="Record", icon="REC")
    row = column.row(align=True)
    row.operator("gpbd.apply_shape", icon="CHECKMARK").result = "START"
    row.operator("gpbd.apply_shape", text="Shape Key", icon="SHAPEKEY_DATA").result = "SHAPE_KEY"
