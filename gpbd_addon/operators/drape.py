"""Drape the bodies."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty

from .. import messages
from ..bake.drape_job import CANCELLED, SHAPE_KEY, START, DrapeJob
from ..translations import tr
from .modal_job import ModalJob


class GPBD_OT_drape(ModalJob, bpy.types.Operator):
    """Let all GPBD bodies come to rest under gravity, with pins and colliders as they are at this frame"""

    bl_idname = "gpbd.drape"
    bl_label = "Drape"
    bl_options = {"UNDO"}

    result: EnumProperty(
        name="Result",
        items=[
            (SHAPE_KEY, "Shape Key", "A shape key of each mesh, with value 1"),
            (START, "Start", "Start shape of the simulation; each mesh keeps its shape"),
        ],
        default=START,
    )
    threshold: FloatProperty(
        name="At Rest Below",
        description="At rest when the remaining force is below this share of the weight",
        default=0.05,
        min=1e-4,
        max=1,
    )
    steps: IntProperty(
        name="Steps", description="Largest number of steps; then it ends with a warning", default=1000, min=60, max=100000
    )

    hint = "Enter: keep it as it is    Esc: stop, change nothing"

    def _make(self, context):
        return DrapeJob(context.scene, self.result, self.threshold, self.steps)

    def modal(self, context, event):
        if event.type in {"RET", "NUMPAD_ENTER"} and event.value == "PRESS":
            self._job.keep()
        return super().modal(context, event)

    def _tell(self, context, job):
        if job.state == CANCELLED:
            self.report({"INFO"}, "Stopped before the bodies were at rest; nothing was changed")
            return {"CANCELLED"}
        for warning in job.warnings:
            messages.report(self, "WARNING", warning)
        self.report({"INFO"}, " ".join(map(tr, job.reported)))
        return {"FINISHED"}
