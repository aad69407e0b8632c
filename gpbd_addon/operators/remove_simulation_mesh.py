"""Puts a garment back as it was before it had a simulation mesh."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import StringProperty

from ...solver.errors import GpbdError, SceneError
from .. import messages
from ..properties import copied
from ..simulation_mesh import gpbd_keys, twin
from .add_body import check


def remove(ob: bpy.types.Object) -> Any:
    """The garment, which is a body again where it was one, with the settings that its simulation mesh has by now.

    ob: the garment or its simulation mesh. Raises: SceneError if it is none, in edit mode or not editable.
    """
    garment, its_mesh = twin.either(ob)
    if garment is None:
        raise SceneError(
            "The active object has no simulation mesh; wanted one that has, or is one. Click it, then try again."
        )
    check(garment)
    was = twin.noted_state(garment).get("body_type", "NONE")
    garment.gpbd.body_type = was
    if was != "NONE" and its_mesh is not None:
        copied.copy(its_mesh, garment)
        if its_mesh.gpbd.follow_object == garment.parent:
            garment.gpbd.property_unset("follow_object")
        gpbd_keys.move(its_mesh, garment)
    twin.remove(garment)
    return garment


class GPBD_OT_remove_simulation_mesh(bpy.types.Operator):
    """Remove the simulation mesh. The garment gets its modifiers back, and its settings if it was a body"""

    bl_idname = "gpbd.remove_simulation_mesh"
    bl_label = "Remove Simulation Mesh"
    bl_options = {"REGISTER", "UNDO"}

    object_name: StringProperty(name="Object", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return not context.window_manager.gpbd_status

    def execute(self, context):
        try:
            garment = remove(context.scene.objects.get(self.object_name) if self.object_name else context.object)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        context.view_layer.objects.active = garment
        garment.select_set(True)
        return {"FINISHED"}
