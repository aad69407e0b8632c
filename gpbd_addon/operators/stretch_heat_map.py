"""The stretch of a body as colours on its mesh."""

from __future__ import annotations

from typing import Any

import bpy

from ...solver.errors import GpbdError
from ..bridge import cache_path, contact_map, heat_map, modifier

ATTRIBUTE, MATERIAL = "VERTEX", "MATERIAL"  # what solid shading takes its colours from


def show_colours(context: bpy.types.Context) -> None:
    """All 3D views and Workbench show colour attributes while a body has a map on, and materials again when none has."""
    scene: Any = context.scene
    on = any(ob.gpbd.heat_map or ob.gpbd.contact_map for ob in scene.objects)
    windows = context.window_manager.windows
    areas = [area for window in windows for area in window.screen.areas if area.type == "VIEW_3D"]
    for shading in (scene.display.shading, *(space.shading for area in areas for space in area.spaces[:1])):
        if on:
            if shading.type not in ("SOLID", "WIREFRAME"):
                shading.type = "SOLID"
            shading.color_type = ATTRIBUTE
        elif shading.color_type == ATTRIBUTE:
            shading.color_type = MATERIAL


class GPBD_OT_stretch_heat_map(bpy.types.Operator):
    """Colour the active object by its stretch, at every frame: blue is at rest, red is stretched. Again: as it was"""

    bl_idname = "gpbd.stretch_heat_map"
    bl_label = "Stretch Heat Map"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob: Any = context.object
        if ob is None or ob.gpbd.body_type == "NONE" or context.window_manager.gpbd_status:
            return False
        return ob.mode == "OBJECT" and (ob.gpbd.heat_map or cache_path.of(ob) is not None)

    def execute(self, context):
        ob: Any = context.object
        try:
            modifier.check_editable(ob)
            if ob.gpbd.heat_map:
                heat_map.switch_off(ob)
            else:
                if ob.gpbd.contact_map:
                    contact_map.switch_off(ob)
                heat_map.switch_on(ob, context.scene)
        except GpbdError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        show_colours(context)
        return {"FINISHED"}
