"""Makes a collider's outer thickness fit between it and the bodies that start near it."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ...solver.errors import SceneError
from .. import messages
from ..read import clearance


def set_outer_thickness(scene: bpy.types.Scene, name: str) -> clearance.Padding:
    """Sets that of the collider of this name. Raises: SceneError if it is no collider that is too thick."""
    found = next((padding for padding in clearance.too_thick(scene) if padding.collider == name), None)
    ob = next((ob for ob in scene.objects if ob.name_full == name), None)
    if found is None or ob is None:
        raise SceneError(f"'{name}': is no collider that keeps more than there is room. Press Check Scene.")
    ob.collision.thickness_outer = found.fits / scene.unit_settings.scale_length
    return found


class GPBD_OT_set_outer_thickness(bpy.types.Operator):
    """Set Thickness Outer of this collider to half the distance at which a body starts from it"""

    bl_idname = "gpbd.set_outer_thickness"
    bl_label = "Set Thickness Outer"
    bl_options = {"REGISTER", "UNDO"}

    collider: StringProperty(name="Collider", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return not context.window_manager.gpbd_status

    def execute(self, context):
        try:
            found = set_outer_thickness(context.scene, self.collider)
        except SceneError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{self.collider}: Thickness Outer is {1e3 * found.fits:.3g} mm now")
        return {"FINISHED"}
