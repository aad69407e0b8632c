"""Sets the material of a body, or of all selected ones, from a preset."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, StringProperty

from ...solver.errors import GpbdError
from ...solver.scene.presets import one_preset, read_preset
from .. import messages
from ..read import body_material, modifier, preset_facts
from .selection import chosen


class GPBD_OT_apply_preset(bpy.types.Operator):
    """Set the material of the active body, or of all selected ones, from this preset"""

    bl_idname = "gpbd.apply_preset"
    bl_label = "Apply Material Preset"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    path: StringProperty(name="Preset", subtype="FILE_PATH", options={"SKIP_SAVE"})
    selected: BoolProperty(name="Selected", description="All selected bodies take it", options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        """Return the description of the preset; read when the pointer rests on it, not when the menu opens."""
        return "\n".join(preset_facts.facts(one_preset(bpy.path.abspath(properties.path))))

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.gpbd.body_type != "NONE"

    def execute(self, context):
        objects = chosen(context) if self.selected else [context.object]
        bodies = [ob for ob in objects if ob.gpbd.body_type != "NONE"]
        try:
            preset = read_preset(bpy.path.abspath(self.path))
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        left_out = []
        for ob in bodies:
            try:
                modifier.check_editable(ob)
                body_material.write_material(ob, preset)
            except GpbdError as error:
                left_out.append(str(error))
        if len(left_out) == len(bodies):
            messages.report(self, "ERROR", left_out[0])
            return {"CANCELLED"}
        for text in left_out:
            messages.report(self, "WARNING", text)
        return {"FINISHED"}
