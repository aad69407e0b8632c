"""Gives the render the modifier that the viewport has, and the simulation with it."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from .. import messages
from ..bake.scene_findings import LEVELS
from ..read import modifier


class GPBD_OT_match_render(bpy.types.Operator):
    """Give the render the setting of the viewport, which GPBD simulates"""

    bl_idname = "gpbd.match_render"
    bl_label = "As in Viewport"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    object_name: StringProperty(name="Object", options={"SKIP_SAVE"})
    modifier_name: StringProperty(name="Modifier", options={"SKIP_SAVE"})

    def execute(self, context):
        md = modifier.named(context.scene, self.object_name, self.modifier_name)
        if md is None:
            text = (
                f"{self.object_name}: has no modifier '{self.modifier_name}' that can be changed. Press Check Scene again."
            )
            messages.report(self, "ERROR", text)
            return {"CANCELLED"}
        md.show_render = md.show_viewport
        if md.type in LEVELS:
            viewport, render = LEVELS[md.type]
            setattr(md, render, getattr(md, viewport))
            render_settings = context.scene.render
            render_settings.simplify_subdivision_render = max(
                render_settings.simplify_subdivision_render, render_settings.simplify_subdivision
            )
            if render_settings.use_simplify:
                setattr(md, render, min(getattr(md, viewport), render_settings.simplify_subdivision))
        return {"FINISHED"}
