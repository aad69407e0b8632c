"""Repairs faults of a mesh that *Check Scene* has found."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, StringProperty

from .. import messages
from ..bake import mesh_faults
from ..translations import tr


class GPBD_OT_repair_mesh(bpy.types.Operator):
    """Repair this in the mesh. Undo reverts it"""

    bl_idname = "gpbd.repair_mesh"
    bl_label = "Repair Mesh"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    object_name: StringProperty(name="Object", options={"SKIP_SAVE"})
    fault: EnumProperty(
        name="Fault",
        items=[(name, fault.button, fault.tip) for name, fault in mesh_faults.FAULTS.items()],
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, context, properties):
        return tr(mesh_faults.FAULTS[properties.fault].tip)

    @classmethod
    def poll(cls, context):
        return not context.window_manager.gpbd_status

    def execute(self, context):
        ob = context.scene.objects.get(self.object_name)
        if ob is None or ob.type != "MESH" or not ob.is_editable or not ob.data.is_editable or ob.mode == "EDIT":
            text = f"{self.object_name}: is no mesh that can be edited here. Leave edit mode, and press Check Scene again."
            messages.report(self, "ERROR", text)
            return {"CANCELLED"}
        left = mesh_faults.repair(ob, self.fault)
        if left:
            text = mesh_faults.FAULTS[self.fault].text(left)
            messages.report(self, "WARNING", f"{ob.name}: left as they are: {text}")
        return {"FINISHED"}
