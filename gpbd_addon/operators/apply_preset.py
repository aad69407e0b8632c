"""Sets a body's material from a preset."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ...solver.errors import GpbdError
from ...solver.scene.presets import read_preset
from .. import messages
from ..read import body_material, modifier


class GPBD_OT_apply_preset(bpy.types.Operator):
    """Set the active object's material from this preset"""

    bl_idname = "gpbd.apply_preset"
    bl_label = "Apply Material Preset"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    path: StringProperty(name="Preset", subtype="FILE_PATH", options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        """What the preset says of itself; read when the pointer rests on it, not when the menu opens."""
        try:
            preset = read_preset(bpy.path.abspath(properties.path))
        except GpbdError as error:
            return str(error)
        return f"{preset.grade.capitalize()}: {preset.source}" if preset.source else preset.grade.capitalize()

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.gpbd.body_type != "NONE"

    def execute(self, context):
        try:
            modifier.check_editable(context.object)
            body_material.write_material(context.object, read_preset(bpy.path.abspath(self.path)))
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
