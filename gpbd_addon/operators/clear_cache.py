"""Delete versions of the caches of the scene's bodies: those that do not play, or all."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, IntProperty

from ...solver.counted import counted
from ...solver.errors import GpbdError
from .. import messages
from ..bake import cache_path, overview, trash
from ..read import scene_input
from ..translations import tr
from .modal_job import poll_job

OLD, ALL, ONE = "OLD", "ALL", "ONE"
WIDTH = 420  # pixels of the dialog


class GPBD_OT_clear_cache(bpy.types.Operator):
    """Delete versions of the caches of all GPBD bodies of the scene"""

    bl_idname = "gpbd.clear_cache"
    bl_label = "Delete Caches"
    bl_options = {"REGISTER", "UNDO"}

    what: EnumProperty(
        name="Delete",
        items=[
            (OLD, "Other Versions", "All but the version that plays"),
            (ALL, "Everything", "All versions; the meshes show their own shape again"),
            (ONE, "One Version", "The version of that number"),
        ],
        default=OLD,
    )
    version: IntProperty(name="Version", min=0, options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return poll_job(cls, context)

    def invoke(self, context, event):
        self.what = self._fitting(context)
        return context.window_manager.invoke_props_dialog(self, width=WIDTH, confirm_text="Delete")

    def _fitting(self, context):
        """Return the choice that the dialog starts with."""
        if self.properties.is_property_set("what") and self.what == ONE:
            return ONE
        return OLD if trash.superseded(overview.look(context.scene).versions) else ALL

    def draw(self, context):
        layout = self.layout
        if self.what != ONE:
            row = layout.row()
            row.prop_enum(self, "what", OLD)
            row.prop_enum(self, "what", ALL)
        going = self._going(overview.of(context.scene).versions)
        layout.label(text=trash.summary(going) if going else "Nothing to delete", icon="TRASH")

    def _going(self, known):
        if self.what == ALL:
            return known
        return [one for one in known if one.number == self.version] if self.what == ONE else trash.superseded(known)

    def execute(self, context):
        try:
            bodies = scene_input.bodies_of(context.scene)
            known = overview.look(context.scene).versions
            numbers = None if self.what == ALL else {one.number for one in self._going(known)}
            gone = trash.delete(context.scene, bodies, numbers)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        overview.look(context.scene)
        caches = sum(cache_path.NAME.fullmatch(path.name) is not None for path in gone)
        self.report(
            {"INFO"}, tr(f"Deleted {counted(caches, 'cache', 'caches')}.") if caches else "There was no cache to delete."
        )
        return {"FINISHED"}
