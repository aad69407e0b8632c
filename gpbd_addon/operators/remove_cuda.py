"""Remove the packages of Install CUDA Support."""

from __future__ import annotations

import bpy

from ..bake.cuda_job import CudaJob
from .modal_job import ModalJob


class GPBD_OT_remove_cuda(ModalJob, bpy.types.Operator):
    """Remove the packages that Install CUDA Support has installed"""

    bl_idname = "gpbd.remove_cuda"
    bl_label = "Remove CUDA Support"
    bl_options = {"INTERNAL"}

    hint = "Removing"

    _was_there = False

    def _make(self, context):
        job = CudaJob(context.scene, None)
        self._was_there = job.folder.is_dir()
        return job

    def _tell(self, context, job):
        self.report({"INFO"}, "CUDA support is removed" if self._was_there else "No CUDA support is installed")
        return {"FINISHED"}
