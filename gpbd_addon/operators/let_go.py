"""Release vertices that the grab tool has pinned or frozen."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty

from ...solver.errors import GpbdError
from .. import messages
from ..bake import hands
from ..bake.redraw import redraw_views
from ..live import shown
from ..translations import tr
from .grab import hit_at


class GPBD_OT_let_go(bpy.types.Operator):
    """Release the vertices that the grab tool holds: those under its brush, or all"""

    bl_idname = "gpbd.let_go"
    bl_label = "Let Go"

    everything: BoolProperty(name="Everything", description="All held vertices, not only those under the mouse")

    @classmethod
    def poll(cls, context):
        if not any(hands.all_of()):
            cls.poll_message_set("Nothing is held")
            return False
        return True

    def invoke(self, context, event):
        if self.everything:
            return self.execute(context)
        scene = context.scene
        try:
            hit = hit_at(context, (event.mouse_region_x, event.mouse_region_y))
            if hit is None:
                return {"PASS_THROUGH", "CANCELLED"}
            radius = scene.gpbd.grab_radius / scene.unit_settings.scale_length
            rows, _ = shown.within(shown.world_positions(scene, hit.body), hit.point, radius, hit.face)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        if not hands.let_go(hit.body.gpbd.uuid, rows):
            self.report({"INFO"}, tr("Nothing is held there"))
        redraw_views()
        return {"FINISHED"}

    def execute(self, context):
        hands.clear()
        redraw_views()
        return {"FINISHED"}
