"""Make the bodies play another version of their caches."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from ...solver.errors import GpbdError
from .. import messages
from ..bake import overview, versions
from ..translations import tr
from .modal_job import poll_job


class GPBD_OT_choose_version(bpy.types.Operator):
    """Play this version of the bake"""

    bl_idname = "gpbd.choose_version"
    bl_label = "Choose Version"
    bl_options = {"REGISTER", "UNDO"}

    number: IntProperty(name="Version", min=0)

    @classmethod
    def poll(cls, context):
        return poll_job(cls, context)

    def execute(self, context):
        try:
            names = versions.choose(context.scene, self.number)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        overview.look(context.scene)
        self.report({"INFO"}, tr(f"{', '.join(names)}: v{self.number} plays."))
        return {"FINISHED"}
