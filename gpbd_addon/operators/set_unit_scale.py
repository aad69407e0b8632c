"""Says how many metres a Blender unit is."""

from __future__ import annotations

import bpy
from bpy.props import FloatProperty


class GPBD_OT_set_unit_scale(bpy.types.Operator):
    """Set the Unit Scale of the scene: meters per Blender unit"""

    bl_idname = "gpbd.set_unit_scale"
    bl_label = "Set Unit Scale"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    scale: FloatProperty(name="Scale", default=1.0, min=1e-4, max=1e4)

    def execute(self, context):
        context.scene.unit_settings.scale_length = self.scale
        return {"FINISHED"}
