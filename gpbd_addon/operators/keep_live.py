"""Keep the frames of live play as a version."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..live import keeping, state
from ..translations import tr
from .modal_job import poll_job


class GPBD_OT_keep_live(bpy.types.Operator):
    """Keep the frames that live play has solved as a version, as a bake would have written it"""

    bl_idname = "gpbd.keep_live"
    bl_label = "Keep"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        if state.keepable(context.scene) is None:
            cls.poll_message_set("Play all frames without a change of settings first")
            return False
        return poll_job(cls, context)

    def execute(self, context):
        try:
            kept = keeping.keep(context.scene)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, tr(f"Kept as {kept.label}: {kept.sentence()}."))
        return {"FINISHED"}
