"""Remove what Install CUDA Support has installed."""

from __future__ import annotations

import bpy

from .. import user_folder
from ..bake.cuda_job import CudaJob
from .modal_job import ModalJob, poll_job


class GPBD_OT_remove_cuda(ModalJob, bpy.types.Operator):
    """Remove the packages that Install CUDA Support has installed"""

    bl_idname = "gpbd.remove_cuda"
    bl_label = "Remove CUDA Support"
    bl_options = {"REGISTER", "INTERNAL"}

    hint = "Removing"

    @classmethod
    def poll(cls, context):
        if not user_folder.cuda_folder().is_dir():
            cls.poll_message_set("No CUDA support is installed")
            return False
        return poll_job(cls, context)

    def _make(self, context):
        return CudaJob(context.scene, None)

    def _tell(self, context, job):
        self.report({"INFO"}, "CUDA support is removed")
        return {"FINISHED"}
