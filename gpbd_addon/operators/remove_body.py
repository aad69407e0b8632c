"""Takes an object out of the simulation."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..bake import attributes, curve_playback, playback
from .add_body import check


def remove_body(ob: bpy.types.Object) -> None:
    """Remove our modifier and reset all settings of the body; its cache file stays.

    Raises: SceneError if it is in edit mode or not editable.
    """
    check(ob)
    attributes.remove(ob)
    curve_playback.forget(ob)
    playback.remove(ob)
    _reset(ob.gpbd)


def _reset(group: bpy.types.bpy_struct) -> None:
    for prop in group.bl_rna.properties:
        if prop.identifier == "rna_type":
            continue
        if prop.type == "POINTER" and prop.is_readonly:  # a group of properties; what may be assigned names an object
            _reset(getattr(group, prop.identifier))
        elif not prop.is_readonly and not prop.is_skip_save:
            group.property_unset(prop.identifier)


class GPBD_OT_remove_body(bpy.types.Operator):
    """Take the active object out of the GPBD simulation; the cache file stays"""

    bl_idname = "gpbd.remove_body"
    bl_label = "Remove GPBD Body"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.gpbd.body_type != "NONE"

    def execute(self, context):
        try:
            remove_body(context.object)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
