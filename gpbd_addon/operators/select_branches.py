"""Selects the sheet that is one too many at edges with more than two faces, in edit mode."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import bmesh
import bpy
from bpy.props import StringProperty

from .. import messages
from . import editing


class GPBD_OT_select_branches(bpy.types.Operator):
    """Select the faces of the sheet that is one too many at edges with more than two faces, in edit mode"""

    bl_idname = "gpbd.select_branches"
    bl_label = "Select Branches"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    object_name: StringProperty(name="Object", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return not context.window_manager.gpbd_status

    def execute(self, context):
        ob = context.view_layer.objects.get(self.object_name)
        if ob is None or ob.type != "MESH" or not ob.is_editable or not ob.data.is_editable:
            text = f"{self.object_name}: is no mesh that can be edited here. Leave edit mode, and press Check Scene again."
            messages.report(self, "ERROR", text)
            return {"CANCELLED"}
        editing.make_alone(context, ob)
        _select(ob)
        editing.begin(context, False, False, True)
        return {"FINISHED"}


def _select(ob: bpy.types.Object) -> None:
    work = bmesh.new()
    try:
        work.from_mesh(ob.data)
        branching = {face for edge in work.edges for face in _beyond_two(edge)}
        for part in (work.verts, work.edges, work.faces):
            for one in part:
                one.select_set(False)
        for face in _sheets(branching):
            face.select_set(True)
        work.to_mesh(ob.data)
    finally:
        work.free()
    ob.data.update()


def _beyond_two(edge: Any) -> list[Any]:
    """Return the faces at an edge without the two that continue each other the most evenly."""
    if len(edge.link_faces) <= 2:
        return []
    first, second = (vertex.co for vertex in edge.verts)
    along, middle = (second - first).normalized(), (first + second) / 2
    away = {face: face.calc_center_median() - middle for face in edge.link_faces}
    away = {face: (direction - direction.dot(along) * along).normalized() for face, direction in away.items()}
    even = min(combinations(edge.link_faces, 2), key=lambda pair: away[pair[0]].dot(away[pair[1]]))
    return [face for face in edge.link_faces if face not in even]


def _sheets(faces: set[Any]) -> set[Any]:
    """Return these faces and all joined to them by edges of two faces; these alone where that is the whole mesh."""
    reached, left = set(faces), list(faces)
    while left:
        for edge in left.pop().edges:
            joined = set(edge.link_faces) - reached if len(edge.link_faces) == 2 else set()
            reached |= joined
            left += joined
    meeting = [edge for face in faces for edge in face.edges if len(edge.link_faces) > 2]
    return faces if any(reached.issuperset(edge.link_faces) for edge in meeting) else reached
