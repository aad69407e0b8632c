"""Imports a published fabric table as a preset of the user's own."""

from __future__ import annotations

import textwrap
from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ...solver.errors import GpbdError
from ...solver.scene.presets import write_preset
from ...solver.scene.published_fabric import LICENCE, read_published
from .. import messages
from ..translations import tr
from ..user_folder import user_presets_folder

#: Characters of a line in the sidebar of the file browser.
LINE = 36


def import_fabric(source: str, overwrite: bool = False) -> Path:
    """Make a preset of a published fabric, below the user's folder; return its file.

    Raises: PresetError if the file is no published fabric, if there is such a preset (and not `overwrite`), or if it cannot
    be written.
    """
    path = user_presets_folder() / "fabrics" / f"{Path(source).stem}.toml"
    write_preset(path, read_published(source), overwrite=overwrite)
    return path


class GPBD_OT_import_fabric(bpy.types.Operator):
    """Import a published fabric made of yarns (ARCSim-HYLC, a JSON file) as a preset of your own"""

    bl_idname = "gpbd.import_fabric"
    bl_label = "Import Published Fabric"
    bl_options = {"REGISTER", "INTERNAL"}

    filepath: StringProperty(name="File", subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})
    overwrite: BoolProperty(name="Replace", description="Replace your preset of this name", options={"SKIP_SAVE"})

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def draw(self, context):
        column = self.layout.column(align=True)
        column.prop(self, "overwrite")
        column.separator()
        for line in textwrap.wrap(LICENCE, LINE, break_on_hyphens=False):
            column.label(text=line)

    def execute(self, context):
        try:
            path = import_fabric(bpy.path.abspath(self.filepath), self.overwrite)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        self.report({"WARNING"}, tr(f"Imported as {path}. {LICENCE}"))
        return {"FINISHED"}
