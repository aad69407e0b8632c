"""Keep the shape that bodies have at the current frame."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ...solver.errors import GpbdError
from .. import messages
from ..bake.drape_job import SHAPE_KEY, START
from ..live import applying, player
from ..translations import tr
from .modal_job import poll_job
from .selection import chosen


class GPBD_OT_apply_shape(bpy.types.Operator):
    """Use the shape of the selected bodies at this frame as the start of their simulation, or as a shape key"""

    bl_idname = "gpbd.apply_shape"
    bl_label = "Apply as Start"
    bl_options = {"REGISTER", "UNDO"}

    result: EnumProperty(
        name="Result",
        items=[
            (START, "Start", "Start shape of the simulation; each mesh keeps its shape"),
            (SHAPE_KEY, "Shape Key", "A shape key of each mesh, with value 1"),
        ],
        default=START,
    )

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.gpbd.body_type != "NONE" and poll_job(cls, context)

    def execute(self, context):
        bodies = [ob for ob in chosen(context) if ob.gpbd.body_type != "NONE"]
        player.stop()
        try:
            sentences = applying.apply(context.scene, bodies, self.result)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        names, frame = ", ".join(ob.name for ob in bodies), context.scene.frame_current
        kind = "a shape key" if self.result == SHAPE_KEY else "the start of the simulation"
        self.report({"INFO"}, " ".join([tr(f"The shape at frame {frame} is {kind}: {names}."), *map(tr, sentences)]))
        return {"FINISHED"}
