"""Delete the caches of the scene's bodies."""

from __future__ import annotations

import bpy

from ...solver.errors import GpbdError
from .. import messages
from ..bake import files
from ..read import scene_input
from .modal_job import poll_job


class GPBD_OT_clear_cache(bpy.types.Operator):
    """Delete the caches of all GPBD bodies of the scene; the meshes show their own shape again"""

    bl_idname = "gpbd.clear_cache"
    bl_label = "Clear Cache"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return poll_job(cls, context)

    def execute(self, context):
        try:
            gone = files.clear(scene_input.bodies_of(context.scene))
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        caches = sum(path.suffix == ".pc2" for path in gone)
        self.report({"INFO"}, f"Deleted {caches} caches." if caches else "There was no cache to delete.")
        return {"FINISHED"}
