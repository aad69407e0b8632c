"""Makes a collider's thickness fit between it and the bodies that start near it, or be as fine as a cloth."""

from __future__ import annotations

import bpy
from bpy.props import FloatProperty, StringProperty

from ...solver.errors import SceneError
from .. import messages
from ..read import clearance, collision_objects
from ..translations import tr


def set_outer_thickness(scene: bpy.types.Scene, name: str, wanted: float = 0.0) -> str:
    """Set the outer thickness of a collider to a distance [m], with 0 to the clearance at the start. Return a report.

    Raises: SceneError if there is no such collider, or with 0 none that is too thick.
    """
    ob = next((ob for ob in scene.objects if ob.name_full == name and collision_objects.may_be_used(ob)), None)
    fits = wanted or next((padding.fits for padding in clearance.too_thick(scene) if padding.collider == name), None)
    if fits is None or ob is None:
        raise SceneError(f"'{name}': is no collider that keeps more than there is room. Press Check Scene.")
    scale = scene.unit_settings.scale_length
    setting = collision_objects.thickness_label(ob, scale, fits)
    collision_objects.set_thickness(ob, scale, fits)
    return f"{setting} is {1e3 * fits:.3g} mm"


class GPBD_OT_set_outer_thickness(bpy.types.Operator):
    """Set Thickness Outer of this collider to fit the room beside it. Below Blender's minimum, set Own Thickness"""

    bl_idname = "gpbd.set_outer_thickness"
    bl_label = "Set Thickness Outer"
    bl_options = {"REGISTER", "UNDO"}

    collider: StringProperty(name="Collider", options={"SKIP_SAVE"})
    thickness: FloatProperty(
        name="Thickness",
        description="In meters; 0 is half the distance of the nearest body at the start",
        min=0.0,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        return not context.window_manager.gpbd_status

    def execute(self, context):
        try:
            sentence = set_outer_thickness(context.scene, self.collider, self.thickness)
        except SceneError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, tr(f"{self.collider}: {sentence} now"))
        return {"FINISHED"}
