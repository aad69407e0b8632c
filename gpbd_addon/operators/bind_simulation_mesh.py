"""Ties a garment that was edited anew to its simulation mesh."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import StringProperty

from ...solver.errors import GpbdError
from .. import messages
from ..simulation_mesh import twin
from .add_body import check


class GPBD_OT_bind_simulation_mesh(bpy.types.Operator):
    """Bind the garment again to its simulation mesh, in their present shapes"""

    bl_idname = "gpbd.bind_simulation_mesh"
    bl_label = "Bind Again"
    bl_options = {"REGISTER", "UNDO"}

    object_name: StringProperty(name="Object", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return not context.window_manager.gpbd_status

    def execute(self, context):
        ob: Any = context.scene.objects.get(self.object_name) if self.object_name else twin.either(context.object)[0]
        try:
            check(ob)
            twin.bind(ob, context.scene)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
