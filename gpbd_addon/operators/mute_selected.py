"""Takes selected bodies out of the simulation, or lets them take part again; their settings stay."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty

from .. import messages
from .selection import chosen


class GPBD_OT_mute_selected(bpy.types.Operator):
    """Take the selected bodies out of the simulation, or let them take part again; their settings and caches stay"""

    bl_idname = "gpbd.mute_selected"
    bl_label = "Mute Selected"
    bl_options = {"REGISTER", "UNDO"}

    muted: BoolProperty(name="Mute", default=True)

    @classmethod
    def poll(cls, context):
        return any(ob.gpbd.body_type != "NONE" for ob in chosen(context))

    def execute(self, context):
        bodies = [ob for ob in chosen(context) if ob.gpbd.body_type != "NONE"]
        fixed = [ob for ob in bodies if not ob.is_editable]
        for ob in bodies:
            if ob not in fixed:
                ob.gpbd.muted = self.muted
        for ob in fixed:
            messages.report(self, "WARNING", f"{ob.name_full}: is linked from a library. Make it local, or override it.")
        return {"FINISHED"} if len(fixed) < len(bodies) else {"CANCELLED"}
