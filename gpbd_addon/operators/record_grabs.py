"""Record the grabs of live play as keyed grabs."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..live import player, recording
from ..read import taking_part
from ..translations import tr
from .modal_job import poll_job


class GPBD_OT_record_grabs(bpy.types.Operator):
    """Key all grabs, held vertices and frozen bodies since the first frame. A bake repeats them"""

    bl_idname = "gpbd.record_grabs"
    bl_label = "Record Grabs"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.gpbd.body_type != "NONE" and poll_job(cls, context)

    def execute(self, context):
        scene = context.scene
        player.stop()
        try:
            count = recording.record(scene, taking_part.simulated(scene))
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        player.end()
        self.report({"INFO"}, tr(f"Recorded as keyed grabs: {count}. Play or bake: they act again"))
        return {"FINISHED"}
