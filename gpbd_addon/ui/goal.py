"""Goal of a body: a spring to its animated mesh."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from .gpbd import GpbdSubPanel
from .group_row import draw_group
from .value_row import draw_value


class PHYSICS_PT_gpbd_goal(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Goal"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and BODY_KINDS[context.object.gpbd.body_type].pins

    def draw_header(self, context):
        self.layout.prop(context.object.gpbd, "use_goal", text="")

    def draw(self, context):
        ob: Any = context.object
        column = self.layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        column.active = ob.gpbd.use_goal
        column.prop(ob.gpbd, "goal_jiggle", slider=True)
        draw_value(column, ob.gpbd, "goal_frequency", "Hz")
        strength = column.column()
        strength.use_property_decorate = True
        strength.prop(ob.gpbd, "goal_damping_ratio")
        strength.prop(ob.gpbd, "goal_weight")
        draw_group(column, context, ob.gpbd, "goal_group")
