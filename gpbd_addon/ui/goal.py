"""Goal of a body: a spring to its animated mesh."""

from __future__ import annotations

import bpy

from ..body_kinds import BODY_KINDS
from .gpbd import GpbdSubPanel
from .group_row import draw_group
from .label_width import label_share
from .value_row import draw_number, draw_value, labelled


class PHYSICS_PT_gpbd_goal(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Goal"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and BODY_KINDS[context.object.gpbd.body_type].pins

    def draw_header(self, context):
        self.layout.prop(context.object.gpbd, "use_goal", text="")

    def draw(self, context):
        ob = context.object
        column = self.layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        column.active = ob.gpbd.use_goal
        settings = ob.gpbd
        share = label_share(settings, "goal_frequency", "goal_damping_ratio", "goal_weight", "goal_group", unit="Hz")
        labelled(column, settings, "goal_jiggle", share).prop(settings, "goal_jiggle", text="", slider=True)
        draw_value(column, settings, "goal_frequency", "Hz", share=share)
        draw_number(column, settings, "goal_damping_ratio", share)
        draw_number(column, settings, "goal_weight", share, slider=True)
        draw_group(column, context, settings, "goal_group", share)
