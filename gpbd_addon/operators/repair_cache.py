"""Repair damaged caches, after a list of the damage."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import StringProperty

from .. import messages
from ..bake import overview
from ..bake.differences import shown
from ..bake.repair import CANCELLED, RepairJob, VerifyJob
from ..translations import tr
from .modal_job import ModalJob


def in_background() -> bool:
    """Return whether Blender runs without a window: there is no dialog to confirm, and the call itself is consent."""
    return bpy.app.background


class GPBD_OT_repair_cache(ModalJob, bpy.types.Operator):
    """Find damaged frames of the playing caches, and copy them from another version or solve them again from the checkpoint before. All other frames stay"""  # noqa: E501

    bl_idname = "gpbd.repair_cache"
    bl_label = "Repair"

    planned: StringProperty(name="What is repaired", options={"HIDDEN", "SKIP_SAVE"})

    hint = "Esc: stop; repaired frames stay"

    def invoke(self, context, event):
        if in_background() or not self.planned:
            return super().invoke(context, event)
        return context.window_manager.invoke_confirm(
            self,
            event,
            title="Repair?",
            message="\n".join(map(tr, self.planned.splitlines())),
            confirm_text="Repair",
            icon="QUESTION",
        )

    def execute(self, context):
        return self._begin(context) if self.planned and not in_background() else super().execute(context)

    def _make(self, context):
        looks = not (self.planned or in_background())
        return VerifyJob(context.scene) if looks else RepairJob(context.scene)

    def _tell(self, context, job):
        overview.look(context.scene)
        if isinstance(job, VerifyJob):
            return self._ask(job)
        problems = [problem for one in job.checked for problem in one.problems]
        for problem in problems:
            messages.report(self, "WARNING", problem)
        done = [sentence for one in job.checked for sentence in one.done]
        if job.state == CANCELLED:
            done.append("Stopped; press Repair again to mend the rest.")
        if done or not problems:
            self.report({"INFO"}, " ".join(map(tr, done)) if done else "There was nothing to repair.")
        return {"FINISHED"}

    def _ask(self, job):
        """Run the operator again, with a list of the repairs to confirm."""
        if job.state == CANCELLED:
            self.report({"INFO"}, "Stopped before all frames were looked at; nothing was changed")
            return {"CANCELLED"}
        changed = overview.of(bpy.context.scene).changed
        planned = list(job.planned)
        if planned and changed:
            planned.append(f"The scene has changed: {shown(changed)}. Solving frames needs it as it was.")
        if not planned:
            self.report({"INFO"}, "All frames are as they were written.")
            return {"FINISHED"}
        self._ask_again("\n".join(planned))
        return {"FINISHED"}

    def _ask_again(self, planned):
        operators: Any = bpy.ops
        operators.gpbd.repair_cache("INVOKE_DEFAULT", planned=planned)
