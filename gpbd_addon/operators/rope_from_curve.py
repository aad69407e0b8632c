"""Makes a rope along the active curve."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty

from ...solver.errors import GpbdError
from .. import messages
from ..bake import rope_curve, rope_surface
from ..body_kinds import BODY_KINDS
from ..identifiers import ROPE_CURVE, ROPE_PINS
from .add_body import add_body


class GPBD_OT_rope_from_curve(bpy.types.Operator):
    """Make a GPBD Rope along each spline of the active curve; the curve can still be edited, hooked and animated"""

    bl_idname = "gpbd.rope_from_curve"
    bl_label = "GPBD Rope from Curve"
    bl_options = {"REGISTER", "UNDO"}

    segment: FloatProperty(
        name="Segment Length", description="Length of an edge; 0 takes the thickness of the rope", min=0.0, unit="LENGTH"
    )
    pin_start: BoolProperty(
        name="Pin Start", description="The first two vertices of each rope follow the curve", default=True
    )
    pin_end: BoolProperty(name="Pin End", description="The last two vertices of each rope follow the curve")

    @classmethod
    def poll(cls, context):
        ob = context.object
        if ob is None or context.mode != "OBJECT":
            return False
        # Adjust Last Operation polls with the rope, which is active then, before it undoes it
        return ob.type == "CURVE" or ob.modifiers.get(ROPE_CURVE) is not None

    def execute(self, context):
        try:
            made = rope_curve.make(context.object, self.segment, self.pin_start, self.pin_end)
            add_body(made, next(name for name, kind in BODY_KINDS.items() if kind.line))
            rope_surface.show(made)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        if self.pin_start or self.pin_end:
            made.gpbd.pin_group = ROPE_PINS
        for ob in context.selected_objects:
            ob.select_set(False)
        made.select_set(True)
        context.view_layer.objects.active = made
        return {"FINISHED"}
