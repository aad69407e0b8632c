"""The stretch of a body as colours on its mesh."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..bake import cache_path
from ..maps import colour_display, contact_map, heat_map
from ..read import modifier


class GPBD_OT_stretch_heat_map(bpy.types.Operator):
    """Color the active object by its stretch, at every frame: blue is at rest, red is stretched. Press again to remove the colors"""  # noqa: E501

    bl_idname = "gpbd.stretch_heat_map"
    bl_label = "Stretch Heat Map"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        if ob is None or ob.gpbd.body_type == "NONE" or context.window_manager.gpbd_status:
            return False
        return ob.mode == "OBJECT" and (ob.gpbd.heat_map or cache_path.of(ob) is not None)

    def execute(self, context):
        ob = context.object
        try:
            modifier.check_editable(ob)
            if ob.gpbd.heat_map:
                heat_map.switch_off(ob)
            else:
                if ob.gpbd.contact_map:
                    contact_map.switch_off(ob)
                heat_map.switch_on(ob, context.scene)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        colour_display.show_in_views(context)
        return {"FINISHED"}
