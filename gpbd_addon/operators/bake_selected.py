"""Bake some bodies of the scene, while the others play their caches."""

from __future__ import annotations

import bpy

from ..read import taking_part
from .bake import ModalBake


class GPBD_OT_bake_selected(ModalBake, bpy.types.Operator):
    """Bake the selected bodies only. The others play their caches and push them, and are not pushed back"""

    bl_idname = "gpbd.bake_selected"
    bl_label = "Bake Selected"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if not _bodies(context):
            cls.poll_message_set("Select GPBD bodies first")
            return False
        return True

    def _names(self, context):
        bodies = _bodies(context)
        simulated = [ob.name for ob in taking_part.simulated(context.scene) if ob in bodies]
        return simulated or [ob.name for ob in bodies]  # of which the bake says why not


def _bodies(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the selected bodies; where there are none, the active one. A box selects without a new active object."""
    selected = [ob for ob in context.selected_objects if ob.gpbd.body_type != "NONE"]
    active = [ob for ob in (context.object,) if ob is not None and ob.gpbd.body_type != "NONE"]
    return selected or active
