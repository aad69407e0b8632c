"""Selects the edges and vertices of a mesh that are in no face, in edit mode."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.props import StringProperty

from .. import messages
from ..bake.scene_findings import loose
from . import editing


class GPBD_OT_select_loose(bpy.types.Operator):
    """Select the edges and vertices of this mesh that are in no face, in edit mode"""

    bl_idname = "gpbd.select_loose"
    bl_label = "Select Loose"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    object_name: StringProperty(name="Object", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return not context.window_manager.gpbd_status

    def execute(self, context):
        ob = context.view_layer.objects.get(self.object_name)
        if ob is None or ob.gpbd.body_type == "NONE" or ob.type != "MESH" or not ob.is_editable:
            text = f"{self.object_name}: is no body whose mesh can be edited here. Press Check Scene again."
            messages.report(self, "ERROR", text)
            return {"CANCELLED"}
        editing.make_alone(context, ob)
        edges, vertices, _ = loose(ob)
        ends = np.empty(2 * len(ob.data.edges), np.int32)
        ob.data.attributes[".edge_verts"].data.foreach_get("value", ends)
        vertices[ends.reshape(-1, 2)[edges].ravel()] = True
        ob.data.vertices.foreach_set("select", vertices)
        ob.data.edges.foreach_set("select", edges)
        ob.data.polygons.foreach_set("select", np.zeros(len(ob.data.polygons), bool))
        editing.begin(context, True, True, False)
        return {"FINISHED"}
