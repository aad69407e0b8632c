"""Apply the fix of a line of *Check Scene*, or clear the lines."""

from __future__ import annotations

import json

import bpy
from bpy.props import IntProperty

from ..bake import finding_objects
from ..translations import tr

ALL = -1


class GPBD_OT_fix_finding(bpy.types.Operator):
    """Apply the remedy of this line"""

    bl_idname = "gpbd.fix_finding"
    bl_label = "Fix"
    bl_options = {"INTERNAL"}

    index: IntProperty(name="Line", default=ALL, options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return tr("Take these lines away" if properties.index == ALL else "Apply the remedy of this line")

    @classmethod
    def poll(cls, context):
        return not context.window_manager.gpbd_status

    def execute(self, context):
        manager = context.window_manager
        findings = manager.gpbd_findings
        if self.index == ALL:
            findings.clear()
            return {"FINISHED"}
        if not 0 <= self.index < len(findings):
            self.report({"INFO"}, "This line is gone; check the scene again")
            return {"CANCELLED"}
        row = findings[self.index]
        names = finding_objects.names_now(json.loads(row.objects or "{}"), context.scene) or {}
        values = {key: names.get(str(value), value) for key, value in json.loads(row.values).items()}
        room, _, name = row.operator.partition(".")
        try:
            done = getattr(getattr(bpy.ops, room), name)("INVOKE_DEFAULT", True, **values)
        except RuntimeError as error:
            self.report({"ERROR"}, str(error).removeprefix("Error: ").strip())
            return {"CANCELLED"}
        if done == {"FINISHED"} and not row.stays:
            findings.remove(self.index)
        return {"FINISHED"}
