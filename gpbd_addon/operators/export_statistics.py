"""The statistics of a bake as a table."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ...solver.counted import counted
from ...solver.errors import GpbdError
from .. import messages
from ..bake.statistics import write_csv
from ..translations import tr
from .show_statistics import has_statistics, reports_of


class GPBD_OT_export_statistics(bpy.types.Operator):
    """Write the statistics of the last bake as a table, one line a frame"""

    bl_idname = "gpbd.export_statistics"
    bl_label = "Export Statistics"
    bl_options = {"REGISTER"}

    filepath: StringProperty(name="File", subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: StringProperty(default="*.csv", options={"HIDDEN"})
    check_existing: BoolProperty(default=True, options={"HIDDEN"})  # warns before a file is replaced

    @classmethod
    def poll(cls, context):
        return has_statistics(context)

    def invoke(self, context, event):
        self.filepath = self.filepath or f"//{context.object.name} statistics.csv"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        ob = context.object
        try:
            reports = reports_of(ob)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        path = Path(bpy.path.abspath(self.filepath))
        try:
            with open(path, "w", newline="", encoding="utf-8") as file:
                lines = write_csv(file, [(ob.name, reports)])
        except OSError as error:
            self.report({"ERROR"}, tr(f"{path}: cannot be written ({error.strerror}). Choose a writable folder."))
            return {"CANCELLED"}
        self.report({"INFO"}, tr(counted(lines, f"frame written to {path}", f"frames written to {path}")))
        return {"FINISHED"}
