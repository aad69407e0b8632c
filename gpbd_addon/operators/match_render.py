"""Gives the render the modifier that the viewport has, and the simulation with it."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from .. import messages
from ..bake.scene_findings import LEVELS
from ..read import modifier


class GPBD_OT_match_render(bpy.types.Operator):
    """Render with this modifier as it is in the viewport, which is what is simulated"""

    bl_idname = "gpbd.match_render"
    bl_label = "As in Viewport"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    object_name: StringProperty(name="Object", options={"SKIP_SAVE"})
    modifier_name: StringProperty(name="Modifier", options={"SKIP_SAVE"})

    def execute(self, context):
        found = modifier.named(context.scene, self.object_name, self.modifier_name)
        if found is None:
            text = (
                f"{self.object_name}: has no modifier '{self.modifier_name}' that can be changed. Press Check Scene again."
            )
            messages.report(self, "ERROR", text)
            return {"CANCELLED"}
        found.show_render = found.show_viewport
        if found.type in LEVELS:
            viewport, render = LEVELS[found.type]
            setattr(found, render, getattr(found, viewport))
            own = context.scene.render
            own.simplify_subdivision_render = max(own.simplify_subdivision_render, own.simplify_subdivision)
            if own.use_simplify:
                setattr(found, render, min(getattr(found, viewport), own.simplify_subdivision))
        return {"FINISHED"}
