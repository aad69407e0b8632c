"""Intersecting faces at the current frame, selected in edit mode."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from ...solver.cache.pc2 import read_header
from ...solver.counted import counted
from ...solver.errors import GpbdError
from .. import messages
from ..bake import cache_path, playback
from ..maps import intersections
from ..read import modifier
from ..translations import tr

#: Pairs of objects that the message names.
NAMED = 3
#: Frame that stands for the current one; no timeline goes so far.
HERE = -(2**31)


def _show_where_they_are(ob: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Show the simulated shape in edit mode too, except at the first frame, where the mesh itself is edited."""
    cache_modifier, path = modifier.find(ob), cache_path.of(ob)
    if cache_modifier is not None:
        samples = 1 if path is None else read_header(path).samples
        cache_modifier.show_in_editmode = cache_modifier.show_on_cage = scene.frame_current > playback.first_frame(
            cache_modifier, scene, samples
        )


def _of_skins(crossing: intersections.Intersections) -> str:
    """Return a sentence on bodies whose statistics count other faces than this search."""
    if not crossing.by_skin:
        return ""
    more = f" and {len(crossing.by_skin) - 1} more" if len(crossing.by_skin) > 1 else ""
    return f". Of {crossing.by_skin[0]}{more} Statistics count the tetrahedra's skin, this the mesh"


class GPBD_OT_find_intersections(bpy.types.Operator):
    """Select the faces of GPBD bodies that pass through themselves, each other or a collider at this frame"""

    bl_idname = "gpbd.find_intersections"
    bl_label = "Find Intersections"
    bl_options = {"REGISTER", "UNDO"}

    frame: IntProperty(
        name="Frame", description="Frame to check; a number before the first frame is the current frame", default=HERE,
        options={"SKIP_SAVE"},
    )  # fmt: skip

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.gpbd.body_type != "NONE" and not context.window_manager.gpbd_status

    def execute(self, context):
        if context.object.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        if self.frame != HERE:
            context.scene.frame_set(self.frame)
        try:
            crossing = intersections.find(context.scene)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        if not crossing.count:
            self.report(
                {"INFO"}, tr(f"Frame {context.scene.frame_current}: no edge passes through a face{_of_skins(crossing)}")
            )
            return {"FINISHED"}
        named = "; ".join(str(found_at) for found_at in crossing.locations[:NAMED])
        others = len(crossing.locations) - NAMED
        more = f"; and {counted(others, 'other pair', 'other pairs')}" if others > 0 else ""
        self._select(context, crossing)
        count = counted(crossing.count, "edge passes", "edges pass")
        text = f"Frame {context.scene.frame_current}: {count} through faces: {named}{more}{_of_skins(crossing)}"
        self.report({"WARNING"}, tr(text))
        return {"FINISHED"}

    def _select(self, context: bpy.types.Context, crossing: intersections.Intersections) -> None:
        """Enter edit mode with all involved bodies; the active one stays active if it is among them."""
        involved = [ob for ob in context.view_layer.objects if len(crossing.faces.get(ob.name_full, ())) and ob.is_editable]
        for ob in context.view_layer.objects:
            ob.select_set(ob in involved)
        if not involved:
            return
        for ob in involved:
            intersections.select(ob, crossing.faces[ob.name_full])
            _show_where_they_are(ob, context.scene)
        if context.view_layer.objects.active not in involved:
            context.view_layer.objects.active = involved[0]
        context.tool_settings.mesh_select_mode = (False, False, True)
        bpy.ops.object.mode_set(mode="EDIT")
