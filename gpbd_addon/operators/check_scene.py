"""Looks for faults that would stop or spoil a bake."""

from __future__ import annotations

import json
import time

import bpy

from .. import messages
from ..bake import finding_objects, overview
from ..bake.scene_check import DONE, CheckJob
from .modal_job import ModalJob

READY = "The scene is ready to bake"


class GPBD_OT_check_scene(ModalJob, bpy.types.Operator):
    """Look for everything that would stop or spoil a bake. Soft bodies are filled with tetrahedra, which the bake uses"""

    bl_idname = "gpbd.check_scene"
    bl_label = "Check Scene"

    def _make(self, context):
        return CheckJob(context.scene)

    def _tell(self, context: bpy.types.Context, job: CheckJob) -> set:
        manager = context.window_manager
        manager.gpbd_findings.clear()
        for finding in job.findings:
            row = manager.gpbd_findings.add()
            row.text, row.button, row.operator = finding.text, finding.button, finding.operator
            row.stays, row.values = finding.stays, json.dumps(dict(finding.values))
            row.objects = json.dumps(finding_objects.named(finding.text, context.scene))
            messages.report(self, "WARNING", finding.text)
        padded = overview.look(context.scene).too_thick  # which the panel draws with its buttons
        for padding in padded:
            messages.report(self, "WARNING", str(padding))
        if job.state != DONE:
            self.report({"INFO"}, "The check was stopped; its findings are in the panel")
        elif not (job.findings or padded):
            self.report({"INFO"}, READY)
            row = manager.gpbd_findings.add()
            row.text, row.good = f"{READY}: checked at {time.strftime('%H:%M')}", True
        return {"FINISHED"}
