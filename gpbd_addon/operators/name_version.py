"""Give a version of the caches a name and a note."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty, StringProperty

from ...solver.errors import GpbdError
from .. import messages
from ..bake import overview, versions
from ..translations import tr
from .modal_job import poll_job

WIDTH = 420  # pixels of the dialog


class GPBD_OT_name_version(bpy.types.Operator):
    """Give this version a name and a note, which are kept with its caches"""

    bl_idname = "gpbd.name_version"
    bl_label = "Name Version"
    bl_options = {"REGISTER"}

    number: IntProperty(name="Version", min=0, options={"HIDDEN", "SKIP_SAVE"})
    name: StringProperty(name="Name", description="Name of the version, beside its number", options={"SKIP_SAVE"})
    note: StringProperty(name="Note", description="Note on the version", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return poll_job(cls, context)

    def invoke(self, context, event):
        known = next((one for one in overview.look(context.scene).versions if one.number == self.number), None)
        if known is not None:
            self.name, self.note = known.name, known.note
        return context.window_manager.invoke_props_dialog(self, width=WIDTH, confirm_text="Rename")

    def execute(self, context):
        try:
            version = versions.describe(context.scene, self.number, self.name, self.note)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        overview.look(context.scene)
        self.report({"INFO"}, tr(f"{version.label} is called '{self.name.strip()}'."))
        return {"FINISHED"}
