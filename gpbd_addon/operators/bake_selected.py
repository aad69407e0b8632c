"""Bake some bodies of the scene, while the others play their caches."""

from __future__ import annotations

import bpy

from ..read import taking_part
from .bake import ModalBake
from .selection import chosen


class GPBD_OT_bake_selected(ModalBake, bpy.types.Operator):
    """Bake the selected bodies only. The others play their caches and push them, and are not pushed back"""

    bl_idname = "gpbd.bake_selected"
    bl_label = "Bake Selected"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if not any(ob.gpbd.body_type != "NONE" for ob in chosen(context)):
            cls.poll_message_set("Select GPBD bodies first")
            return False
        return True

    def _names(self, context):
        picked = chosen(context)
        simulated = [ob.name for ob in taking_part.simulated(context.scene) if ob in picked]
        return simulated or [ob.name for ob in picked if ob.gpbd.body_type != "NONE"]  # of which the bake says why not
