"""Compile the solver's kernels before a scene needs them."""

from __future__ import annotations

import bpy

from .. import messages
from ..bake.kernel_job import KernelJob
from ..bake.stepped_job import DONE
from .modal_job import ModalJob


class GPBD_OT_compile_kernels(ModalJob, bpy.types.Operator):
    """Compile the solver for this computer now. It takes some minutes once; no first bake waits for it then"""

    bl_idname = "gpbd.compile_kernels"
    bl_label = "Compile Kernels"

    hint = "Esc: stop; compiled kernels stay"

    def _make(self, context):
        return KernelJob(context.scene)

    def _tell(self, context, job):
        for problem in job.problems:
            messages.report(self, "WARNING", problem)
        if job.state == DONE and not job.problems:
            self.report({"INFO"}, "All kernels are compiled")
        return {"FINISHED"}
