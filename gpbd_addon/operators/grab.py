"""Draw at bodies with the mouse while they play live or are draped."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy_extras import view3d_utils

from ...solver.errors import GpbdError
from .. import messages
from ..bake import hands, overview, watch
from ..bake.redraw import redraw_views
from ..live import player, shown
from ..read import scene_input, taking_part
from ..translations import tr

#: Behind the last frame that is solved by more than so many a grab would change nothing that is seen.
BEHIND = 2
KEYS = "Let go: release    Hold there: Shift    Let go of all of it: X    Freeze all of it: F    Cancel: Esc"


def hit_at(context: bpy.types.Context, mouse: tuple[float, float]) -> shown.Hit | None:
    """The body under the mouse of a 3D view, or nearest to it. mouse: [pixels] of the region. Raises: CacheError."""
    region, view, scene = context.region, context.region_data, context.scene
    bodies = taking_part.simulated(scene)
    origin = view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    direction = view3d_utils.region_2d_to_vector_3d(region, view, mouse)
    hit = shown.under(scene, bodies, origin, direction)
    if hit is not None:
        return hit
    perspective = np.array(view.perspective_matrix)
    return shown.beside(scene, bodies, perspective, (region.width, region.height), mouse)


def may_grab(scene: bpy.types.Scene) -> bool:
    """Return whether bodies may play live, as far as is known without looking at them, or are draped."""
    playing = overview.last_of(scene).playing
    return watch.is_draping() or (scene.gpbd.live and (playing is None or playing.live))


def is_live(scene: bpy.types.Scene) -> bool:
    """Return whether bodies play live or are draped."""
    return watch.is_draping() or player.is_on(scene)


def beside(event: Any, mouse: tuple[int, int]) -> set[str]:
    """Handle a press beside all bodies: a click selects, and a drag moves no object, as Blender's own would."""
    if event.type != "LEFTMOUSE":
        return {"PASS_THROUGH", "CANCELLED"}
    select(mouse, event.shift)
    return {"CANCELLED"}


def select(mouse: tuple[int, int], toggle: bool) -> None:
    """Select the object under the mouse. mouse: in the region of a 3D view [pixels]."""
    bpy.ops.view3d.select("EXEC_DEFAULT", location=mouse, toggle=toggle)


class GPBD_OT_grab(bpy.types.Operator):
    """Drag cloth, soft bodies, rigid bodies and ropes with a spring while they play live"""

    bl_idname = "gpbd.grab"
    bl_label = "Grab Bodies"

    _hold: Any = None
    _body = ""
    _start: Any = None
    _button = ""

    @classmethod
    def poll(cls, context):
        area = getattr(context, "area", None)
        if area is None or area.type != "VIEW_3D" or context.mode != "OBJECT":
            return False
        if not may_grab(context.scene):
            cls.poll_message_set("Switch Live on, and let bodies play no bake")
            return False
        return True

    def invoke(self, context, event):
        scene, draping = context.scene, watch.is_draping()
        if not is_live(scene):
            self.report({"WARNING"}, tr("Switch Live on, and let bodies play no bake"))
            return {"CANCELLED"}
        last = player.solved(scene)
        if not draping and scene.frame_current < last - BEHIND and scene.frame_current != scene_input.range_of(scene)[0]:
            self.report({"WARNING"}, tr(f"Grabs act after frame {last}, the last that is solved: go there, or to the first"))
            return {"CANCELLED"}
        mouse = event.mouse_region_x, event.mouse_region_y
        try:
            if not draping:
                player.make_ready(scene)
            hit = hit_at(context, mouse)
            if hit is None:
                return beside(event, mouse)
            self._take(context, hit)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        self._button = event.type
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(tr(KEYS))
        if not (draping or player.is_playing()):
            bpy.ops.screen.animation_play()
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "MOUSEMOVE":
            self._drag(context, (event.mouse_region_x, event.mouse_region_y))
        elif event.type == self._button and event.value == "RELEASE":
            if event.shift:
                hands.pin(self._hold)
                return self._end(context, {"FINISHED"}, keep=True)
            return self._end(context, {"FINISHED"})
        elif event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            return self._end(context, {"CANCELLED"})
        elif event.type in {"X", "F"} and event.value == "PRESS":
            hands.let_go(self._body, None)
            if event.type == "F":
                hands.hold_all(self._body, len(shown.positions(context.scene, self._object(context))))
            return self._end(context, {"FINISHED"}, keep=True)
        else:
            return {"PASS_THROUGH"}
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Called by Blender when it takes the operator away."""
        self._end(context, {"CANCELLED"})

    def _take(self, context: bpy.types.Context, hit: shown.Hit) -> None:
        scene = context.scene
        settings, scale = scene.gpbd, scene.unit_settings.scale_length
        x = shown.world_positions(scene, hit.body)
        rows, shares = shown.within(x, hit.point, settings.grab_radius / scale, hit.face)
        self._body, self._start = hit.body.gpbd.uuid, hit.point
        self._hold = hands.grab(self._body, rows, shares, settings.grab_stiffness, hit.point)

    def _drag(self, context: bpy.types.Context, mouse: tuple[float, float]) -> None:
        """In the plane of the view through the point that was grabbed."""
        place = view3d_utils.region_2d_to_location_3d(context.region, context.region_data, mouse, self._start)
        hands.move(self._hold, np.array(place))
        redraw_views()

    def _object(self, context: bpy.types.Context) -> Any:
        return next(ob for ob in taking_part.simulated(context.scene) if ob.gpbd.uuid == self._body)

    def _end(self, context: bpy.types.Context, result: set[str], keep: bool = False) -> set[str]:
        if not keep:
            hands.let_go(self._body, self._hold.vertices)
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        redraw_views()
        return result
