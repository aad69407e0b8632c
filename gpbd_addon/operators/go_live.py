"""Let the bodies play live instead of a bake."""

from __future__ import annotations

import bpy

from ..bake import overview, trash
from ..read import taking_part
from .modal_job import poll_job


class GPBD_OT_go_live(bpy.types.Operator):
    """Simulate while the timeline plays, instead of playing a bake. The bake stays in the list of versions"""

    bl_idname = "gpbd.go_live"
    bl_label = "Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return poll_job(cls, context)

    def execute(self, context):
        context.scene.gpbd.live = True
        for ob in taking_part.simulated(context.scene):
            trash.forget(ob)
        overview.look(context.scene)
        return {"FINISHED"}
