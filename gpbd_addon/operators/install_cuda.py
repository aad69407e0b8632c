"""Install the packages for bakes on a GPU: only after it was agreed to, and from the internet only where Blender allows
it."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...solver.device.cuda import install
from ...solver.errors import GpbdError
from .. import messages, user_folder
from ..bake.cuda_job import CudaJob
from ..bake.stepped_job import DONE
from ..translations import tr
from .modal_job import ModalJob

INTERNET, FOLDER = "INTERNET", "FOLDER"
WIDTH = 460  # pixels of the dialog
LICENCES = (
    "numba-cuda-mlir, cuda-core, cuda-bindings, cuda-pathfinder: Apache License 2.0",
    "NVIDIA's compiler and runtime: CUDA Toolkit End User License Agreement",
)


class GPBD_OT_install_cuda(ModalJob, bpy.types.Operator):
    """Install the packages for bakes on an NVIDIA GPU. They can be removed again"""

    bl_idname = "gpbd.install_cuda"
    bl_label = "Install CUDA Support"
    bl_options = {"INTERNAL"}

    source: EnumProperty(
        name="From",
        items=[
            (INTERNET, "Internet", "From the Python package index; Allow Online Access must be on"),
            (FOLDER, "Folder", "From a folder of wheels, for computers without internet"),
        ],
        options={"SKIP_SAVE"},
    )
    directory: StringProperty(
        name="Wheels", description="The folder of the wheels", subtype="DIR_PATH", options={"SKIP_SAVE"}
    )
    agree: BoolProperty(
        name="Install these, under these licences", description="Nothing is installed without it", options={"SKIP_SAVE"}
    )

    hint = "Esc: stop; nothing is left of it"
    _in_dialog = False

    def invoke(self, context, event):
        if bpy.app.background or self.agree:
            return self._refused() or super().invoke(context, event)
        if not bpy.app.online_access:
            self.source = FOLDER
        self._in_dialog = True
        return context.window_manager.invoke_props_dialog(self, width=WIDTH, confirm_text="Install")

    def draw(self, context):
        layout = self.layout
        try:
            wheels = install.wheels_here()
        except GpbdError as error:
            for line in messages.two_lines(str(error)):
                layout.label(text=line)
            return
        down, disk = (sum(sizes) / 1e6 for sizes in ((w.size for w in wheels), (w.unpacked for w in wheels)))
        column = layout.column(align=True)
        column.label(text=tr(f"{len(wheels)} packages, {down:.0f} MB to download, {disk:.0f} MB on the disk, in"))
        column.label(text=str(user_folder.cuda_folder()))
        for line in LICENCES:
            column.label(text=line)
        layout.row().prop(self, "source", expand=True)
        if self.source == FOLDER:
            layout.prop(self, "directory")
        elif not bpy.app.online_access:
            layout.label(text="Allow Online Access is off: Preferences > System > Network", icon="ERROR")
        layout.prop(self, "agree")

    def execute(self, context):
        refused = self._refused()
        if refused or not self._in_dialog:
            return refused or super().execute(context)
        arguments = {"source": self.source, "directory": self.directory, "agree": self.agree}
        operators: Any = bpy.ops
        return operators.gpbd.install_cuda("INVOKE_DEFAULT", **arguments)  # the one of the dialog ends, and cannot be modal

    def _refused(self):
        """Report why nothing may be installed and return the operator's result; an empty set where it may."""
        if not self.agree:
            text = "CUDA: its licences are not agreed to; wanted your consent. Tick the box, then press Install."
        elif self.source == INTERNET and not bpy.app.online_access:
            text = (
                "CUDA: Blender's Allow Online Access is off; wanted on, to download packages. Switch it on in Preferences > "
                "System > Network, or install from a folder of wheels."
            )
        elif self.source == FOLDER and not self.directory:
            text = "CUDA: no folder is named; wanted that of the wheels. Name it in the dialog."
        else:
            return set()
        messages.report(self, "ERROR", text)
        return {"CANCELLED"}

    def _make(self, context):
        return CudaJob(context.scene, bpy.path.abspath(self.directory) if self.source == FOLDER else "")

    def _tell(self, context, job):
        if job.state == DONE:
            self.report({"INFO"}, tr(f"CUDA support is installed in {job.folder}"))
        else:
            self.report({"INFO"}, "Nothing was installed")
        return {"FINISHED"}
