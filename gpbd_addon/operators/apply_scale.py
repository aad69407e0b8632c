"""Gives a mesh the scale of its object."""

from __future__ import annotations

import bpy
import mathutils
from bpy.props import StringProperty

from ...solver.errors import GpbdError
from .. import messages
from ..read.shared_mesh import check_unshared
from .add_body import check


def apply_scale(ob: bpy.types.Object) -> None:
    """Apply the scale without a change of shape, or of the children's places. Raises: SceneError if others would change."""
    check(ob)
    mesh: bpy.types.Mesh = ob.data  # type: ignore[assignment]
    check_unshared(ob)
    scale = mathutils.Matrix.Diagonal([ob.scale[k] for k in range(3)]).to_4x4()
    mesh.transform(scale, shape_keys=True)
    mesh.update()
    ob.scale = (1.0, 1.0, 1.0)
    for child in ob.children:
        child.matrix_parent_inverse = scale @ child.matrix_parent_inverse


class GPBD_OT_apply_scale(bpy.types.Operator):
    """Apply the scale of this object to its mesh"""

    bl_idname = "gpbd.apply_scale"
    bl_label = "Apply Scale"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    object_name: StringProperty(name="Object", options={"SKIP_SAVE"})

    def execute(self, context):
        try:
            apply_scale(context.scene.objects.get(self.object_name))
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
